#include "cli/frame.h"

#include <algorithm>

namespace lockstep::cli {
namespace {

// Terminals that know it show all at once what is between the two.
constexpr std::string_view kBeginTogether = "\x1b[?2026h";
constexpr std::string_view kEndTogether = "\x1b[?2026l";
constexpr std::string_view kHome = "\x1b[H";
constexpr std::string_view kClearRestOfLine = "\x1b[K";
constexpr std::string_view kClearRestOfScreen = "\x1b[J";

bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

// At most `columns` characters of UTF-8, and nothing of the older line behind them. At the last column
// the cursor still stands on what was written there: clearing from it would take that away.
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

}  // namespace

std::string FrameOf(std::string_view text, TerminalSize size) {
  std::string frame(kBeginTogether);
  frame += kHome;
  size_t row = 0;
  for (; row < size.rows && !text.empty(); ++row) {
    const size_t end = std::min(text.find('\n'), text.size());
    // A line end after the last row would scroll.
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

}  // namespace lockstep::cli
