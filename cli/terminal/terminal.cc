#include "cli/terminal/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace lockstep::cli {
namespace {

// Terminals that support these sequences show everything between them at once.
constexpr std::string_view kBeginTogether = "\x1b[?2026h";
constexpr std::string_view kEndTogether = "\x1b[?2026l";
constexpr std::string_view kHome = "\x1b[H";
constexpr std::string_view kClearRestOfLine = "\x1b[K";
constexpr std::string_view kClearRestOfScreen = "\x1b[J";

bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

// Appends at most `columns` characters of UTF-8, and clears the rest of the old line. After a write
// to the last column the cursor is still on that character, so clearing from there would erase it.
void AppendLine(std::string_view line, size_t columns, std::string& frame) {
  size_t end = 0;
  size_t shown = 0;
  for (; end < line.size(); ++end) {
    if (IsContinuation(line[end])) continue;
    if (shown == columns) break;
    ++shown;
  }
  frame += line.substr(0, end);
  if (shown < columns) frame += kClearRestOfLine;
}

constexpr const char* kEnter = "\x1b[?1049h\x1b[?25l";
constexpr const char* kLeave = "\x1b[?25h\x1b[?1049l";

void Put(const char* sequence) {
  std::fputs(sequence, stdout);
  std::fflush(stdout);
}

}  // namespace

std::string FrameOf(std::string_view text, TerminalSize size) {
  std::string frame(kBeginTogether);
  frame += kHome;
  size_t row = 0;
  for (; row < size.rows && !text.empty(); ++row) {
    const size_t end = std::min(text.find('\n'), text.size());
    // A newline after the last row would scroll the screen.
    if (row > 0) frame += "\r\n";
    AppendLine(text.substr(0, end), size.columns, frame);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  if (row < size.rows) {
    if (row > 0) frame += "\r\n";
    frame += kClearRestOfScreen;
  }
  frame += kEndTogether;
  return frame;
}

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
