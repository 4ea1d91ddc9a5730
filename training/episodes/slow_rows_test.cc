#include "training/episodes/slow_rows.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "training/stragglers/straggler_thresholds.h"

namespace lockstep::training {
namespace {

// Seconds of `rows` ranks that take about one second, with a noise of 0.5 %.
RankMatrix Seconds(size_t rows, size_t columns, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> noise(1, 0.005);
  RankMatrix seconds(rows, columns);
  for (size_t row = 0; row < rows; ++row) {
    for (double& value : seconds.Row(row)) value = noise(random);
  }
  return seconds;
}

void Delay(RankMatrix& seconds, size_t row, size_t first, size_t last, double by) {
  for (size_t n = first; n <= last; ++n) seconds(row, n) += by;
}

std::string SlowRowsIn(const RankMatrix& seconds, const std::vector<std::vector<size_t>>& groups) {
  const std::vector<double> step(seconds.columns(), 1.0);
  std::string text;
  for (const SlowRow& slow : FindSlowRows({seconds, groups, step}, kOwnTimeScales).rows) {
    text += std::to_string(slow.row) + " ";
  }
  return text;
}

TEST(SlowRows, TwoLateRanksDoNotHideEachOther) {
  RankMatrix seconds = Seconds(4, 120, 1);
  Delay(seconds, 1, 40, 119, 0.2);
  Delay(seconds, 3, 60, 119, 0.05);
  EXPECT_EQ(SlowRowsIn(seconds, {{0, 1, 2, 3}}), "1 3 ");
}

TEST(SlowRows, ARankIsComparedWithItsOwnGroup) {
  RankMatrix seconds = Seconds(6, 120, 2);
  for (const size_t row : {3, 4, 5}) Delay(seconds, row, 0, 119, 0.6);  // a heavier stage
  EXPECT_EQ(SlowRowsIn(seconds, {{0, 1, 2}, {3, 4, 5}}), "");
  Delay(seconds, 4, 30, 119, 0.1);
  EXPECT_EQ(SlowRowsIn(seconds, {{0, 1, 2}, {3, 4, 5}}), "4 ");
}

TEST(SlowRows, APairMustDifferTwiceAsMuch) {
  for (const auto& [delay, found] : {std::pair(0.04, ""), std::pair(0.08, "1 ")}) {
    RankMatrix seconds = Seconds(2, 200, 3);
    Delay(seconds, 1, 0, 199, delay);
    EXPECT_EQ(SlowRowsIn(seconds, {{0, 1}}), found) << delay;
  }
}

TEST(SlowRows, ALateRankThatRotatesIsNobody) {
  RankMatrix seconds = Seconds(8, 200, 4);
  std::mt19937 random(5);
  for (size_t n = 0; n < seconds.columns(); ++n) {
    Delay(seconds, std::uniform_int_distribution<size_t>(0, 7)(random), n, n, 0.5);
  }
  EXPECT_EQ(SlowRowsIn(seconds, {{0, 1, 2, 3, 4, 5, 6, 7}}), "");
}

TEST(SlowRows, AThousandHealthyRanksAreHealthy) {
  std::vector<size_t> group(1024);
  for (size_t row = 0; row < group.size(); ++row) group[row] = row;
  RankMatrix seconds = Seconds(group.size(), 400, 6);
  EXPECT_EQ(SlowRowsIn(seconds, {group}), "");
  Delay(seconds, 777, 200, 399, 0.06);
  EXPECT_EQ(SlowRowsIn(seconds, {group}), "777 ");
}

}  // namespace
}  // namespace lockstep::training
