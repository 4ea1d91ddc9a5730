// Columns of a matrix one after the other, at the speed of its rows.
//
// A column's values lie a row apart: with a thousand ranks, each is a miss of the cache. So some columns at a time
// are copied to where they lie together.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "training/rank_matrix.h"
#include "training/stretches.h"

namespace lockstep::training {

// Two lines of a cache.
inline constexpr size_t kColumnsPerBlock = 16;

// Calls `visit(n, values)` for each column of the stretch in order; `values` has one per row and lives until it
// returns.
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

// Likewise, and what `visit(n, values, results)` writes to `results`, unknown before, becomes the column of `out`.
// Precondition: `out` is as large as `matrix`.
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
