// A number for each rank (row) and each step or time bin (column). NaN is "not known".
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "base/huge_pages.h"

namespace lockstep::training {

inline constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

// Plain data: reading it from several threads is fine. A default-made one has no rows: the quantity was
// never reported.
class RankMatrix {
 public:
  RankMatrix() = default;
  RankMatrix(size_t rows, size_t columns, double value = kUnknown)
      : rows_(rows), columns_(columns), values_(rows * columns, value) {}

  size_t rows() const { return rows_; }
  size_t columns() const { return columns_; }
  bool empty() const { return values_.empty(); }

  // `row` < rows(), `column` < columns().
  double& operator()(size_t row, size_t column) { return values_[row * columns_ + column]; }
  double operator()(size_t row, size_t column) const { return values_[row * columns_ + column]; }

  std::span<double> Row(size_t row) { return {values_.data() + row * columns_, columns_}; }
  std::span<const double> Row(size_t row) const {
    return {values_.data() + row * columns_, columns_};
  }

  // The values of one column, a row after the other.
  std::vector<double> Column(size_t column) const {
    std::vector<double> values(rows_);
    for (size_t row = 0; row < rows_; ++row) values[row] = (*this)(row, column);
    return values;
  }

 private:
  size_t rows_ = 0;
  size_t columns_ = 0;
  std::vector<double, HugePageAllocator<double>> values_;
};

}  // namespace lockstep::training
