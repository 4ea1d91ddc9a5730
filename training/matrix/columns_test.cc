#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "training/matrix/column_blocks.h"
#include "training/matrix/rank_mask.h"
#include "training/matrix/rank_matrix.h"

namespace lockstep::training {
namespace {

// Element (row, n) is 100 * row + n.
RankMatrix Numbered(size_t rows, size_t columns) {
  RankMatrix matrix(rows, columns);
  for (size_t row = 0; row < rows; ++row) {
    for (size_t n = 0; n < columns; ++n) matrix(row, n) = static_cast<double>(100 * row + n);
  }
  return matrix;
}

TEST(ColumnBlocks, EachColumnOfTheStretchIsVisitedInOrder) {
  const RankMatrix matrix = Numbered(3, 50);
  std::vector<size_t> visited;
  ForEachColumn(matrix, {5, 40}, [&](size_t n, std::span<const double> values) {
    visited.push_back(n);
    const auto at = static_cast<double>(n);
    EXPECT_TRUE(std::ranges::equal(values, std::vector<double>{at, 100 + at, 200 + at})) << n;
  });
  ASSERT_EQ(visited.size(), 35u);
  EXPECT_EQ(visited.front(), 5u);
  EXPECT_EQ(visited.back(), 39u);
  EXPECT_TRUE(std::ranges::is_sorted(visited));
}

TEST(ColumnBlocks, WhatAVisitDoesNotWriteIsUnknown) {
  const RankMatrix matrix = Numbered(2, 40);
  RankMatrix out(2, 40, -1.0);
  MapColumns(matrix, {3, 37}, out,
             [](size_t n, std::span<const double> values, std::span<double> results) {
               if (n % 5 != 0) results[1] = values[0] + 0.5;
             });
  for (size_t n = 0; n < 40; ++n) {
    const bool is_inside = n >= 3 && n < 37;
    if (!is_inside) {
      EXPECT_EQ(out(0, n), -1) << n;
      EXPECT_EQ(out(1, n), -1) << n;
      continue;
    }
    EXPECT_TRUE(std::isnan(out(0, n))) << n;
    if (n % 5 == 0) {
      EXPECT_TRUE(std::isnan(out(1, n))) << n;
    } else {
      EXPECT_EQ(out(1, n), static_cast<double>(n) + 0.5) << n;
    }
  }
}

TEST(ColumnBlocks, MediansAreTheSameOnSeveralThreads) {
  const RankMatrix matrix = Numbered(3, 300);
  TaskPool pool(2);
  const std::vector<double> medians = ColumnMedians(matrix, &pool);
  ASSERT_EQ(medians.size(), 300u);
  for (size_t n = 0; n < 300; ++n) EXPECT_EQ(medians[n], static_cast<double>(100 + n));
  EXPECT_EQ(ColumnMedians(matrix, nullptr), medians);
}

TEST(RankMask, AColumnIsMarkedIfAnyRowIs) {
  RankMask mask(3, 5);
  EXPECT_EQ(MarkedColumns(mask), (std::vector<bool>{false, false, false, false, false}));
  mask.Set(1, 1, 2);
  mask.Set(2, 4, 1);
  EXPECT_FALSE(mask.MayHaveAny(0));
  EXPECT_TRUE(mask.MayHaveAny(1));
  EXPECT_TRUE(mask(1, 2));
  EXPECT_FALSE(mask(1, 3));
  EXPECT_FALSE(mask(0, 1));
  EXPECT_EQ(MarkedColumns(mask), (std::vector<bool>{false, true, true, false, true}));
  mask.Set(1, 1, 1, false);
  EXPECT_EQ(MarkedColumns(mask), (std::vector<bool>{false, false, true, false, true}));
}

TEST(RankMatrix, ColumnsAreAddedAndDropped) {
  RankMatrix matrix = Numbered(2, 3);
  matrix.AppendColumns(Numbered(2, 12), 3);
  ASSERT_EQ(matrix.columns(), 12u);
  EXPECT_EQ(matrix(1, 2), 102);
  EXPECT_EQ(matrix(1, 3), 103);
  EXPECT_EQ(matrix(1, 11), 111);
  matrix.DropFirstColumns(10);
  ASSERT_EQ(matrix.columns(), 2u);
  EXPECT_EQ(matrix(0, 0), 10);
  EXPECT_EQ(matrix.Column(1), (std::vector<double>{11, 111}));
  matrix.AppendColumns(Numbered(2, 1), 0);
  EXPECT_EQ(matrix(1, 2), 100);
}

}  // namespace
}  // namespace lockstep::training
