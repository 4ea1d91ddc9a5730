#include "training/devices/devices.h"

#include <algorithm>
#include <cmath>

#include "training/matrix/rank_matrix.h"
#include "training/matrix/statistics.h"

namespace lockstep::training {
GpuCounters CountersIn(const GpuCounters& device, const TimeRange& time) {
  GpuCounters part;
  part.model = device.model;
  for (const Role role : kDeviceRoles) {
    const CounterSeries& series = device[role];
    const auto& at = series.timestamp_ms;
    const auto first = std::lower_bound(at.begin(), at.end(), time.min_ms) - at.begin();
    const auto end = std::upper_bound(at.begin(), at.end(), time.max_ms) - at.begin();
    part[role] = {{at.begin() + first, at.begin() + end},
                  {series.value.begin() + first, series.value.begin() + end}};
  }
  return part;
}

int64_t SamplePeriodMs(const CounterSeries& series) {
  std::vector<double> distances;
  for (size_t i = 1; i < series.timestamp_ms.size(); ++i) {
    distances.push_back(static_cast<double>(series.timestamp_ms[i] - series.timestamp_ms[i - 1]));
  }
  return distances.empty() ? 0 : std::llround(Median(distances));
}

double MeanIn(const CounterSeries& series, const TimeRange& range) {
  const auto begin = series.timestamp_ms.begin();
  const auto first = std::upper_bound(begin, series.timestamp_ms.end(), range.min_ms);
  double sum = 0;
  size_t count = 0;
  for (auto at = first; at != series.timestamp_ms.end() && *at <= range.max_ms; ++at) {
    // A sample covers the time since the previous one.
    if (at != begin && *(at - 1) < range.min_ms) continue;
    const double value = series.value[static_cast<size_t>(at - begin)];
    if (std::isnan(value)) continue;
    sum += value;
    ++count;
  }
  return count == 0 ? kUnknown : sum / static_cast<double>(count);
}

double IncreaseIn(const CounterSeries& series, const TimeRange& range) {
  double increase = 0;
  double before = kUnknown;
  size_t count = 0;
  for (size_t i = 0; i < series.timestamp_ms.size(); ++i) {
    const double value = series.value[i];
    if (series.timestamp_ms[i] < range.min_ms || series.timestamp_ms[i] > range.max_ms) continue;
    if (std::isnan(value)) continue;
    if (value > before) increase += value - before;
    before = value;
    ++count;
  }
  return count < 2 ? kUnknown : increase;
}

}  // namespace lockstep::training
