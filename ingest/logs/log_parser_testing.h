// For tests and fuzzers: a stream's records as text, one per line.
#pragma once

#include <string>
#include <string_view>

#include "absl/strings/str_format.h"
#include "base/check.h"
#include "base/text/float_format.h"
#include "ingest/logs/log_parser.h"

namespace lockstep::logs {

inline std::string_view KindName(RecordKind kind) {
  constexpr std::string_view kNames[] = {"step", "evaluation", "summary", "measurement", "event"};
  return kNames[static_cast<size_t>(kind)];
}

// "step rank=3 step=10 time=1772442948730 train_loss=1.5", with units and labels as stored; a
// leading '+' marks a continuation of the previous record.
inline std::string RecordText(const LogRecord& record) {
  std::string text = record.is_continuation ? "+" : "";
  text.append(KindName(record.kind));
  if (record.rank.has_value()) absl::StrAppendFormat(&text, " rank=%d", *record.rank);
  if (record.attempt > 0) absl::StrAppendFormat(&text, " attempt=%d", record.attempt);
  if (record.step.has_value()) absl::StrAppendFormat(&text, " step=%d", *record.step);
  if (record.consumed_samples.has_value()) {
    absl::StrAppendFormat(&text, " samples=%d", *record.consumed_samples);
  }
  if (record.time_ms.has_value()) absl::StrAppendFormat(&text, " time=%d", *record.time_ms);
  if (record.kind == RecordKind::kEvent) {
    return text.append(" ").append(record.event).append(": ").append(record.text);
  }
  if (!record.run.empty()) absl::StrAppendFormat(&text, " run=%s", record.run);
  for (const RecordLabel& label : record.labels) {
    absl::StrAppendFormat(&text, " %s=%s", label.name, label.value);
  }
  for (const LogValue& value : record.values) {
    absl::StrAppendFormat(&text, " %s", value.key->name);
    for (const auto& [name, label] : value.key->labels) {
      absl::StrAppendFormat(&text, "{%s=%s}", name, label);
    }
    text.append("=").append(FormatShortValue(value.key->InUnit(value.value)));
  }
  return text;
}

class TextSink : public LogSink {
 public:
  void Take(const LogRecord& record) override { text_.append(RecordText(record)).append("\n"); }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

// The result of parsing a whole stream.
struct ParsedLog {
  std::string records;
  std::string rejections;  // one "2 @17: reason" per line
  std::string format;
  LogCounts counts;

  bool operator==(const ParsedLog& other) const {
    return records == other.records && rejections == other.rejections && format == other.format &&
           counts.lines == other.counts.lines && counts.ignored == other.counts.ignored &&
           counts.rejected == other.counts.rejected;
  }
};

// `next_size` returns the length of the next slice.
template <typename NextSize>
ParsedLog ParseInSlices(std::string_view bytes, const LogHints& hints, const NextSize& next_size) {
  TextSink sink;
  auto parser = LogParser::New(hints, sink);
  LOCKSTEP_CHECK(parser.ok());
  while (!bytes.empty()) {
    const std::string_view slice = bytes.substr(0, next_size());
    bytes.remove_prefix(slice.size());
    (*parser)->Feed(slice);
  }
  (*parser)->Finish();
  ParsedLog parsed = {sink.text(), "", std::string((*parser)->format_name()), (*parser)->counts()};
  for (const RejectedLine& line : (*parser)->TakeRejections()) {
    absl::StrAppendFormat(&parsed.rejections, "%d @%d: %s\n", line.number, line.offset,
                          line.reason);
  }
  return parsed;
}

inline ParsedLog ParseLog(std::string_view bytes, const LogHints& hints = {}) {
  return ParseInSlices(bytes, hints, [] { return std::string_view::npos; });
}

// With the format given, not found out.
inline ParsedLog ParseLogAs(std::string_view format, std::string_view bytes) {
  LogHints hints;
  hints.format = format;
  return ParseLog(bytes, hints);
}

}  // namespace lockstep::logs
