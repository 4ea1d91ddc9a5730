#include "answers/load/device_columns.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

namespace lockstep::answers {
namespace {

using training::CounterSeries;

// Sorts by time and keeps the first of several samples at one time.
void SortByTime(CounterSeries& series) {
  if (std::adjacent_find(series.timestamp_ms.begin(), series.timestamp_ms.end(),
                         std::greater_equal<>()) == series.timestamp_ms.end()) {
    return;
  }
  std::vector<size_t> order(series.timestamp_ms.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&series](size_t a, size_t b) {
    return series.timestamp_ms[a] < series.timestamp_ms[b];
  });
  CounterSeries sorted;
  for (const size_t i : order) {
    if (!sorted.empty() && sorted.timestamp_ms.back() == series.timestamp_ms[i]) continue;
    sorted.timestamp_ms.push_back(series.timestamp_ms[i]);
    sorted.value.push_back(series.value[i]);
  }
  series = std::move(sorted);
}

void Cut(const TimeRange& time, CounterSeries& series) {
  const auto& at = series.timestamp_ms;
  const auto first = std::lower_bound(at.begin(), at.end(), time.min_ms) - at.begin();
  const auto last = std::upper_bound(at.begin(), at.end(), time.max_ms) - at.begin();
  if (first == 0 && last == static_cast<ptrdiff_t>(at.size())) return;
  series = {{at.begin() + first, at.begin() + last},
            {series.value.begin() + first, series.value.begin() + last}};
}

}  // namespace

void DeviceColumns::Add(catalogue::Role role, size_t row, std::string_view model,
                        const SampleColumns& samples) {
  const MutexLock lock(row_mutexes_[row % kLockCount]);
  training::GpuCounters& device = devices_[row];
  if (device.model.empty()) device.model = model;
  CounterSeries& series = device[role];
  for (size_t i = 0; i < samples.values.size(); ++i) {
    if (IsStaleNan(samples.values[i])) continue;
    series.timestamp_ms.push_back(samples.timestamps_ms[i]);
    series.value.push_back(samples.values[i]);
  }
}

bool DeviceColumns::HasAny(size_t row) const {
  return std::ranges::any_of(devices_[row].series,
                             [](const CounterSeries& series) { return !series.empty(); });
}

void DeviceColumns::Sort() {
  for (training::GpuCounters& device : devices_) {
    for (CounterSeries& series : device.series) SortByTime(series);
  }
}

std::optional<TimeRange> DeviceColumns::Seen() const {
  std::optional<TimeRange> seen;
  for (const training::GpuCounters& device : devices_) {
    for (const CounterSeries& series : device.series) {
      if (series.empty()) continue;
      const TimeRange time{series.timestamp_ms.front(), series.timestamp_ms.back()};
      if (!seen.has_value()) seen = time;
      seen->min_ms = std::min(seen->min_ms, time.min_ms);
      seen->max_ms = std::max(seen->max_ms, time.max_ms);
    }
  }
  return seen;
}

std::vector<training::GpuCounters> DeviceColumns::Take(const TimeRange& time) {
  if (!Seen().has_value()) return {};
  for (training::GpuCounters& device : devices_) {
    for (CounterSeries& series : device.series) Cut(time, series);
  }
  return std::move(devices_);
}

}  // namespace lockstep::answers
