// Recorded device counters of a few GPUs, the pattern that a replayed fleet repeats.
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

// All metrics of one GPU, sorted by name, each with equally many values.
struct RecordedGpu {
  std::vector<RecordedMetric> metrics;
};

// Reads the DCGM_* series of an OpenMetrics file, gzipped or not. Series of one GPU that differ in
// their job are one series here.
absl::StatusOr<std::vector<RecordedGpu>> ReadRecording(const std::string& path);

}  // namespace lockstep::replay
