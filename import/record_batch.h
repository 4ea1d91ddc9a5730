// RecordBatch: records of training artefacts to samples, in the shape that training logs are stored in:
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
#include "import/sample_times.h"
#include "import/traces/trace_record.h"
#include "ingest/logs/log_hints.h"
#include "model/labels.h"
#include "storage/storage.h"

namespace lockstep::importer {

class RecordBatch {
 public:
  // `times` outlive the batch; `time_ms` is that of records without one, and where recordings begin that say
  // no time.
  RecordBatch(SampleTimes& times, int64_t time_ms) : times_(times), time_ms_(time_ms) {}

  // `owner` names the job, the run and the rank, where the record does not.
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
