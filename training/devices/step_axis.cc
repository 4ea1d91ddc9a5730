#include "training/devices/step_axis.h"

#include <algorithm>
#include <cmath>

namespace lockstep::training {
namespace {

// The share of (from_ms, to_ms] that lies in `time`.
double ShareInside(int64_t from_ms, int64_t to_ms, const TimeRange& time) {
  const int64_t inside = std::min(to_ms, time.max_ms) - std::max(from_ms, time.min_ms);
  return static_cast<double>(inside) / static_cast<double>(to_ms - from_ms);
}

// Calls `add(i, share)` for each sample that overlaps `time`, for none if samples do not cover it.
template <typename Add>
void ForSamplesIn(const CounterSeries& series, const TimeRange& time, const Add& add) {
  const std::vector<int64_t>& at = series.timestamp_ms;
  if (at.size() < 2 || at.front() > time.min_ms || at.back() < time.max_ms) return;
  auto next = std::upper_bound(at.begin(), at.end(), time.min_ms);
  for (; next != at.end() && *(next - 1) < time.max_ms; ++next) {
    add(static_cast<size_t>(next - at.begin()), ShareInside(*(next - 1), *next, time));
  }
}

}  // namespace

std::optional<size_t> StepAt(const StepTable& table, int64_t time_ms) {
  const auto at = std::lower_bound(table.end_ms.begin(), table.end_ms.end(), time_ms);
  if (at == table.end_ms.end()) return std::nullopt;
  const auto column = static_cast<size_t>(at - table.end_ms.begin());
  if (column == 0 && StepBeginMs(table, 0) > time_ms) return std::nullopt;
  return column;
}

TimeRange TimeOfStep(const StepTable& table, size_t column) {
  return {StepBeginMs(table, column), table.end_ms[column]};
}

std::vector<double> MeanPerStep(const CounterSeries& gauge, const StepTable& table) {
  std::vector<double> means(table.size(), kUnknown);
  for (size_t n = 0; n < means.size(); ++n) {
    double sum = 0;
    double weight = 0;
    ForSamplesIn(gauge, TimeOfStep(table, n), [&](size_t i, double share) {
      if (std::isnan(gauge.value[i])) return;
      const auto length = static_cast<double>(gauge.timestamp_ms[i] - gauge.timestamp_ms[i - 1]);
      sum += share * length * gauge.value[i];
      weight += share * length;
    });
    if (weight > 0) means[n] = sum / weight;
  }
  return means;
}

}  // namespace lockstep::training
