#include "training/episodes/excess.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <span>
#include <vector>

#include "training/matrix/stretches.h"

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
  RankMask masked(values.size(), 1);
  for (const size_t row : masked_rows) masked.Set(row, 0, 1);
  const RankMatrix column = OneColumn(values);
  const std::vector<std::vector<size_t>> groups = {AllRows(values.size())};
  const RankMatrix excess = ExcessOverPeers({column, groups}, masked);
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
  Check({10, 13, 11}, {-3, 2, -2});         // compared with the greater of two others
  Check({10, 11, 12, 20}, {-2, -1, 1, 9});  // compared with the median of three others
  Check({5, 5, 5, 5, 9}, {0, 0, 0, 0, 4});
}

TEST(Excess, LeavesUnknownOut) {
  Check({10, kUnknown, 13, 11}, {-3, kUnknown, 2, -2});
  Check({10, kUnknown, kUnknown, 11}, {kUnknown, kUnknown, kUnknown, kUnknown});  // half is too few
  Check({10}, {kUnknown});
}

TEST(Excess, MaskedRowsAreNotCompared) {
  // Without the mask, row 1 would be compared with 20.
  Check({10, 15, 30, 20, 11}, {-5, 4, 19, 9, -4}, {2, 3});
  // One unmasked peer is too few.
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
  const RankMatrix column = OneColumn({1, 100, 2, 103});
  const std::vector<std::vector<size_t>> groups = {{0, 2}, {1, 3}};
  const RankMatrix excess = ExcessOverPeers({column, groups}, RankMask(4, 1));
  EXPECT_EQ(excess(2, 0), 1);
  EXPECT_EQ(excess(3, 0), 3);
}

// More columns than one thread gets at once, some of them unknown, with two rows that are abnormal
// in some.
struct ManyColumns {
  ManyColumns() : values(7, 3 * kStretchSize), masked(7, 3 * kStretchSize) {
    std::mt19937 random(11);
    for (size_t row = 0; row < values.rows(); ++row) {
      for (double& value : values.Row(row)) {
        const int drawn = std::uniform_int_distribution<int>(0, 20)(random);
        value = drawn == 0 ? kUnknown : drawn;
      }
    }
    masked.Set(2, 40, 100);
    masked.Set(5, 130, 200);
  }

  RankMatrix values;
  RankMask masked;
  std::vector<std::vector<size_t>> groups = {{0, 2, 3, 5}, {1, 4, 6}};
};

void ExpectEqual(std::span<const double> actual, std::span<const double> expected) {
  for (size_t n = 0; n < expected.size(); ++n) {
    EXPECT_TRUE(actual[n] == expected[n] || (std::isnan(actual[n]) && std::isnan(expected[n])))
        << n;
  }
}

TEST(Excess, IsTheSameOnSeveralThreadsAnewAndUpdated) {
  const ManyColumns many;
  const RankMask nothing(many.values.rows(), many.values.columns());
  const RankMatrix expected = ExcessOverPeers({many.values, many.groups}, many.masked);
  TaskPool pool(2);
  const PeerComparison comparison{many.values, many.groups, {}, &pool};
  RankMatrix updated = ExcessOverPeers(comparison, nothing);
  UpdateExcess(comparison, nothing, many.masked, updated);
  const RankMatrix anew = ExcessOverPeers(comparison, many.masked);
  for (size_t row = 0; row < expected.rows(); ++row) {
    ExpectEqual(anew.Row(row), expected.Row(row));
    ExpectEqual(updated.Row(row), expected.Row(row));
  }
}

TEST(Excess, OfOneRowIsThatRowOfAll) {
  const ManyColumns many;
  const RankMatrix all = ExcessOverPeers({many.values, many.groups}, many.masked);
  for (const std::vector<size_t>& group : many.groups) {
    for (const size_t row : group) {
      ExpectEqual(ExcessOfRow(many.values, group, many.masked, row), all.Row(row));
    }
  }
}

TEST(Excess, IsAShareOfWhatIsAboveZero) {
  const RankMatrix column = OneColumn({10, 13, 11});
  const std::vector<std::vector<size_t>> groups = {AllRows(3)};
  const std::vector<double> half = {0.5};
  const std::vector<double> zero = {0};
  EXPECT_EQ(ExcessOverPeers({column, groups, half}, RankMask(3, 1))(1, 0), 4);
  EXPECT_TRUE(std::isnan(ExcessOverPeers({column, groups, zero}, RankMask(3, 1))(1, 0)));
}

}  // namespace
}  // namespace lockstep::training
