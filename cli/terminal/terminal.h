// The terminal at standard output: its screen, its keyboard, and the frames written to it.
#pragma once

#include <termios.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace lockstep::cli {

struct TerminalSize {
  size_t rows = 24;
  size_t columns = 80;
};

// As much of `text` as fits the terminal. Overwrites text without clearing it first, to avoid
// flicker.
std::string FrameOf(std::string_view text, TerminalSize size);

// The screen and keyboard. Not thread-safe.
class Terminal {
 public:
  static bool IsThere();

  // Switches to the alternate screen and hides the cursor. If standard input is a terminal too,
  // reads keys one by one without echo. The destructor restores everything.
  Terminal();
  ~Terminal();
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  TerminalSize size() const;
  // Whether keys can be read from standard input.
  bool has_keys() const { return before_.has_value(); }

 private:
  std::optional<termios> before_;
};

}  // namespace lockstep::cli
