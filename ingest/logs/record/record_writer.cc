#include "ingest/logs/record/record_writer.h"

#include <cmath>
#include "ingest/logs/record/state_coding.h"

namespace lockstep::logs {
namespace {

int32_t RankNumber(const std::optional<int32_t>& rank) { return rank.value_or(-1); }

std::optional<int64_t> CountOf(double value) {
  constexpr double kMaxCount = 1e18;
  if (!(value >= 0 && value <= kMaxCount)) return std::nullopt;
  return static_cast<int64_t>(value);
}

}  // namespace

void RecordWriter::Begin(const LogLine& line, RecordKind kind) {
  // Field by field: assigning a whole record would write it twice.
  record_.offset = line.offset;
  record_.kind = kind;
  record_.is_continuation = false;
  record_.rank = line.rank.has_value() ? line.rank : hints_.rank;
  record_.step.reset();
  record_.consumed_samples.reset();
  record_.consumed_tokens.reset();
  record_.time_ms = line.time_ms;
  record_.job = {};
  record_.run = {};
  values_.clear();
  dropped_count_ = 0;
  label_count_ = 0;
  written_attempt_.reset();
}

void RecordWriter::set_attempt(int64_t attempt) {
  if (attempt >= 0 && attempt <= kMaxAttempts) written_attempt_ = static_cast<uint32_t>(attempt);
}

void RecordWriter::AddLabel(std::string_view name, std::string_view value) {
  if (label_count_ < labels_.size()) labels_[label_count_++] = {name, value};
}

void RecordWriter::Emit(RepeatedStep repeated) {
  const bool has_nan = ReviewValues();
  const int32_t rank = RankNumber(record_.rank);
  bool is_placed = false;
  if (record_.kind == RecordKind::kStep) {
    const auto axis = record_.step.has_value()               ? record_.step
                      : record_.consumed_samples.has_value() ? record_.consumed_samples
                                                             : record_.consumed_tokens;
    if (axis.has_value()) {
      const StepPlace place = attempts_.Place(rank, *axis, repeated);
      record_.attempt = place.attempt;
      record_.is_continuation = place.is_continuation;
      counts_.repeated_steps += place.is_repeated && !place.is_continuation ? 1 : 0;
      is_placed = true;
    }
  }
  if (!is_placed) record_.attempt = attempts_.attempt(rank);
  if (written_attempt_.has_value()) record_.attempt = *written_attempt_;
  if (record_.is_continuation && !record_.time_ms.has_value()) record_.time_ms = last_.time_ms;
  if (has_nan && record_.kind == RecordKind::kStep) EmitNanEvent();
  Hand();
}

void RecordWriter::EmitContinuation() {
  record_.kind = last_.kind;
  record_.is_continuation = true;
  record_.attempt = last_.attempt;
  record_.step = last_.step;
  record_.consumed_samples = last_.consumed_samples;
  record_.consumed_tokens = last_.consumed_tokens;
  if (!record_.time_ms.has_value()) record_.time_ms = last_.time_ms;
  Hand();
}

void RecordWriter::EmitEvent(const LogLine& line, std::string_view event, std::string_view text) {
  LogRecord record;
  record.offset = line.offset;
  record.kind = RecordKind::kEvent;
  record.rank = line.rank.has_value() ? line.rank : hints_.rank;
  record.attempt = attempts_.attempt(RankNumber(record.rank));
  record.step = last_.step;
  record.time_ms = line.time_ms;
  record.event = event;
  record.text = text.substr(0, kMaxKeptTextBytes);
  ++counts_.records[static_cast<size_t>(RecordKind::kEvent)];
  sink_.Take(record);
}

void RecordWriter::Restart(const LogLine& line) {
  attempts_.Restart(line.rank.value_or(AttemptTracker::kAllRanks));
}

bool RecordWriter::ReviewValues() {
  bool has_nan = false;
  for (const LogValue& value : values_) {
    has_nan = has_nan || std::isnan(value.value);
    if (value.key->axis == Axis::kNone) continue;
    const auto count = CountOf(value.key->InUnit(value.value));
    (value.key->axis == Axis::kSamples ? record_.consumed_samples : record_.consumed_tokens) =
        count;
  }
  return has_nan;
}

// Reports a step's first value that is not a number, if earlier ones were.
void RecordWriter::EmitNanEvent() {
  for (const LogValue& value : values_) {
    if (!std::isnan(value.value)) continue;
    LogRecord event = record_;
    event.kind = RecordKind::kEvent;
    event.is_continuation = false;
    event.event = "nan";
    event.text = value.key->written;
    ++counts_.records[static_cast<size_t>(RecordKind::kEvent)];
    sink_.Take(event);
    return;
  }
}

void RecordWriter::Hand() {
  record_.values = values_;
  record_.labels = std::span(labels_).first(label_count_);
  counts_.values += values_.size();
  CountDropped();
  if (!record_.is_continuation) ++counts_.records[static_cast<size_t>(record_.kind)];
  sink_.Take(record_);
  last_ = {record_.kind,
           record_.attempt,
           record_.step,
           record_.consumed_samples,
           record_.consumed_tokens,
           record_.time_ms};
}

void RecordWriter::AppendState(std::string& out) const {
  for (const uint64_t count : counts_.records) PutVarint64(out, count);
  PutVarint64(out, counts_.values);
  PutVarint64(out, counts_.repeated_steps);
  PutVarint64(out, counts_.dropped_values);
  attempts_.AppendState(out);
  PutVarint64(out, static_cast<uint64_t>(last_.kind));
  PutVarint64(out, last_.attempt);
  for (const auto& number :
       {last_.step, last_.consumed_samples, last_.consumed_tokens, last_.time_ms}) {
    PutOptional(out, number);
  }
}

bool RecordWriter::LoadState(std::string_view& in) {
  for (uint64_t& count : counts_.records) {
    if (!GetVarint64(in, count)) return false;
  }
  if (!GetVarint64(in, counts_.values) || !GetVarint64(in, counts_.repeated_steps) ||
      !GetVarint64(in, counts_.dropped_values) || !attempts_.LoadState(in) ||
      !GetBelow(in, kRecordKindCount, last_.kind) ||
      !GetBelow(in, uint64_t{1} << 32, last_.attempt)) {
    return false;
  }
  for (auto* number :
       {&last_.step, &last_.consumed_samples, &last_.consumed_tokens, &last_.time_ms}) {
    if (!GetOptional(in, *number)) return false;
  }
  return true;
}

}  // namespace lockstep::logs
