#include "import/tail/tail_state.h"

#include <charconv>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "absl/strings/str_format.h"

namespace lockstep::tail {
namespace {

constexpr std::string_view kFirstLine = "lockstep-tail 1";

// Drops every other push, but keeps the last.
void Thin(std::vector<PushedBytes>& pushes) {
  size_t kept = 0;
  for (size_t i = 1; i < pushes.size(); i += 2) {
    pushes[kept++] = {pushes[i].end, pushes[i - 1].arrival_ms};
  }
  if (pushes.size() % 2 == 1) pushes[kept++] = pushes.back();
  pushes.resize(kept);
}

std::string_view TakeLine(std::string_view& text) {
  const size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == text.npos ? text.size() : end + 1);
  return line;
}

template <typename Number>
bool TakeNumber(std::string_view& line, Number& number) {
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), number);
  if (error != std::errc()) return false;
  line.remove_prefix(static_cast<size_t>(end - line.data()));
  if (line.starts_with(' ')) line.remove_prefix(1);
  return true;
}

bool TakeLog(std::string_view line, TailedLogState& log) {
  if (!line.starts_with("log ")) return false;
  line.remove_prefix(4);
  const bool is_whole = TakeNumber(line, log.device) && TakeNumber(line, log.inode) &&
                        TakeNumber(line, log.head_bytes) && TakeNumber(line, log.head_crc) &&
                        TakeNumber(line, log.offset) && !line.empty();
  log.stream = line;
  return is_whole;
}

bool TakePush(std::string_view line, std::vector<PushedBytes>& pushes) {
  PushedBytes push;
  line.remove_prefix(1);
  if (!TakeNumber(line, push.end)) return false;
  const bool is_behind = line.starts_with('+');
  if (is_behind != !pushes.empty()) return false;
  if (is_behind) line.remove_prefix(1);
  if (!TakeNumber(line, push.arrival_ms) || !line.empty()) return false;
  const PushedBytes before = is_behind ? pushes.back() : PushedBytes();
  if (__builtin_add_overflow(push.end, before.end, &push.end) ||
      __builtin_add_overflow(push.arrival_ms, before.arrival_ms, &push.arrival_ms)) {
    return false;
  }
  pushes.push_back(push);
  return true;
}

}  // namespace

void TailedLogState::AddPush(uint64_t end, int64_t arrival_ms) {
  if (end <= offset) return;
  offset = end;
  if (!pushes.empty() && pushes.back().arrival_ms == arrival_ms) {
    pushes.back().end = end;
    return;
  }
  if (pushes.size() >= kMaxPushesKept) Thin(pushes);
  pushes.push_back({end, arrival_ms});
}

std::string ToText(const TailState& state) {
  std::string text = absl::StrFormat("%s\n", kFirstLine);
  for (const TailedLogState& log : state.logs) {
    absl::StrAppendFormat(&text, "log %d %d %d %d %d %s\n", log.device, log.inode, log.head_bytes,
                          log.head_crc, log.offset, log.stream);
    const PushedBytes* before = nullptr;
    for (const PushedBytes& push : log.pushes) {
      if (before == nullptr) {
        absl::StrAppendFormat(&text, "+%d %d\n", push.end, push.arrival_ms);
      } else {
        absl::StrAppendFormat(&text, "+%d +%d\n", push.end - before->end,
                              push.arrival_ms - before->arrival_ms);
      }
      before = &push;
    }
  }
  return text;
}

absl::StatusOr<TailState> ParseTailState(std::string_view text) {
  TailState state;
  bool is_good = TakeLine(text) == kFirstLine;
  while (is_good && !text.empty()) {
    const std::string_view line = TakeLine(text);
    if (line.starts_with('+')) {
      is_good = !state.logs.empty() && TakePush(line, state.logs.back().pushes);
    } else {
      is_good = TakeLog(line, state.logs.emplace_back());
    }
  }
  if (is_good) return state;
  return absl::DataLossError("it is not a progress file of `lockstep tail`");
}

absl::StatusOr<TailState> ReadTailState(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return TailState();
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  auto state = ParseTailState(text);
  if (!state.ok()) {
    return Annotate(state.status(), absl::StrFormat("\"%s\" (delete it to start over)", path));
  }
  return state;
}

absl::Status WriteTailState(const std::string& path, std::string_view text) {
  const std::string new_path = path + ".new";
  {
    std::ofstream file(new_path, std::ios::trunc | std::ios::binary);
    file << text;
    file.flush();
    if (!file) return absl::UnavailableError(absl::StrFormat("cannot write \"%s\"", new_path));
  }
  std::error_code error;
  std::filesystem::rename(new_path, path, error);
  if (!error) return absl::OkStatus();
  return absl::UnavailableError(absl::StrFormat("cannot write \"%s\": %s", path, error.message()));
}

}  // namespace lockstep::tail
