#include "cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>

namespace lockstep::cli {
namespace {

constexpr const char* kEnter = "\x1b[?1049h\x1b[?25l";
constexpr const char* kLeave = "\x1b[?25h\x1b[?1049l";

void Put(const char* sequence) {
  std::fputs(sequence, stdout);
  std::fflush(stdout);
}

}  // namespace

bool Terminal::IsThere() { return isatty(STDOUT_FILENO) != 0; }

Terminal::Terminal() {
  termios now{};
  if (tcgetattr(STDIN_FILENO, &now) == 0) {
    before_ = now;
    now.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
    tcsetattr(STDIN_FILENO, TCSANOW, &now);
  }
  Put(kEnter);
}

Terminal::~Terminal() {
  Put(kLeave);
  if (before_.has_value()) tcsetattr(STDIN_FILENO, TCSAFLUSH, &*before_);
}

TerminalSize Terminal::size() const {
  winsize window{};
  const bool is_known =
      ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_row > 0 && window.ws_col > 0;
  return is_known ? TerminalSize{window.ws_row, window.ws_col} : TerminalSize{};
}

}  // namespace lockstep::cli
