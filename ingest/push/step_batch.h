// StepBatch: records of a training log to samples of series.
//
// A value becomes a sample of the series {__name__ = its metric's name, job, run, rank, attempt, and the labels of
// the metric and of the record}, in the metric's unit, at the record's time; labels that are not known are left
// out. Beside each record with a step stands a sample of lockstep_step{job, run, rank, attempt}: the step, at the
// same time, so that steps and times can be joined. No two steps of one such series in a row have the same time, and
// no two values of a series without steps. An event is a sample of lockstep_event{event, ...}: 1.
//
// Series are remembered from one request to the next. For one thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "base/memory_budget.h"
#include "base/string_map.h"
#include "ingest/label_check.h"
#include "ingest/limits.h"
#include "ingest/logs/log_hints.h"
#include "ingest/logs/log_record.h"
#include "ingest/push/step_clock.h"
#include "ingest/push/step_spacing.h"
#include "ingest/refusals.h"
#include "storage/storage.h"

namespace lockstep::push {

inline constexpr std::string_view kStepMetric = "lockstep_step";
inline constexpr std::string_view kEventMetric = "lockstep_event";

class StepBatch : public logs::LogSink {
 public:
  // Both outlive the batch. `hints` name the job, the run and the rank of records that do not.
  StepBatch(const logs::LogHints& hints, const IngestLimits& limits)
      : hints_(hints), limits_(limits) {}
  StepBatch(const StepBatch&) = delete;
  StepBatch& operator=(const StepBatch&) = delete;

  // When the bytes that are parsed next arrived.
  void set_arrival_ms(int64_t arrival_ms) { clock_.set_arrival_ms(arrival_ms); }

  void Take(const logs::LogRecord& record) override;

  // What was taken since the last call.
  WriteRequest TakeRequest();
  // Values of series that cannot be, likewise.
  Refusals TakeRefusals();

  // What later records need of those before: their times. For a batch that has taken nothing (docs/formats/kept.md).
  void AppendState(std::string& out) const;
  [[nodiscard]] bool LoadState(std::string_view& in);

 private:
  // A series: its labels, and where it is in the request that is put together.
  struct Series {
    LabelSet labels;
    size_t index = 0;
    uint64_t request = 0;  // that `index` counts in
    std::optional<BadLabels> refusal;
    // The last value that belongs to no step: as the log has its time, and as it is stored.
    std::optional<Sample> last_logged;
    int64_t last_stored_ms = 0;
  };
  // Who records are of: all labels but the metric's own.
  struct Owner {
    std::vector<std::pair<std::string, std::string>> labels;
    // Two names in a log may mean one metric.
    absl::flat_hash_map<const logs::MetricKey*, Series*> by_key;
    absl::flat_hash_map<LabelSet, std::unique_ptr<Series>> by_labels;
    Series* steps = nullptr;
    StepSpacing step_times;
    StringMap<Series*> events;
  };

  // When `record` was, for the series of `owner`.
  int64_t TimeOf(const logs::LogRecord& record, Owner& owner);
  // Null if it can be none: last_refusal_ says why.
  Owner* OwnerOf(const logs::LogRecord& record);
  std::optional<BadLabels> RefusalOf(const logs::LogRecord& record) const;
  void RefuseRecord(const logs::LogRecord& record);
  // Whether there is memory for a series or an owner with so many bytes of labels.
  bool TakeMemory(size_t label_bytes);
  void DescribeOwner(const logs::LogRecord& record);
  Owner MakeOwner(const logs::LogRecord& record) const;
  void Add(Series& series, Sample sample);
  // Where a value that belongs to no step goes: behind those before it in the series.
  static int64_t FreeTimeOf(Series& series, Sample logged);
  void AddValue(Owner& owner, const logs::LogValue& value, int64_t time_ms, bool has_step);
  // Of a value whose series there is no memory for.
  void RefuseValue(std::string_view name);
  // The owner's series of this metric; null if there is no memory for it.
  Series* FindSeries(Owner& owner, std::string_view name,
                     const std::vector<std::pair<std::string, std::string>>& labels);

  const logs::LogHints& hints_;
  const IngestLimits& limits_;
  StepClock clock_;
  StringMap<std::unique_ptr<Owner>> owners_;
  BadLabels last_refusal_{};
  Owner* last_owner_ = nullptr;
  std::string last_owner_text_;
  std::string owner_text_;  // reused
  size_t series_count_ = 0;
  MemoryCharge memory_{MemoryAccount::kStreams};  // of owners and series
  uint64_t request_number_ = 1;
  WriteRequest request_;
  Refusals refusals_;
};

}  // namespace lockstep::push
