#include "training/heat_map.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "training/job/made_steps.h"

namespace lockstep::training {
namespace {

TEST(HeatMap, KeepsExtremes) {
  RankMatrix values(2, 1000, 1.0);
  values(1, 123) = 99;
  values(1, 124) = -5;
  values(0, 999) = 7;
  const HeatMap map = ReduceToBins(values, 30);
  EXPECT_EQ(map.first_column.size(), 30u);
  EXPECT_EQ(map.cells.highest(1, 3), 99);
  EXPECT_EQ(map.cells.lowest(1, 3), -5);
  EXPECT_EQ(map.cells.highest(0, 3), 1);
  EXPECT_EQ(map.cells.last(0, 29), 7);
  EXPECT_NEAR(map.cells.mean(1, 0), 1, 1e-12);
}

TEST(HeatMap, EveryColumnIsInOneBin) {
  RankMatrix values(1, 7);
  for (size_t n = 0; n < 7; ++n) values(0, n) = 1;
  values(0, 3) = kUnknown;
  const HeatMap map = ReduceToBins(values, 3);
  EXPECT_EQ(map.first_column, (std::vector<size_t>{0, 2, 4}));
  EXPECT_EQ(map.cells.mean(0, 1), 1);
  const HeatMap fine = ReduceToBins(values, 100);
  EXPECT_EQ(fine.first_column.size(), 7u);
  EXPECT_TRUE(std::isnan(fine.cells.mean(0, 3)));
}

TEST(Pacing, SaysHowFarBehindStepsAre) {
  StepTable table = EvenSteps(2, 11, 1.0);
  for (size_t n = 5; n < 11; ++n) table.end_ms[n] += 3000;
  for (size_t row = 0; row < 2; ++row) table.step_seconds(row, 5) = 4;
  const Pacing pacing = PacingOf(table);
  EXPECT_EQ(pacing.median_seconds, 1);
  EXPECT_EQ(pacing.behind_seconds[4], 0);
  EXPECT_EQ(pacing.behind_seconds[5], 3);
  EXPECT_GT(pacing.spread_seconds, 1);
}

TEST(HeatMap, ACellHasTheLowestHighestLastAndMean) {
  RankMatrix values(1, 6);
  const double row[] = {4, -2, kUnknown, 1, -5, -3};
  for (size_t n = 0; n < 6; ++n) values(0, n) = row[n];
  const HeatMap map = ReduceToBins(values, 2);
  EXPECT_EQ(map.cells.lowest(0, 0), -2);
  EXPECT_EQ(map.cells.highest(0, 0), 4);
  EXPECT_EQ(map.cells.last(0, 0), -2);
  EXPECT_EQ(map.cells.mean(0, 0), 1);
  EXPECT_EQ(map.cells.count(0, 1), 3);
  EXPECT_EQ(map.cells.lowest(0, 1), -5);
  EXPECT_EQ(map.cells.highest(0, 1), 1);
  EXPECT_EQ(map.cells.last(0, 1), -3);
  EXPECT_NEAR(map.cells.mean(0, 1), -7.0 / 3, 1e-12);
}

TEST(Pacing, MissingStepsAreNoDelay) {
  StepTable table = EvenSteps(1, 3, 2.0);
  table.step = {10, 11, 14};
  table.end_ms = {5'000, 7'500, 13'000};
  const Pacing pacing = PacingOf(table);
  EXPECT_EQ(pacing.behind_seconds, (std::vector<double>{0, 0.5, 0}));
  EXPECT_EQ(pacing.step_seconds, (std::vector<double>{2, 2, 2}));
  EXPECT_EQ(pacing.spread_seconds, 0);
}

TEST(Pacing, TheSpreadLeavesTheOutermostTwentiethsOut) {
  StepTable table = EvenSteps(1, 21, 1.0);
  for (size_t n = 0; n < 21; ++n) table.step_seconds(0, n) = static_cast<double>(n * n);
  // From 1 to 19 squared.
  EXPECT_DOUBLE_EQ(PacingOf(table).spread_seconds, 19 * 19 - 1);
}

}  // namespace
}  // namespace lockstep::training
