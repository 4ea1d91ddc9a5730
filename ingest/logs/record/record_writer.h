// RecordWriter: builds records from what formats find, assigns attempts, and passes records on. For
// one thread.
//
// A format begins a record, adds values and emits it; beginning anew drops it. Nothing reaches the
// sink before it is emitted.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/logs/record/attempt_tracker.h"
#include "ingest/logs/record/key_cache.h"
#include "ingest/logs/record/log_hints.h"
#include "ingest/logs/record/log_record.h"

namespace lockstep::logs {

// A line without its prefixes, or a part of it between carriage returns. kBufferPadding bytes after
// it are readable.
struct LogLine {
  std::string_view text;
  uint64_t offset = 0;  // of the whole line in the stream
  std::optional<int32_t> rank = std::nullopt;
  std::optional<int64_t> time_ms = std::nullopt;  // timestamp from a container runtime
  bool follows_return = false;                    // comes after a carriage return
};

// Records by kind, excluding continuations.
struct RecordCounts {
  std::array<uint64_t, kRecordKindCount> records{};
  uint64_t values = 0;
  uint64_t repeated_steps = 0;  // already made by an earlier attempt
  uint64_t dropped_values = 0;  // over the limits of names or of values per record

  uint64_t of(RecordKind kind) const { return records[static_cast<size_t>(kind)]; }
};

class RecordWriter {
 public:
  // Both must outlive the writer.
  RecordWriter(const LogHints& hints, LogSink& sink)
      : hints_(hints), sink_(sink), attempts_(hints.attempt) {}

  const LogHints& hints() const { return hints_; }
  const RecordCounts& counts() const { return counts_; }

  void Begin(const LogLine& line, RecordKind kind);

  // These set fields of the current record. Texts must live until it is emitted.
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
  // Counts a dropped value of the current record.
  void CountDropped() {
    counts_.dropped_values += dropped_count_;
    dropped_count_ = 0;
  }
  // Emits a continuation of the previous record, with its step and time.
  void EmitContinuation();

  // Emits an event for `line`, independent of the current record.
  void EmitEvent(const LogLine& line, std::string_view event, std::string_view text);
  // Records that `line` starts a run.
  void Restart(const LogLine& line);

  // Appends counts, attempts, and the fields inherited by continuations, for a new writer
  // (docs/formats/kept.md).
  void AppendState(std::string& out) const;
  [[nodiscard]] bool LoadState(std::string_view& in);

 private:
  // Finds the step's samples and tokens; true if a value is not a number.
  bool ReviewValues();
  void EmitNanEvent();
  void Hand();

  const LogHints& hints_;
  LogSink& sink_;
  AttemptTracker attempts_;
  RecordCounts counts_;

  LogRecord record_;
  std::vector<LogValue> values_;
  uint64_t dropped_count_ = 0;  // of the current record
  std::array<RecordLabel, kMaxLabelsPerRecord> labels_;
  size_t label_count_ = 0;
  std::optional<uint32_t> written_attempt_;

  // The fields that continuations inherit.
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
