// Terminal: the screen and the keys of the terminal at standard output. Not thread-safe.
#pragma once

#include <termios.h>

#include <optional>

#include "cli/frame.h"

namespace lockstep::cli {

class Terminal {
 public:
  static bool IsThere();

  // Turns to the other screen, hides the cursor, and takes keys one by one and unseen if standard input is a
  // terminal too. The destructor puts all of it back.
  Terminal();
  ~Terminal();
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  TerminalSize size() const;
  // Whether keys can be read, from standard input.
  bool has_keys() const { return before_.has_value(); }

 private:
  std::optional<termios> before_;
};

}  // namespace lockstep::cli
