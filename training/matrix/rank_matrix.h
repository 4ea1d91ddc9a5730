// A number for each rank (row) and each step or time bin (column). NaN means unknown.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "base/memory/huge_pages.h"

namespace lockstep::training {

inline constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

// Concurrent reads are safe. A default-constructed matrix has no rows: the quantity was never
// reported.
class RankMatrix {
 public:
  RankMatrix() = default;
  RankMatrix(size_t rows, size_t columns, double value = kUnknown)
      : rows_(rows), columns_(columns), stride_(columns), values_(rows * columns, value) {}

  // The values are undefined: the caller sets each of them before anything reads it. Unlike filling
  // a large matrix with a value first, that writes its memory once, and from several threads.
  static RankMatrix Unset(size_t rows, size_t columns) {
    RankMatrix matrix;
    matrix.rows_ = rows;
    matrix.columns_ = matrix.stride_ = columns;
    matrix.values_ = Values(rows * columns);
    return matrix;
  }

  size_t rows() const { return rows_; }
  size_t columns() const { return columns_; }
  bool empty() const { return rows_ == 0 || columns_ == 0; }

  // `row` < rows(), `column` < columns().
  double& operator()(size_t row, size_t column) { return values_[row * stride_ + column]; }
  double operator()(size_t row, size_t column) const { return values_[row * stride_ + column]; }

  std::span<double> Row(size_t row) { return {values_.data() + row * stride_, columns_}; }
  std::span<const double> Row(size_t row) const {
    return {values_.data() + row * stride_, columns_};
  }

  // Appends the columns of `more` from `first` on. Precondition: both have the same number of rows.
  void AppendColumns(const RankMatrix& more, size_t first) {
    const size_t count = more.columns_ - first;
    Reserve(columns_ + count);
    for (size_t row = 0; row < rows_; ++row) {
      const std::span<const double> from = more.Row(row).subspan(first);
      std::copy(from.begin(), from.end(),
                values_.begin() + static_cast<ptrdiff_t>(row * stride_ + columns_));
    }
    columns_ += count;
  }

  // Precondition: `count` <= columns().
  void DropFirstColumns(size_t count) {
    for (size_t row = 0; row < rows_; ++row) {
      const auto from = values_.begin() + static_cast<ptrdiff_t>(row * stride_);
      std::copy(from + static_cast<ptrdiff_t>(count), from + static_cast<ptrdiff_t>(columns_),
                from);
    }
    columns_ -= count;
  }

  // The values of one column, by row.
  std::vector<double> Column(size_t column) const {
    std::vector<double> values(rows_);
    for (size_t row = 0; row < rows_; ++row) values[row] = (*this)(row, column);
    return values;
  }

 private:
  using Values = std::vector<double, HugePageAllocator<double>>;

  // Reserves room for `columns` and a quarter more, so that growing does not copy the matrix each
  // time.
  void Reserve(size_t columns) {
    if (columns <= stride_) return;
    RankMatrix larger(rows_, columns + columns / 4);
    for (size_t row = 0; row < rows_; ++row) {
      const std::span<const double> from = std::as_const(*this).Row(row);
      std::copy(from.begin(), from.end(), larger.Row(row).begin());
    }
    larger.columns_ = columns_;
    *this = std::move(larger);
  }

  size_t rows_ = 0;
  size_t columns_ = 0;
  size_t stride_ = 0;  // elements per row in `values_`, at least columns_
  Values values_;
};

}  // namespace lockstep::training
