#include "ingest/logs/log_parser.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_format.h"
#include "ingest/logs/line_prefix.h"
#include "ingest/logs/log_events.h"
#include "ingest/logs/record/log_limits.h"
#include "ingest/logs/record/state_coding.h"
#include "ingest/logs/text/line_time.h"
#include "ingest/logs/text/number_text.h"

namespace lockstep::logs {
namespace {

// Formats whose lines also appear in other logs: NCCL's, and a configuration printed as JSON.
bool IsWeak(const LogFormatKind& kind) { return kind.name == "nccl" || kind.name == "jsonl"; }

// After this many records, or one with a step, JSON lines are no longer mistaken for a
// configuration.
constexpr uint64_t kSureRecords = 16;

// "[2026-03-02 09:15:48] ...", "2026-03-02 09:15:48,125 ...", "[titan] 2026-03-02 ..."
std::optional<int64_t> TimeInFront(std::string_view text, int32_t utc_offset_s) {
  TakeSpaces(text);
  TakePrefix(text, "[titan] ");
  TakePrefix(text, "[");
  return TakeTime(text, utc_offset_s);
}

}  // namespace

absl::StatusOr<std::unique_ptr<LogParser>> LogParser::New(LogHints hints, LogSink& sink) {
  const LogFormatKind* kind = nullptr;
  if (!hints.format.empty()) {
    kind = LogFormatByName(hints.format);
    if (kind == nullptr) {
      return absl::InvalidArgumentError(
          absl::StrFormat("unknown training log format \"%s\"", hints.format));
    }
  }
  std::unique_ptr<LogParser> parser(new LogParser(std::move(hints), sink));
  if (kind != nullptr) parser->Use(*kind);
  return parser;
}

LogParser::LogParser(LogHints hints, LogSink& sink)
    : hints_(std::move(hints)), out_(hints_, sink), buffer_(0) {}

std::string_view LogParser::format_name() const {
  return kind_ == nullptr ? std::string_view() : kind_->name;
}

size_t LogParser::held_bytes() const {
  return buffer_.capacity() + (format_ == nullptr ? 0 : format_->held_bytes());
}

LogCounts LogParser::counts() const {
  LogCounts counts = counts_;
  counts.records = out_.counts();
  return counts;
}

void LogParser::Feed(std::string_view bytes) {
  counts_.bytes += bytes.size();
  while (!bytes.empty()) {
    const std::string_view piece = bytes.substr(0, kReadBytes);
    bytes.remove_prefix(piece.size());
    buffer_.Append(piece);
    FindFormat();
    ParseLines();
  }
}

void LogParser::Finish() {
  if (is_sniffing_) {
    if (const auto rest = buffer_.Rest()) {
      ForEachPart(*rest, [this](std::string_view text, bool) {
        if (is_sniffing_ && ShowsFormat(text)) is_sniffing_ = false;
      });
    }
    is_sniffing_ = false;
    buffer_.Rewind();
  }
  ParseLines();
  if (const auto rest = buffer_.Rest()) ParseLine(*rest);
  buffer_.Drop();
  if (format_ != nullptr) format_->Finish(out_);
}

bool LogParser::AppendState(std::string& out) const {
  const std::optional<LineBuffer::Held> held = buffer_.held();
  if (!held.has_value()) return false;
  PutLengthPrefixed(out, is_sniffing_ ? "" : format_name());
  for (const bool flag : {is_sniffing_, may_change_, has_seen_line_})
    PutVarint64(out, flag ? 1 : 0);
  PutVarint64(out, held->offset);
  PutLengthPrefixed(out, held->bytes);
  // Lines that wait for their format have no state yet.
  if (is_sniffing_) return true;
  for (const uint64_t count : {counts_.bytes, counts_.lines, counts_.ignored, counts_.rejected}) {
    PutVarint64(out, count);
  }
  out_.AppendState(out);
  return format_ == nullptr || format_->AppendState(out);
}

bool LogParser::LoadState(std::string_view in) {
  std::string_view name, held;
  bool is_sniffing = false, may_change = false, has_seen_line = false;
  uint64_t offset = 0;
  if (!GetLengthPrefixed(in, name) || !GetFlag(in, is_sniffing) || !GetFlag(in, may_change) ||
      !GetFlag(in, has_seen_line) || !GetVarint64(in, offset) || !GetLengthPrefixed(in, held)) {
    return false;
  }
  if (is_sniffing) {
    if (offset != 0 || !in.empty()) return false;
    Feed(held);
    return true;
  }
  for (uint64_t* count : {&counts_.bytes, &counts_.lines, &counts_.ignored, &counts_.rejected}) {
    if (!GetVarint64(in, *count)) return false;
  }
  if (!out_.LoadState(in)) return false;
  if (!name.empty()) {
    const LogFormatKind* kind = LogFormatByName(name);
    if (kind == nullptr) return false;
    Use(*kind);
    if (!format_->LoadState(in, out_)) return false;
  }
  is_sniffing_ = false;
  may_change_ = may_change;
  has_seen_line_ = has_seen_line;
  buffer_ = LineBuffer(offset);
  for (; !held.empty(); held.remove_prefix(std::min(held.size(), kReadBytes))) {
    buffer_.Append(held.substr(0, kReadBytes));
  }
  return in.empty();
}

// Lines wait in the buffer until one reveals the format.
void LogParser::FindFormat() {
  if (!is_sniffing_) return;
  while (const auto line = buffer_.Next()) {
    ++sniffed_lines_;
    ForEachPart(*line, [this](std::string_view text, bool) {
      if (is_sniffing_ && ShowsFormat(text)) is_sniffing_ = false;
    });
    const bool is_over =
        sniffed_lines_ >= kMaxSniffedLines || buffer_.held_bytes() >= kMaxSniffedBytes;
    if (is_over || line->is_too_long) is_sniffing_ = false;
    if (!is_sniffing_) break;
  }
  if (!is_sniffing_) buffer_.Rewind();
}

// Called once per line, in stream order.
bool LogParser::ShowsFormat(std::string_view line) {
  TakeLinePrefixes(line);
  if (Trim(line).empty()) return false;
  const bool is_first = !std::exchange(has_seen_line_, true);
  const LogFormatKind* kind = LogFormatOfLine(line, is_first);
  if (kind == nullptr || kind == kind_) return false;
  if (kind_ != nullptr && IsWeak(*kind)) return false;
  Use(*kind);
  return true;
}

void LogParser::Use(const LogFormatKind& kind) {
  if (format_ != nullptr) format_->Finish(out_);
  kind_ = &kind;
  format_ = kind.make();
  is_sniffing_ = false;
  may_change_ = hints_.format.empty() && IsWeak(kind);
}

void LogParser::ParseLines() {
  if (is_sniffing_) return;
  while (const auto line = buffer_.Next()) {
    ParseLine(*line);
    buffer_.Drop();
  }
}

template <typename Visit>
void LogParser::ForEachPart(const RawLine& raw, const Visit& visit) {
  std::string_view line = raw.text;
  if (!raw.has_controls) {
    visit(line, false);
    return;
  }
  bool follows_return = false;
  while (true) {
    const size_t end = std::min(line.find('\r'), line.size());
    if (end > 0) visit(WithoutTerminalSequences(line.substr(0, end), clean_), follows_return);
    if (end == line.size()) return;
    line.remove_prefix(end + 1);
    follows_return = true;
  }
}

void LogParser::ParseLine(const RawLine& line) {
  ++counts_.lines;
  if (line.is_too_long) {
    Reject({line.text, line.offset}, "the line is longer than 1 MiB");
    return;
  }
  ForEachPart(line, [this, &line](std::string_view text, bool follows_return) {
    LogLine part{text, line.offset};
    part.follows_return = follows_return;
    ParsePart(part);
  });
}

void LogParser::ParsePart(LogLine& line) {
  if (MayHavePrefix(line.text)) TakePrefixes(line);
  if (may_change_) ReviewFormat(line.text);
  const LineVerdict verdict = format_ == nullptr ? kIgnored : format_->Parse(line, out_);
  if (verdict.fate != LineFate::kTaken) TakeOther(line, verdict);
}

void LogParser::TakePrefixes(LogLine& line) const {
  const LinePrefix prefix = TakeLinePrefixes(line.text);
  line.time_ms = prefix.time_ms;
  if (prefix.rank.has_value()) {
    line.rank = *prefix.rank + (prefix.is_rank_in_node ? hints_.first_rank : 0);
  }
}

void LogParser::ReviewFormat(std::string_view line) {
  const RecordCounts& counts = out_.counts();
  const bool is_sure =
      counts.of(RecordKind::kStep) > 0 || counts.of(RecordKind::kMeasurement) >= kSureRecords;
  if (kind_ != nullptr && kind_->name == "jsonl" && is_sure) {
    may_change_ = false;
  } else {
    ShowsFormat(line);
  }
}

void LogParser::TakeOther(const LogLine& line, const LineVerdict& verdict) {
  if (TakeEvent(line)) return;
  if (verdict.fate == LineFate::kRejected) {
    Reject(line, verdict.reason);
  } else {
    ++counts_.ignored;
  }
}

bool LogParser::TakeEvent(const LogLine& line) {
  const auto event = EventOf(line.text);
  if (!event.has_value()) return false;
  if (event->is_restart) out_.Restart(line);
  LogLine timed = line;
  if (!timed.time_ms.has_value()) timed.time_ms = TimeInFront(line.text, hints_.utc_offset_s);
  out_.EmitEvent(timed, event->name, Trim(line.text));
  return true;
}

void LogParser::Reject(const LogLine& line, std::string_view reason) {
  ++counts_.rejected;
  if (rejections_.size() >= kMaxKeptRejections) return;
  rejections_.push_back(
      {counts_.lines, line.offset, reason, std::string(line.text.substr(0, kMaxKeptTextBytes))});
}

}  // namespace lockstep::logs
