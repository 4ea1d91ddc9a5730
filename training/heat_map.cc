#include "training/heat_map.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "training/matrix/statistics.h"

namespace lockstep::training {
namespace {

void ReduceCell(std::span<const double> values, size_t row, size_t bin, PictureCells& cells) {
  double sum = 0;
  size_t known = 0;
  for (const double value : values) {
    if (std::isnan(value)) continue;
    cells.lowest(row, bin) = known == 0 ? value : std::min(cells.lowest(row, bin), value);
    cells.highest(row, bin) = known == 0 ? value : std::max(cells.highest(row, bin), value);
    cells.last(row, bin) = value;
    sum += value;
    ++known;
  }
  cells.count(row, bin) = static_cast<double>(known);
  if (known > 0) cells.mean(row, bin) = sum / static_cast<double>(known);
}

}  // namespace

HeatMap ReduceToBins(const RankMatrix& values, size_t bins) {
  LOCKSTEP_CHECK(bins >= 1);
  bins = std::min(bins, values.columns());
  HeatMap map;
  PictureCells& cells = map.cells;
  cells.lowest = cells.highest = cells.last = cells.mean = RankMatrix(values.rows(), bins);
  cells.count = RankMatrix(values.rows(), bins, 0);
  for (size_t bin = 0; bin < bins; ++bin) {
    const size_t first = bin * values.columns() / bins;
    const size_t end = (bin + 1) * values.columns() / bins;
    map.first_column.push_back(first);
    for (size_t row = 0; row < values.rows(); ++row) {
      ReduceCell(values.Row(row).subspan(first, end - first), row, bin, cells);
    }
  }
  return map;
}

Pacing PacingOf(const StepTable& table) {
  Pacing pacing;
  pacing.step_seconds = JobStepSeconds(table);
  pacing.median_seconds = Median(pacing.step_seconds);
  pacing.spread_seconds = Quantile(pacing.step_seconds, 0.95) - Quantile(pacing.step_seconds, 0.05);
  for (size_t n = 0; n < table.size(); ++n) {
    const double passed = static_cast<double>(table.end_ms[n] - table.end_ms.front()) / 1000.0;
    const auto steps = static_cast<double>(table.step[n] - table.step.front());
    pacing.behind_seconds.push_back(passed - steps * pacing.median_seconds);
  }
  return pacing;
}

}  // namespace lockstep::training
