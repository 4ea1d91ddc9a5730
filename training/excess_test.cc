#include "training/excess.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace lockstep::training {
namespace {

RankMatrix OneColumn(const std::vector<double>& values) {
  RankMatrix matrix(values.size(), 1);
  for (size_t row = 0; row < values.size(); ++row) matrix(row, 0) = values[row];
  return matrix;
}

std::vector<size_t> AllRows(size_t count) {
  std::vector<size_t> rows(count);
  for (size_t row = 0; row < count; ++row) rows[row] = row;
  return rows;
}

void Check(const std::vector<double>& values, const std::vector<double>& expected,
           const std::vector<size_t>& masked_rows = {}) {
  RankMask masked = NothingMasked(values.size(), 1);
  for (const size_t row : masked_rows) masked[row][0] = true;
  const RankMatrix excess = ExcessOverPeers(OneColumn(values), {AllRows(values.size())}, masked);
  for (size_t row = 0; row < values.size(); ++row) {
    if (std::isnan(expected[row])) {
      EXPECT_TRUE(std::isnan(excess(row, 0))) << row;
    } else {
      EXPECT_EQ(excess(row, 0), expected[row]) << row;
    }
  }
}

TEST(Excess, IsOverTheUpperMedianOfTheOthers) {
  Check({10, 13}, {-3, 3});
  Check({10, 13, 11}, {-3, 2, -2});         // of two others the greater
  Check({10, 11, 12, 20}, {-2, -1, 1, 9});  // of three others the middle one
  Check({5, 5, 5, 5, 9}, {0, 0, 0, 0, 4});
}

TEST(Excess, LeavesUnknownOut) {
  Check({10, kUnknown, 13, 11}, {-3, kUnknown, 2, -2});
  Check({10, kUnknown, kUnknown, 11}, {kUnknown, kUnknown, kUnknown, kUnknown});  // half is too few
  Check({10}, {kUnknown});
}

TEST(Excess, MaskedRowsAreNotCompared) {
  // Without the mask, row 1 would be held against 20.
  Check({10, 15, 30, 20, 11}, {-5, 4, 19, 9, -4}, {2, 3});
  // One unmasked peer is too little.
  Check({10, 15, 30}, {kUnknown, kUnknown, 15}, {2});
}

TEST(Excess, EqualsALeaveOneOutMedian) {
  std::mt19937 random(5);
  for (size_t count = 2; count < 12; ++count) {
    std::vector<double> values(count);
    for (double& value : values) value = std::uniform_int_distribution<int>(0, 5)(random);
    std::vector<double> expected;
    for (size_t row = 0; row < count; ++row) {
      std::vector<double> others = values;
      others.erase(others.begin() + static_cast<ptrdiff_t>(row));
      std::sort(others.begin(), others.end());
      expected.push_back(values[row] - others[others.size() / 2]);
    }
    Check(values, expected);
  }
}

TEST(Excess, GroupsDoNotMix) {
  const RankMatrix excess =
      ExcessOverPeers(OneColumn({1, 100, 2, 103}), {{0, 2}, {1, 3}}, NothingMasked(4, 1));
  EXPECT_EQ(excess(2, 0), 1);
  EXPECT_EQ(excess(3, 0), 3);
}

}  // namespace
}  // namespace lockstep::training
