#include "hang/dump/stack_text.h"

#include <optional>
#include <utility>

#include "absl/strings/str_format.h"
#include "hang/record/rank_record.h"

namespace lockstep::hang {
namespace {

constexpr std::string_view kFaulthandlerThread = "(most recent call first):";

std::string_view TakeLine(std::string_view& text) {
  const size_t end = text.find('\n');
  std::string_view line = text.substr(0, end);
  text.remove_prefix(end == text.npos ? text.size() : end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

bool IsThreadOfPySpy(std::string_view line) {
  if (!line.starts_with("Thread ")) return false;
  const size_t state = line.find(" (");
  return state != line.npos && !line.ends_with(kFaulthandlerThread);
}

// `  File "train.py", line 42 in load_batch`
std::optional<std::string> FrameOfFaulthandler(std::string_view line) {
  constexpr std::string_view kFile = "  File \"";
  if (!line.starts_with(kFile)) return std::nullopt;
  line.remove_prefix(kFile.size());
  const size_t quote = line.rfind("\", line ");
  if (quote == line.npos) return std::nullopt;
  const std::string_view file = line.substr(0, quote);
  const std::string_view rest = line.substr(quote + std::string_view("\", line ").size());
  const size_t in = rest.find(" in ");
  if (in == rest.npos || rest.find_first_not_of("0123456789") != in) return std::nullopt;
  return absl::StrFormat("%s (%s:%s)", rest.substr(in + 4), file, rest.substr(0, in));
}

// `    load_batch (train.py:42)`
std::optional<std::string> FrameOfPySpy(std::string_view line) {
  const size_t begin = line.find_first_not_of(' ');
  if (begin != 4) return std::nullopt;
  line.remove_prefix(begin);
  const bool is_frame = line.ends_with(')') && line.find(" (") != line.npos;
  return is_frame ? std::optional(std::string(line)) : std::nullopt;
}

struct Thread {
  bool is_main = false;
  std::vector<std::string> frames;
};

}  // namespace

bool IsStackText(std::string_view head) {
  const size_t begin = head.find_first_not_of("\r\n");
  if (begin == head.npos) return false;
  head.remove_prefix(begin);
  // Logs may contain a stack; only a text that begins with one is one.
  const bool is_thread = head.starts_with("Thread 0x") || head.starts_with("Current thread 0x") ||
                         head.starts_with("Fatal Python error: ") || head.starts_with("Timeout (");
  const bool is_py_spy = head.starts_with("Process ") && head.find("\nPython v") != head.npos;
  return is_py_spy || (is_thread && head.find(kFaulthandlerThread) != head.npos);
}

std::vector<std::string> ReadStackText(std::string_view text) {
  Thread last;
  Thread main;
  while (!text.empty()) {
    const std::string_view line = TakeLine(text);
    const bool is_py_spy = IsThreadOfPySpy(line);
    if (is_py_spy || line.ends_with(kFaulthandlerThread)) {
      if (last.is_main && main.frames.empty()) main = std::move(last);
      last = {.is_main = line.find("MainThread") != line.npos, .frames = {}};
      continue;
    }
    if (last.frames.size() >= kMaxStackFrames) continue;
    std::optional<std::string> frame = FrameOfFaulthandler(line);
    if (!frame.has_value()) frame = FrameOfPySpy(line);
    if (frame.has_value()) last.frames.push_back(frame->substr(0, kMaxTextBytes));
  }
  return main.frames.empty() ? std::move(last.frames) : std::move(main.frames);
}

}  // namespace lockstep::hang
