#include "answers/heat_map/time_bins.h"

#include <algorithm>
#include <cmath>

namespace lockstep::answers {
namespace {

int64_t WidthMs(const TimeRange& time, size_t bins) {
  const auto count = static_cast<int64_t>(bins);
  return std::max<int64_t>(1, (time.max_ms - time.min_ms + count) / count);
}

}  // namespace

TimeBins::TimeBins(const TimeRange& time, size_t rows, size_t bins)
    : begin_ms_(time.min_ms), width_ms_(WidthMs(time, bins)) {
  cells_.lowest = cells_.highest = cells_.last = cells_.mean = training::RankMatrix(rows, bins);
  cells_.count = training::RankMatrix(rows, bins, 0);
  for (size_t i = 0; i < bins; ++i) {
    const int64_t from_ms = begin_ms_ + static_cast<int64_t>(i) * width_ms_;
    bins_.push_back({{from_ms, from_ms + width_ms_ - 1}, {}, {}});
  }
}

void TimeBins::Add(size_t row, int64_t time_ms, double value) {
  const int64_t bin = (time_ms - begin_ms_) / width_ms_;
  if (std::isnan(value) || time_ms < begin_ms_ || bin >= static_cast<int64_t>(bins_.size())) {
    return;
  }
  const auto n = static_cast<size_t>(bin);
  double& count = cells_.count(row, n);
  const bool is_first = count == 0;
  count += 1;
  double& lowest = cells_.lowest(row, n);
  double& highest = cells_.highest(row, n);
  double& mean = cells_.mean(row, n);
  lowest = is_first ? value : std::min(lowest, value);
  highest = is_first ? value : std::max(highest, value);
  mean = is_first ? value : mean + (value - mean) / count;
  cells_.last(row, n) = value;
}

}  // namespace lockstep::answers
