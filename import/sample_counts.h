// SampleCounts: how many samples went into write requests, and of when. Not thread-safe.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "absl/container/flat_hash_set.h"
#include "absl/hash/hash.h"
#include "ingest/push/step_batch.h"
#include "model/labels.h"
#include "storage/storage.h"

namespace lockstep::importer {

class SampleCounts {
 public:
  void Add(const WriteRequest& request) {
    for (const SeriesWrite& series : request.series) Add(series);
  }

  uint64_t samples() const { return samples_; }
  uint64_t series() const { return series_.size(); }
  uint64_t steps() const { return steps_; }  // samples of push::kStepMetric
  std::optional<int64_t> first_ms() const { return first_ms_; }
  std::optional<int64_t> last_ms() const { return last_ms_; }

 private:
  void Add(const SeriesWrite& series) {
    series_.insert(absl::Hash<LabelSet>()(series.labels));
    const uint64_t count = series.samples.size() + series.histograms.size();
    samples_ += count;
    if (series.labels.metric_name() == push::kStepMetric) steps_ += count;
    for (const Sample& sample : series.samples) TakeTime(sample.timestamp_ms);
    for (const HistogramSample& sample : series.histograms) TakeTime(sample.timestamp_ms);
  }
  void TakeTime(int64_t time_ms) {
    first_ms_ = std::min(first_ms_.value_or(time_ms), time_ms);
    last_ms_ = std::max(last_ms_.value_or(time_ms), time_ms);
  }

  uint64_t samples_ = 0;
  uint64_t steps_ = 0;
  absl::flat_hash_set<uint64_t> series_;  // hashes of their labels
  std::optional<int64_t> first_ms_;
  std::optional<int64_t> last_ms_;
};

}  // namespace lockstep::importer
