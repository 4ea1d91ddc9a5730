#include "ingest/logs/line_prefix.h"

#include "ingest/logs/record/log_limits.h"
#include "ingest/logs/text/line_time.h"
#include "ingest/logs/text/number_text.h"

namespace lockstep::logs {
namespace {

constexpr char kEscape = '\x1b';
constexpr size_t kMaxPrefixBytes = 256;

bool IsWordByte(char byte) {
  return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || IsDigit(byte) ||
         byte == '_' || byte == '-' || byte == '.';
}

// The trailing digits of `text`.
std::string_view DigitsAtEnd(std::string_view text) {
  size_t begin = text.size();
  while (begin > 0 && IsDigit(text[begin - 1])) --begin;
  return text.substr(begin);
}

// "default3]:" after the bracket: a role and a rank.
bool TakeTorchrun(std::string_view& line, LinePrefix& prefix) {
  const size_t end = line.substr(0, kMaxPrefixBytes).find("]:");
  if (end == line.npos) return false;
  const std::string_view name = line.substr(1, end - 1);
  for (const char byte : name) {
    if (!IsWordByte(byte)) return false;
  }
  const auto rank = RankOf(DigitsAtEnd(name));
  if (!rank.has_value()) return false;
  prefix.rank = rank;
  prefix.is_rank_in_node = true;
  line.remove_prefix(end + 2);
  return true;
}

// "[1,3]<stdout>:"
bool TakeMpirun(std::string_view& line, LinePrefix& prefix) {
  std::string_view rest = line.substr(1);
  if (!TakeInteger(rest) || !TakePrefix(rest, ",")) return false;
  const auto rank = TakeRank(rest);
  if (!rank.has_value() || !TakePrefix(rest, "]<std")) return false;
  if (!TakePrefix(rest, "out>:") && !TakePrefix(rest, "err>:")) return false;
  prefix.rank = rank;
  prefix.is_rank_in_node = false;
  line = rest;
  return true;
}

// Workers are numbered after their master; an indexed job's pod ends with its index and five random
// characters.
std::optional<int32_t> RankOfPod(std::string_view pod) {
  constexpr size_t kRandomBytes = sizeof("-x7k2p") - 1;
  const std::string_view digits = DigitsAtEnd(pod);
  const std::string_view before = pod.substr(0, pod.size() - digits.size());
  if (!digits.empty() && before.ends_with("-worker-")) {
    const auto worker = RankOf(digits);
    return worker.has_value() ? std::optional<int32_t>(*worker + 1) : std::nullopt;
  }
  if (!digits.empty() && before.ends_with('-')) return RankOf(digits);
  if (pod.size() <= kRandomBytes || pod[pod.size() - kRandomBytes] != '-') return std::nullopt;
  const std::string_view indexed = pod.substr(0, pod.size() - kRandomBytes);
  const std::string_view index = DigitsAtEnd(indexed);
  const bool is_indexed = !index.empty() && index.size() < indexed.size() &&
                          indexed[indexed.size() - index.size() - 1] == '-';
  return is_indexed ? RankOf(index) : std::nullopt;
}

// "[pod/llama-worker-3/pytorch] "
bool TakeKubectl(std::string_view& line, LinePrefix& prefix) {
  if (!line.starts_with("[pod/")) return false;
  const size_t end = line.substr(0, kMaxPrefixBytes).find("] ");
  if (end == line.npos) return false;
  std::string_view pod = line.substr(5, end - 5);
  pod = pod.substr(0, pod.find('/'));
  if (const auto rank = RankOfPod(pod)) prefix.rank = rank;
  line.remove_prefix(end + 2);
  return true;
}

// "  3: ": the task, right-justified to the width of the highest one.
bool TakeSrun(std::string_view& line, LinePrefix& prefix) {
  std::string_view rest = line;
  TakeSpaces(rest);
  size_t size = 0;
  while (size < rest.size() && IsDigit(rest[size])) ++size;
  if (!rest.substr(size).starts_with(": ")) return false;
  const auto rank = RankOf(rest.substr(0, size));
  if (!rank.has_value()) return false;
  prefix.rank = rank;
  prefix.is_rank_in_node = false;
  line = rest.substr(size + 2);
  return true;
}

// Requires a time zone, as container runtimes write it: times without one belong to the trainer's
// line.
bool TakeTimestamp(std::string_view& line, LinePrefix& prefix) {
  std::string_view rest = line;
  if (rest.size() < 20 || rest[4] != '-' || rest[10] != 'T') return false;
  const auto time_ms = TakeTime(rest, 0);
  const bool has_zone = rest.data() != line.data() && rest.data()[-1] == 'Z';
  if (!time_ms.has_value() || !has_zone || !TakePrefix(rest, " ")) return false;
  prefix.time_ms = time_ms;
  line = rest;
  return true;
}

bool TakePrefixOnce(std::string_view& line, LinePrefix& prefix) {
  if (!MayHavePrefix(line)) return false;
  if (line.front() == '[') {
    return TakeTorchrun(line, prefix) || TakeMpirun(line, prefix) || TakeKubectl(line, prefix);
  }
  return TakeSrun(line, prefix) || TakeTimestamp(line, prefix);
}

// The size of the terminal sequence at the front of `text`.
size_t SequenceBytes(std::string_view text) {
  if (text.size() < 2) return text.size();
  if (text[1] != '[') return 2;
  size_t i = 2;
  while (i < text.size() && (text[i] < '@' || text[i] > '~')) ++i;
  return std::min(text.size(), i + 1);
}

}  // namespace

LinePrefix TakeLinePrefixes(std::string_view& line) {
  LinePrefix prefix;
  for (int i = 0; i < kMaxPrefixes && TakePrefixOnce(line, prefix); ++i) {
  }
  return prefix;
}

std::string_view WithoutTerminalSequences(std::string_view line, std::string& buffer) {
  if (line.find(kEscape) == line.npos) return line;
  buffer.clear();
  while (!line.empty()) {
    const size_t escape = std::min(line.find(kEscape), line.size());
    buffer.append(line.substr(0, escape));
    line.remove_prefix(escape);
    if (!line.empty()) line.remove_prefix(SequenceBytes(line));
  }
  const size_t size = buffer.size();
  buffer.append(kBufferPadding, '\0');
  return std::string_view(buffer).substr(0, size);
}

}  // namespace lockstep::logs
