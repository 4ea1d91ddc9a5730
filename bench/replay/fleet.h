// A fleet of GPUs that never was: every GPU plays one of the recorded ones, each from another moment
// on, so that within one series no value pattern repeats while fewer points are asked for than were
// recorded.
#pragma once

#include <cstdint>
#include <vector>

#include "bench/replay/recording.h"
#include "model/labels.h"
#include "model/sample.h"

namespace lockstep::replay {

struct FleetOptions {
  uint32_t gpu_count = 0;
  int64_t start_ms = 0;
  int64_t interval_ms = 15'000;
};

// Immutable. Series are numbered GPU by GPU, the metrics of one GPU side by side.
class Fleet {
 public:
  // `recording` is not empty.
  Fleet(std::vector<RecordedGpu> recording, FleetOptions options);

  size_t series_count() const { return labels_.size(); }
  // The host that a series belongs to: eight GPUs share one.
  size_t host_of(size_t series) const;
  const LabelSet& labels(size_t series) const { return labels_[series]; }
  // Each host is scraped at a moment of its own within the interval.
  Sample At(size_t series, size_t point) const;

 private:
  size_t gpu_of(size_t series) const { return series / metric_count_; }

  const std::vector<RecordedGpu> recording_;
  const FleetOptions options_;
  const size_t metric_count_;
  std::vector<LabelSet> labels_;
};

}  // namespace lockstep::replay
