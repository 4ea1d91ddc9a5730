// Which ranks (rows) are abnormal in which columns.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace lockstep::training {

// Concurrent reads are safe. Rows without marks cost no memory and no time.
class RankMask {
 public:
  RankMask() = default;
  RankMask(size_t rows, size_t columns) : columns_(columns), marks_(rows) {}

  size_t rows() const { return marks_.size(); }
  size_t columns() const { return columns_; }

  // `row` < rows(), `column` < columns().
  bool operator()(size_t row, size_t column) const {
    return !marks_[row].empty() && marks_[row][column];
  }

  // False if no column of the row was ever marked.
  bool MayHaveAny(size_t row) const { return !marks_[row].empty(); }

  // Sets `count` columns from `first` on.
  void Set(size_t row, size_t first, size_t count, bool mark = true) {
    std::vector<bool>& marks = marks_[row];
    if (marks.empty()) marks.resize(columns_);
    std::fill_n(marks.begin() + static_cast<ptrdiff_t>(first), count, mark);
  }

 private:
  size_t columns_ = 0;
  std::vector<std::vector<bool>> marks_;  // by row; empty for rows that never had a mark
};

// By column: whether any row is marked.
std::vector<bool> MarkedColumns(const RankMask& mask);

}  // namespace lockstep::training
