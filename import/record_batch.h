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
#include "import/traces/trace_record.h"
#include "ingest/logs/log_hints.h"
#include "model/labels.h"
#include "storage/storage.h"

namespace lockstep::importer {

class RecordBatch {
 public:
  // The hints name the job, the run and the rank of records that do not, and outlive the batch; `time_ms` is
  // that of records without one, and where recordings begin that say no time.
  RecordBatch(const logs::LogHints& hints, int64_t time_ms) : hints_(hints), time_ms_(time_ms) {}

  void Add(const traces::TraceRecord& record);

  size_t sample_count() const { return sample_count_; }
  const WriteRequest& request() const { return request_; }
  void Clear();

 private:
  LabelSet LabelsOf(std::string_view name, const traces::TraceRecord& record, bool with_own) const;
  void Append(LabelSet labels, Sample sample);

  const logs::LogHints& hints_;
  const int64_t time_ms_;
  WriteRequest request_;
  absl::flat_hash_map<LabelSet, size_t> series_index_;  // into request_.series
  size_t sample_count_ = 0;
};

}  // namespace lockstep::importer
