// TerminalLine: a line on standard error that is overwritten repeatedly. Not thread-safe.
#pragma once

#include <cstdio>
#include <string>

namespace lockstep::cli {

class TerminalLine {
 public:
  // `on`: whether standard error is a terminal; if not, nothing is written.
  explicit TerminalLine(bool on) : on_(on) {}
  ~TerminalLine() { Clear(); }
  TerminalLine(const TerminalLine&) = delete;
  TerminalLine& operator=(const TerminalLine&) = delete;

  void Show(const std::string& text) {
    if (!on_) return;
    std::fprintf(stderr, "\r%s\x1b[K", text.c_str());
    shown_ = true;
  }
  void Clear() {
    if (shown_) std::fputs("\r\x1b[K", stderr);
    shown_ = false;
  }

 private:
  const bool on_;
  bool shown_ = false;
};

}  // namespace lockstep::cli
