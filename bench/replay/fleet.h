// A fleet of GPUs that never was: every GPU plays one of the recorded ones, each from another moment
// on, and where a recording ends it goes on with the next one. So no series repeats itself within
// unique_point_count() points.
//
// With churn, every `churn_every` points one host in kChurnShare, each time another, is given to new
// pods and new devices: all its series end, and as many new ones begin. How often that happened to a
// series is its generation.
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
  uint32_t churn_every = 0;  // points; 0 is never
};

// Immutable. Series are numbered GPU by GPU, the metrics of one GPU side by side.
class Fleet {
 public:
  // `recording` is not empty.
  Fleet(std::vector<RecordedGpu> recording, FleetOptions options);

  // Series at any one time.
  size_t series_count() const { return options_.gpu_count * metric_count_; }
  // All series that have a sample among the first `point_count` points.
  uint64_t TotalSeriesCount(size_t point_count) const;
  size_t unique_point_count() const { return point_count_ * recording_.size(); }
  int64_t interval_ms() const { return options_.interval_ms; }

  // The host that a series belongs to: eight GPUs share one.
  size_t host_of(size_t series) const;
  uint32_t GenerationAt(size_t series, size_t point) const;
  LabelSet Labels(size_t series, uint32_t generation) const;
  // Each host is scraped at a moment of its own within the interval.
  Sample At(size_t series, size_t point) const;

 private:
  size_t gpu_of(size_t series) const { return series / metric_count_; }
  const RecordedMetric& Played(size_t gpu, size_t metric) const {
    return recording_[gpu % recording_.size()].metrics[metric];
  }
  // How much a counter grows in the first `rounds` recordings that `gpu` plays.
  double Growth(size_t gpu, size_t metric, size_t rounds) const;

  const std::vector<RecordedGpu> recording_;
  const FleetOptions options_;
  const size_t metric_count_;
  const size_t point_count_;  // of the shortest recording; of every one so many are played
};

}  // namespace lockstep::replay
