#include "training/devices/step_axis.h"

#include <gtest/gtest.h>

#include <cmath>
#include <optional>

#include "training/job/made_steps.h"

namespace lockstep::training {
namespace {

TEST(StepAxis, TimesBelongToSteps) {
  const StepTable table = EvenSteps(1, 3, 1.0, 10'000, 5);
  const std::pair<int64_t, std::optional<size_t>> cases[] = {
      {9'999, std::nullopt}, {10'500, 0}, {11'000, 0},
      {11'001, 1},           {13'000, 2}, {13'001, std::nullopt}};
  for (const auto& [time_ms, column] : cases) EXPECT_EQ(StepAt(table, time_ms), column) << time_ms;
  EXPECT_EQ(TimeOfStep(table, 1), (TimeRange{11'000, 12'000}));
}

TEST(StepAxis, GaugesAreWeightedByTime) {
  const StepTable table = EvenSteps(1, 2, 1.0);
  const CounterSeries power = {.timestamp_ms = {0, 250, 1000, 2000}, .value = {7, 100, 500, 300}};
  const std::vector<double> mean = MeanPerStep(power, table);
  EXPECT_NEAR(mean[0], 0.25 * 100 + 0.75 * 500, 1e-9);
  EXPECT_NEAR(mean[1], 300, 1e-9);
}

TEST(StepAxis, BeforeTheFirstStepIsNone) {
  const StepTable table = EvenSteps(1, 2, 1.0, 10'000);
  EXPECT_EQ(StepAt(table, 10'000), 0u);
  EXPECT_EQ(StepAt(table, 9'999), std::nullopt);
  EXPECT_EQ(StepAt({}, 0), std::nullopt);
}

TEST(StepAxis, AStepThatSamplesDoNotCoverIsUnknown) {
  const StepTable table = EvenSteps(1, 3, 1.0);
  const CounterSeries late = {.timestamp_ms = {1, 1000, 2000, 2999}, .value = {1, 2, 3, 4}};
  const std::vector<double> mean = MeanPerStep(late, table);
  EXPECT_TRUE(std::isnan(mean[0]));
  EXPECT_EQ(mean[1], 3);
  EXPECT_TRUE(std::isnan(mean[2]));
  EXPECT_TRUE(std::isnan(MeanPerStep({.timestamp_ms = {500}, .value = {1}}, table)[0]));
}

TEST(StepAxis, WhatIsNoNumberHasNoWeight) {
  const StepTable table = EvenSteps(1, 2, 1.0);
  const CounterSeries power = {.timestamp_ms = {0, 250, 1000, 1500, 2000},
                               .value = {7, kUnknown, 500, kUnknown, kUnknown}};
  const std::vector<double> mean = MeanPerStep(power, table);
  EXPECT_NEAR(mean[0], 500, 1e-9);
  EXPECT_TRUE(std::isnan(mean[1]));
}

TEST(StepAxis, ASampleAcrossTwoStepsCountsInBoth) {
  const StepTable table = EvenSteps(1, 2, 1.0);
  const CounterSeries power = {.timestamp_ms = {0, 500, 1500, 2000}, .value = {0, 100, 300, 700}};
  const std::vector<double> mean = MeanPerStep(power, table);
  EXPECT_NEAR(mean[0], 200, 1e-9);
  EXPECT_NEAR(mean[1], 500, 1e-9);
}

}  // namespace
}  // namespace lockstep::training
