// Where formats put what they find: builds records, gives them their attempt, hands them on. For one thread.
//
// A format begins a record, adds what the line says and emits it; or it drops what it began by beginning
// anew. Nothing reaches the sink before it is emitted.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/logs/attempt_tracker.h"
#include "ingest/logs/key_cache.h"
#include "ingest/logs/log_hints.h"
#include "ingest/logs/log_record.h"

namespace lockstep::logs {

// A line without its prefixes, or the part of one between two carriage returns. kBufferPadding bytes behind it
// can be read.
struct LogLine {
  std::string_view text;
  uint64_t offset = 0;  // of the whole line in the stream
  std::optional<int32_t> rank = std::nullopt;
  std::optional<int64_t> time_ms = std::nullopt;  // when a container's runtime took it
  bool follows_return = false;                    // a carriage return stands before it in its line
};

// Records by kind, without continuations.
struct RecordCounts {
  std::array<uint64_t, kRecordKindCount> records{};
  uint64_t values = 0;
  uint64_t repeated_steps = 0;  // that an earlier attempt had made already
  uint64_t dropped_values = 0;  // over the limits of names and of values in a record

  uint64_t of(RecordKind kind) const { return records[static_cast<size_t>(kind)]; }
};

class RecordWriter {
 public:
  // Both outlive the writer.
  RecordWriter(const LogHints& hints, LogSink& sink)
      : hints_(hints), sink_(sink), attempts_(hints.attempt) {}

  const LogHints& hints() const { return hints_; }
  const RecordCounts& counts() const { return counts_; }

  void Begin(const LogLine& line, RecordKind kind);

  // Of the record that was begun. Texts live until it is emitted.
  void set_kind(RecordKind kind) { record_.kind = kind; }
  void set_step(int64_t step) { record_.step = step; }
  void set_samples(int64_t samples) { record_.consumed_samples = samples; }
  void set_time_ms(int64_t time_ms) { record_.time_ms = time_ms; }
  void set_rank(int32_t rank) { record_.rank = rank; }
  void set_attempt(int64_t attempt);
  void set_job(std::string_view job) { record_.job = job; }
  void set_run(std::string_view run) { record_.run = run; }
  void AddLabel(std::string_view name, std::string_view value);
  // A null key counts as dropped.
  void Add(const MetricKey* key, double value) {
    if (key == nullptr || values_.size() >= kMaxValuesPerRecord) {
      ++dropped_count_;
      return;
    }
    values_.push_back({key, value});
  }
  std::span<const LogValue> values() const { return values_; }
  bool has_step() const { return record_.step.has_value(); }
  std::optional<int64_t> time_ms() const { return record_.time_ms; }

  void Emit(RepeatedStep repeated = RepeatedStep::kContinues);
  // Counts in the record that was begun and is not emitted.
  void CountDropped() {
    counts_.dropped_values += dropped_count_;
    dropped_count_ = 0;
  }
  // As more of the record that was emitted last, with its step and time.
  void EmitContinuation();

  // An event on `line`, beside whatever record was begun.
  void EmitEvent(const LogLine& line, std::string_view event, std::string_view text);
  // `line` is one that only the start of a run writes.
  void Restart(const LogLine& line);

  // Counts, attempts, and what continuations have from the record before; for a writer that has written nothing
  // (docs/formats/kept.md).
  void AppendState(std::string& out) const;
  [[nodiscard]] bool LoadState(std::string_view& in);

 private:
  // Finds what else the step is counted in; true if a value is not a number.
  bool ReviewValues();
  void EmitNanEvent();
  void Hand();

  const LogHints& hints_;
  LogSink& sink_;
  AttemptTracker attempts_;
  RecordCounts counts_;

  LogRecord record_;
  std::vector<LogValue> values_;
  uint64_t dropped_count_ = 0;  // of the record that was begun
  std::array<RecordLabel, kMaxLabelsPerRecord> labels_;
  size_t label_count_ = 0;
  std::optional<uint32_t> written_attempt_;

  // What a record's continuations have from it.
  struct Place {
    RecordKind kind = RecordKind::kStep;
    uint32_t attempt = 0;
    std::optional<int64_t> step;
    std::optional<int64_t> consumed_samples;
    std::optional<int64_t> consumed_tokens;
    std::optional<int64_t> time_ms;
  };
  Place last_;
};

}  // namespace lockstep::logs
