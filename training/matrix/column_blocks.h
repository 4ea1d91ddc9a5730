// Iterates over the columns of a matrix as fast as over its rows.
//
// A column's values lie a row apart: with a thousand ranks, each access is a cache miss. So blocks
// of columns are copied to contiguous memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "training/matrix/rank_matrix.h"
#include "training/matrix/stretches.h"

namespace lockstep::training {

// Two cache lines.
inline constexpr size_t kColumnsPerBlock = 16;

// Calls `visit(n, values)` for each column of the stretch in order. `values` has one element per
// row and is valid only during the call.
template <typename Visit>
void ForEachColumn(const RankMatrix& matrix, Stretch stretch, Visit visit) {
  const size_t rows = matrix.rows();
  std::vector<double> block(kColumnsPerBlock * rows);
  for (size_t first = stretch.first; first < stretch.end; first += kColumnsPerBlock) {
    const size_t width = std::min(kColumnsPerBlock, stretch.end - first);
    for (size_t row = 0; row < rows; ++row) {
      const double* const from = matrix.Row(row).data() + first;
      for (size_t i = 0; i < width; ++i) block[i * rows + row] = from[i];
    }
    for (size_t i = 0; i < width; ++i) {
      visit(first + i, std::span<const double>(block.data() + i * rows, rows));
    }
  }
}

// Like ForEachColumn(), but `visit(n, values, results)` writes column n of `out` to `results`,
// whose elements are unknown beforehand. Sets the whole stretch of `out`. Precondition: `out` is as
// large as `matrix`.
template <typename Visit>
void MapColumns(const RankMatrix& matrix, Stretch stretch, RankMatrix& out, Visit visit) {
  const size_t rows = matrix.rows();
  std::vector<double> results(kColumnsPerBlock * rows);
  ForEachColumn(matrix, stretch, [&](size_t n, std::span<const double> values) {
    const size_t i = (n - stretch.first) % kColumnsPerBlock;
    const std::span<double> column(results.data() + i * rows, rows);
    std::fill(column.begin(), column.end(), kUnknown);
    visit(n, values, column);
    if (i + 1 < kColumnsPerBlock && n + 1 < stretch.end) return;
    for (size_t row = 0; row < rows; ++row) {
      double* const to = out.Row(row).data() + (n - i);
      for (size_t k = 0; k <= i; ++k) to[k] = results[k * rows + row];
    }
  });
}

// Element n is the median of column n.
std::vector<double> ColumnMedians(const RankMatrix& matrix, TaskPool* pool);

}  // namespace lockstep::training
