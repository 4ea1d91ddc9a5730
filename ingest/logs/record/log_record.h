// The parsed content of training logs: records of named values.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lockstep::logs {

// The role of a name that is more than a plain number.
enum class KeyRole : uint8_t {
  kValue,
  kStep,
  kTime,  // Unix seconds, or milli-, micro- or nanoseconds by size; or text
  kRank,
  kAttempt,
  kJob,
  kRun,
  kLabel,      // text that distinguishes records: MetricKey::name is the label name
  kEventText,  // the text of an event
  kNothing     // redundant
};

// How to distinguish two units written under one name.
enum class Fold : uint8_t {
  kNone,
  kPercentOrRatio,    // above 1.5: percent
  kMebibytesOrBytes,  // below a million: MiB
};

// Other units of a step.
enum class Axis : uint8_t { kNone, kSamples, kTokens };

// A name as written in one stream, and its meaning. Lives as long as the stream's parser; two
// values of a stream have the same name exactly if their keys have the same address.
struct MetricKey {
  std::string written;  // nested names are joined by '.'
  std::string name;     // from the catalogue, otherwise derived from `written`
  bool is_known = false;
  KeyRole role = KeyRole::kValue;
  uint8_t step_precedence = 0;  // the step with the highest precedence wins
  Fold fold = Fold::kNone;
  Axis axis = Axis::kNone;
  std::string unit;  // of `name`; "" if unknown
  // The written value times `multiplier` and divided by the divisor is in `unit`. Powers of ten are
  // divisors, to round only once.
  double multiplier = 1;
  double divisor = 1;
  std::vector<std::pair<std::string, std::string>> labels;  // part of `name`: phase="optimizer"

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
  kStep,         // one training step
  kEvaluation,   // on held-out data
  kSummary,      // the whole run, at its end
  kMeasurement,  // at a moment: device counters, a collective, a report about ranks
  kEvent,        // described by `event` and `text`
};
inline constexpr size_t kRecordKindCount = 5;

// Views are valid until LogSink::Take() returns, the keys of `values` as long as the parser.
struct LogRecord {
  uint64_t offset = 0;  // of its line in the stream
  RecordKind kind = RecordKind::kStep;
  // Continues the previous record: other lines of the same step or report.
  bool is_continuation = false;
  std::optional<int32_t> rank;
  uint32_t attempt = 0;
  std::optional<int64_t> step;
  std::optional<int64_t> consumed_samples;
  std::optional<int64_t> consumed_tokens;
  std::optional<int64_t> time_ms;
  std::string_view job;  // "" if not in the line
  std::string_view run;
  std::span<const LogValue> values;
  std::span<const RecordLabel> labels;
  std::string_view event;  // "launch", "checkpoint_loaded", ...
  std::string_view text;   // of the event, clipped
};

// Receives a stream's records in order.
class LogSink {
 public:
  virtual ~LogSink() = default;
  virtual void Take(const LogRecord& record) = 0;
};

}  // namespace lockstep::logs
