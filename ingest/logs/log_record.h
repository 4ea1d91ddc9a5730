// What a training log comes to: records of named values.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lockstep::logs {

// What else a name says than that a number follows.
enum class KeyRole : uint8_t {
  kValue,
  kStep,
  kTime,  // seconds, or by its size milli-, micro- or nanoseconds, since 1970; or text
  kRank,
  kAttempt,
  kJob,
  kRun,
  kLabel,      // text that tells this record from others: MetricKey::name is the label's
  kEventText,  // of an event: what happened
  kNothing     // says nothing new
};

// How numbers are told apart that are written under one name in two units.
enum class Fold : uint8_t {
  kNone,
  kPercentOrRatio,    // above 1.5: percent
  kMebibytesOrBytes,  // below a million: MiB
};

// What else a step can be counted in.
enum class Axis : uint8_t { kNone, kSamples, kTokens };

// A name as one stream writes it, and what it means. Lives as long as the stream's parser; two values of one
// stream have the same name exactly if they have the same address of this.
struct MetricKey {
  std::string written;  // members of objects joined by '.'
  std::string name;     // the catalogue's, else `written` made a metric name of
  bool is_known = false;
  KeyRole role = KeyRole::kValue;
  uint8_t step_precedence = 0;  // of several steps in one record the highest counts
  Fold fold = Fold::kNone;
  Axis axis = Axis::kNone;
  std::string unit;  // of `name`; "" where it is not known
  // What is written, times this and by that, is in `unit`. Powers of ten are divided by, which rounds once.
  double multiplier = 1;
  double divisor = 1;
  std::vector<std::pair<std::string, std::string>>
      labels;  // that belong to `name`: phase="optimizer"

  double InUnit(double written_value) const {
    if (fold == Fold::kPercentOrRatio && written_value > 1.5) return written_value / 100;
    if (fold == Fold::kMebibytesOrBytes && written_value < 1e6) return written_value * 1048576;
    return written_value * multiplier / divisor;
  }
};

struct LogValue {
  const MetricKey* key;
  double value;  // as written
};

struct RecordLabel {
  std::string_view name;
  std::string_view value;
};

enum class RecordKind : uint8_t {
  kStep,         // of one training step
  kEvaluation,   // on held-out data
  kSummary,      // of the whole run, at its end
  kMeasurement,  // of a moment: device counters, one collective, a report on ranks
  kEvent,        // something happened: `event` and `text` say what
};
inline constexpr size_t kRecordKindCount = 5;

// Views in it live until LogSink::Take() returns, `values`' keys as long as the parser.
struct LogRecord {
  uint64_t offset = 0;  // of its line in the stream
  RecordKind kind = RecordKind::kStep;
  // More of the record before: other lines of the same step or report.
  bool is_continuation = false;
  std::optional<int32_t> rank;
  uint32_t attempt = 0;
  std::optional<int64_t> step;
  std::optional<int64_t> consumed_samples;
  std::optional<int64_t> consumed_tokens;
  std::optional<int64_t> time_ms;
  std::string_view job;  // "": the line does not say
  std::string_view run;
  std::span<const LogValue> values;
  std::span<const RecordLabel> labels;
  std::string_view event;  // "launch", "checkpoint_loaded", ...
  std::string_view text;   // the event's, clipped
};

// Takes a stream's records in its order.
class LogSink {
 public:
  virtual ~LogSink() = default;
  virtual void Take(const LogRecord& record) = 0;
};

}  // namespace lockstep::logs
