// StepBatch: converts records of a training log to samples.
//
// A value becomes a sample of the series {__name__ = the metric's name, job, run, rank, attempt,
// and the labels of the metric and the record}, in the metric's unit, at the record's time; unknown
// labels are omitted. Each record with a step also yields a sample of lockstep_step{job, run, rank,
// attempt} with the step number at the same time, to join steps and times. Consecutive steps of
// such a series never share a time, nor do values of a series without steps. An event is a sample
// of lockstep_event{event, ...}: 1.
//
// Remembers series across requests. For one thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "base/budget/memory_budget.h"
#include "base/string_map.h"
#include "ingest/logs/record/log_hints.h"
#include "ingest/logs/record/log_record.h"
#include "ingest/push/step_times.h"
#include "ingest/write/label_check.h"
#include "ingest/write/limits.h"
#include "ingest/write/refusals.h"
#include "storage/write.h"

namespace lockstep::push {

inline constexpr std::string_view kStepMetric = "lockstep_step";
inline constexpr std::string_view kEventMetric = "lockstep_event";

class StepBatch : public logs::LogSink {
 public:
  // Both must outlive the batch. `hints` provide the job, run and rank of records without them.
  StepBatch(const logs::LogHints& hints, const IngestLimits& limits)
      : hints_(hints), limits_(limits) {}
  StepBatch(const StepBatch&) = delete;
  StepBatch& operator=(const StepBatch&) = delete;

  // The arrival time of the bytes parsed next.
  void set_arrival_ms(int64_t arrival_ms) { clock_.set_arrival_ms(arrival_ms); }

  void Take(const logs::LogRecord& record) override;

  // The samples since the last call.
  WriteRequest TakeRequest();
  // The refused values since the last call.
  Refusals TakeRefusals();

  // Appends the state that later records need, their times, for a new batch (docs/formats/kept.md).
  void AppendState(std::string& out) const;
  [[nodiscard]] bool LoadState(std::string_view& in);

 private:
  // A series: its labels, and its position in the current request.
  struct Series {
    LabelSet labels;
    size_t index = 0;
    uint64_t request = 0;  // the request that `index` refers to
    std::optional<BadLabels> refusal;
    // The last value without a step: with the log's time, and as stored.
    std::optional<Sample> last_logged;
    int64_t last_stored_ms = 0;
  };
  // A set of record labels: all labels except the metric's own.
  struct Owner {
    std::vector<std::pair<std::string, std::string>> labels;
    // Two names in a log may mean the same metric.
    absl::flat_hash_map<const logs::MetricKey*, Series*> by_key;
    absl::flat_hash_map<LabelSet, std::unique_ptr<Series>> by_labels;
    Series* steps = nullptr;
    StepSpacing step_times;
    StringMap<Series*> events;
  };

  // The time of `record` in the series of `owner`.
  int64_t TimeOf(const logs::LogRecord& record, Owner& owner);
  // Null if refused: last_refusal_ says why.
  Owner* OwnerOf(const logs::LogRecord& record);
  std::optional<BadLabels> RefusalOf(const logs::LogRecord& record) const;
  void RefuseRecord(const logs::LogRecord& record);
  // Whether there is memory for a series or an owner with that many bytes of labels.
  bool TakeMemory(size_t label_bytes);
  void DescribeOwner(const logs::LogRecord& record);
  Owner MakeOwner(const logs::LogRecord& record) const;
  void Add(Series& series, Sample sample);
  // The time of a value without a step: after earlier values of the series.
  static int64_t FreeTimeOf(Series& series, Sample logged);
  void AddValue(Owner& owner, const logs::LogValue& value, int64_t time_ms, bool has_step);
  // Refuses a value for lack of memory for its series.
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
  MemoryCharge memory_{MemoryAccount::kStreams};  // for owners and series
  uint64_t request_number_ = 1;
  WriteRequest request_;
  Refusals refusals_;
};

}  // namespace lockstep::push
