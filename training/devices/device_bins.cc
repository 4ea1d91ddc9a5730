#include "training/devices/device_bins.h"

#include <cmath>
#include <vector>

namespace lockstep::training {

RankMatrix BinnedMeans(std::span<const GpuCounters> devices, Role role, const BinGrid& grid) {
  RankMatrix means(devices.size(), grid.count);
  std::vector<size_t> counts(grid.count);
  for (size_t row = 0; row < devices.size(); ++row) {
    const CounterSeries& series = devices[row][role];
    counts.assign(grid.count, 0);
    for (size_t i = 0; i < series.timestamp_ms.size(); ++i) {
      const int64_t since = series.timestamp_ms[i] - grid.begin_ms - 1;
      if (since < 0 || std::isnan(series.value[i])) continue;
      const auto bin = static_cast<size_t>(since / grid.width_ms);
      if (bin >= grid.count) break;
      double& sum = means(row, bin);
      sum = counts[bin] == 0 ? series.value[i] : sum + series.value[i];
      ++counts[bin];
    }
    for (size_t bin = 0; bin < grid.count; ++bin) {
      if (counts[bin] > 1) means(row, bin) /= static_cast<double>(counts[bin]);
    }
  }
  return means;
}

}  // namespace lockstep::training
