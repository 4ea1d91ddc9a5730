// A simulated fleet: every GPU plays one of the recorded ones, each from a different moment, and
// continues with the next recording where one ends. So no series repeats itself within
// unique_point_count() points.
//
// With churn, every `churn_every` points one host in kChurnShare, a different one each time, is
// given to new pods and new devices: all its series end, and as many new ones begin. A series'
// generation counts how often that happened to it.
#pragma once

#include <cstdint>
#include <vector>

#include "bench/replay/recording.h"
#include "model/labels.h"
#include "model/sample.h"

namespace lockstep::replay {

inline constexpr size_t kChurnShare = 8;

struct FleetOptions {
  uint32_t gpu_count = 0;
  int64_t start_ms = 0;
  int64_t interval_ms = 15'000;
  uint32_t churn_every = 0;  // in points; 0: never
};

// Immutable. Series are numbered GPU by GPU, with the metrics of one GPU adjacent.
class Fleet {
 public:
  // `recording` must not be empty.
  Fleet(std::vector<RecordedGpu> recording, FleetOptions options);

  // The number of series at any one time.
  size_t series_count() const { return options_.gpu_count * metric_count_; }
  // The number of series with a sample among the first `point_count` points.
  uint64_t TotalSeriesCount(size_t point_count) const;
  size_t unique_point_count() const { return point_count_ * recording_.size(); }
  int64_t interval_ms() const { return options_.interval_ms; }

  // The host that a series belongs to: eight GPUs share one.
  size_t host_of(size_t series) const;
  uint32_t GenerationAt(size_t series, size_t point) const;
  LabelSet Labels(size_t series, uint32_t generation) const;
  // Each host is scraped at its own moment within the interval.
  Sample At(size_t series, size_t point) const;

 private:
  size_t gpu_of(size_t series) const { return series / metric_count_; }
  const RecordedMetric& Played(size_t gpu, size_t metric) const {
    return recording_[gpu % recording_.size()].metrics[metric];
  }
  // The growth of a counter in the first `rounds` recordings that `gpu` plays.
  double Growth(size_t gpu, size_t metric, size_t rounds) const;

  const std::vector<RecordedGpu> recording_;
  const FleetOptions options_;
  const size_t metric_count_;
  const size_t point_count_;  // of the shortest recording; how many points of each are played
};

}  // namespace lockstep::replay
