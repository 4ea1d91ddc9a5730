// RecordBatch: converts records of training artefacts to samples, in the same form as training
// logs:
//
//   NAME{job, run, rank, attempt, labels of the record}   value
//   lockstep_step{job, run, rank, attempt}                the step, at the same times
//
// Not thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "import/delivery/sample_times.h"
#include "import/traces/records/trace_record.h"
#include "ingest/logs/record/log_hints.h"
#include "model/labels.h"
#include "storage/write.h"

namespace lockstep::importer {

class RecordBatch {
 public:
  // `times` must outlive the batch. `time_ms` is for records without a time, and the start of
  // recordings without one.
  RecordBatch(SampleTimes& times, int64_t time_ms) : times_(times), time_ms_(time_ms) {}

  // `owner` provides the job, run and rank if the record has none.
  void Add(const logs::LogHints& owner, const traces::TraceRecord& record);

  size_t sample_count() const { return sample_count_; }
  const WriteRequest& request() const { return request_; }
  void Clear();

 private:
  void Append(LabelSet labels, Sample sample);

  SampleTimes& times_;
  const int64_t time_ms_;
  WriteRequest request_;
  absl::flat_hash_map<LabelSet, size_t> series_index_;  // into request_.series
  size_t sample_count_ = 0;
};

}  // namespace lockstep::importer
