// Recorded device counters of a few GPUs, which a replayed fleet repeats.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"

namespace lockstep::replay {

struct RecordedMetric {
  std::string name;
  bool is_cumulative = false;  // only ever grows; otherwise a gauge
  std::vector<double> values;  // in order of time
};

// All metrics of one GPU, sorted by name, each with the same number of values.
struct RecordedGpu {
  std::vector<RecordedMetric> metrics;
};

// Reads the DCGM_* series of an OpenMetrics file, optionally gzipped. Series of one GPU that differ
// only in their job are merged.
absl::StatusOr<std::vector<RecordedGpu>> ReadRecording(const std::string& path);

}  // namespace lockstep::replay
