// Samples: the data points of a series. Times are Unix milliseconds.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "model/histogram.h"

namespace lockstep {

struct Sample {
  int64_t timestamp_ms = 0;
  double value = 0;
};

// The NaN that means "this series ended here" (Prometheus, model/value). Compared by bits: every
// other NaN is data and keeps its payload.
inline constexpr uint64_t kStaleNanBits = 0x7ff0000000000002;
inline double StaleNan() { return std::bit_cast<double>(kStaleNanBits); }
inline bool IsStaleNan(double value) { return std::bit_cast<uint64_t>(value) == kStaleNanBits; }

// Histograms are shared between the column that was read and what is computed from it, and never
// change once created. A stale marker is a histogram whose sum is StaleNan().
struct HistogramSample {
  int64_t timestamp_ms = 0;
  std::shared_ptr<const Histogram> histogram;
  int64_t start_timestamp_ms = 0;  // when the counter began; 0: unknown
};

// Samples of one series in columns, ascending by time, without repeated times across both kinds.
struct SampleColumns {
  std::vector<int64_t> timestamps_ms;  // one for each of `values`
  std::vector<double> values;
  std::vector<HistogramSample> histograms;
  // When the counters of `values` began, 0: unknown. Values past its end have unknown starts.
  std::vector<int64_t> start_timestamps_ms{};
  // How many samples were left out next to each of `values`, for a reader that does not need all of
  // them. For values past its end none were.
  std::vector<uint32_t> left_out{};

  void Clear() {
    left_out.clear();
    timestamps_ms.clear();
    values.clear();
    histograms.clear();
    start_timestamps_ms.clear();
  }
  void Append(int64_t timestamp_ms, double value) {
    timestamps_ms.push_back(timestamp_ms);
    values.push_back(value);
  }
  void Append(int64_t timestamp_ms, double value, int64_t start_timestamp_ms) {
    if (start_timestamp_ms != 0) {
      start_timestamps_ms.resize(values.size());
      start_timestamps_ms.push_back(start_timestamp_ms);
    }
    Append(timestamp_ms, value);
  }
  // The start of a float.
  int64_t StartOf(size_t i) const {
    return i < start_timestamps_ms.size() ? start_timestamps_ms[i] : 0;
  }
  size_t size() const { return values.size() + histograms.size(); }
};

struct TimeRange {  // inclusive on both ends
  int64_t min_ms = 0;
  int64_t max_ms = 0;
  bool Contains(int64_t t) const { return min_ms <= t && t <= max_ms; }
  friend bool operator==(const TimeRange&, const TimeRange&) = default;
};

// Times at equal distances: first_ms, first_ms + step_ms, and so on, and likewise before it.
struct StepTimes {
  int64_t first_ms = 0;
  int64_t step_ms = 0;  // 0: there are none

  bool empty() const { return step_ms == 0; }
  // The first of them that is not before `time_ms`. Precondition: there are some.
  int64_t NotBefore(int64_t time_ms) const {
    const int64_t past_ms = (time_ms - first_ms) % step_ms;
    return time_ms - past_ms + (past_ms > 0 ? step_ms : 0);
  }
  friend bool operator==(const StepTimes&, const StepTimes&) = default;
};

inline constexpr TimeRange kAllTimes = {std::numeric_limits<int64_t>::min(),
                                        std::numeric_limits<int64_t>::max()};

}  // namespace lockstep
