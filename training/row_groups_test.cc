#include "training/row_groups.h"

#include <gtest/gtest.h>

#include <cmath>

namespace lockstep::training {
namespace {

PictureCells Even(size_t ranks, size_t columns) {
  PictureCells cells;
  cells.lowest = cells.highest = cells.last = cells.mean = cells.count =
      RankMatrix(ranks, columns, 1.0);
  return cells;
}

TEST(RowGroups, TheRankThatStandsOutStays) {
  PictureCells cells = Even(1024, 3);
  cells.mean(341, 1) = 1.5;
  cells.last(341, 1) = 1.6;
  cells.highest(341, 1) = 2;
  // A spike of another rank of the same group, too short to affect its mean.
  cells.highest(340, 1) = 9;
  cells.lowest(342, 1) = -3;
  const RowGroups groups = GroupRows(cells, 256);
  ASSERT_EQ(groups.first_row.size(), 256u);
  EXPECT_EQ(groups.first_row[85], 340u);
  EXPECT_EQ(groups.cells.mean(85, 1), 1.5);
  EXPECT_EQ(groups.cells.last(85, 1), 1.6);
  EXPECT_EQ(groups.cells.highest(85, 1), 9);
  EXPECT_EQ(groups.cells.lowest(85, 1), -3);
  EXPECT_EQ(groups.furthest(85, 1), 1);
  EXPECT_EQ(groups.cells.count(85, 1), 4);
  EXPECT_EQ(groups.cells.mean(85, 0), 1);
}

TEST(RowGroups, StandingOutIsToEitherSide) {
  PictureCells cells = Even(4, 1);
  cells.mean(0, 0) = 1.2;
  cells.mean(1, 0) = 0.4;
  EXPECT_EQ(GroupRows(cells, 2).cells.mean(0, 0), 0.4);
}

TEST(RowGroups, EveryRankIsInOneGroup) {
  PictureCells cells = Even(7, 2);
  cells.mean(2, 0) = cells.mean(3, 0) = kUnknown;
  const RowGroups groups = GroupRows(cells, 3);
  EXPECT_EQ(groups.first_row, (std::vector<size_t>{0, 2, 4}));
  EXPECT_TRUE(std::isnan(groups.cells.mean(1, 0)));
  EXPECT_TRUE(std::isnan(groups.furthest(1, 0)));
  EXPECT_EQ(groups.cells.mean(1, 1), 1);
}

TEST(RowGroups, AsManyRowsAsRanksAreTheRanks) {
  PictureCells cells = Even(3, 1);
  cells.mean(1, 0) = 5;
  const RowGroups groups = GroupRows(cells, 100);
  EXPECT_EQ(groups.first_row.size(), 3u);
  EXPECT_EQ(groups.cells.mean(1, 0), 5);
  EXPECT_EQ(groups.furthest(1, 0), 0);
}

}  // namespace
}  // namespace lockstep::training
