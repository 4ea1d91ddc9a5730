#include "training/row_groups.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "training/matrix/statistics.h"

namespace lockstep::training {
namespace {

double MedianOfAll(const RankMatrix& values) {
  std::vector<double> all;
  all.reserve(values.rows() * values.columns());
  for (size_t row = 0; row < values.rows(); ++row) {
    all.insert(all.end(), values.Row(row).begin(), values.Row(row).end());
  }
  return Median(all);
}

// fmin and fmax ignore unknown values.
void AddRow(const PictureCells& cells, size_t row, double middle, size_t group, RowGroups& groups) {
  PictureCells& merged = groups.cells;
  for (size_t n = 0; n < cells.mean.columns(); ++n) {
    merged.lowest(group, n) = std::fmin(merged.lowest(group, n), cells.lowest(row, n));
    merged.highest(group, n) = std::fmax(merged.highest(group, n), cells.highest(row, n));
    merged.count(group, n) += cells.count(row, n);
    const double mean = cells.mean(row, n);
    const double before = merged.mean(group, n);
    const bool is_further =
        std::isnan(before) || std::abs(mean - middle) > std::abs(before - middle);
    if (std::isnan(mean) || !is_further) continue;
    merged.mean(group, n) = mean;
    merged.last(group, n) = cells.last(row, n);
    groups.furthest(group, n) = static_cast<double>(row - groups.first_row[group]);
  }
}

}  // namespace

RowGroups GroupRows(const PictureCells& cells, size_t rows) {
  LOCKSTEP_CHECK(rows >= 1);
  const size_t ranks = cells.mean.rows();
  rows = std::min(rows, ranks);
  RowGroups groups;
  PictureCells& merged = groups.cells;
  for (RankMatrix* matrix :
       {&merged.lowest, &merged.highest, &merged.last, &merged.mean, &groups.furthest}) {
    *matrix = RankMatrix(rows, cells.mean.columns());
  }
  merged.count = RankMatrix(rows, cells.mean.columns(), 0);
  const double middle = MedianOfAll(cells.mean);
  for (size_t group = 0; group < rows; ++group) {
    groups.first_row.push_back(group * ranks / rows);
    const size_t end = (group + 1) * ranks / rows;
    for (size_t row = groups.first_row[group]; row < end; ++row) {
      AddRow(cells, row, middle, group, groups);
    }
  }
  return groups;
}

}  // namespace lockstep::training
