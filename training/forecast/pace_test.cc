#include "training/forecast/pace.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "training/job/made_steps.h"

namespace lockstep::training {
namespace {

Attempt Over(const StepTable& table, int64_t begin_ms = 0) {
  return {.time = {begin_ms, table.end_ms.back()}, .steps = &table};
}

Pace PaceOfTables(const std::vector<const StepTable*>& tables) {
  std::vector<Attempt> attempts;
  for (const StepTable* table : tables) attempts.push_back(Over(*table));
  return PaceOf(attempts, FindLongStepsOf(attempts));
}

// From column `at` on, everything ends later by `seconds`; the step itself takes that much longer.
void Lengthen(StepTable& table, size_t at, double seconds) {
  for (size_t n = at; n < table.size(); ++n) table.end_ms[n] += std::llround(1000 * seconds);
  for (size_t row = 0; row < table.step_seconds.rows(); ++row) {
    table.step_seconds(row, at) += seconds;
  }
}

TEST(Pace, EvenStepsHaveOnePace) {
  const StepTable table = EvenSteps(2, 200, 0.5);
  const Pace pace = PaceOfTables({&table});
  EXPECT_EQ(pace.steps, 199u);
  EXPECT_NEAR(pace.seconds_per_step, 0.5, 1e-9);
  EXPECT_NEAR(pace.fast, 0.5, 1e-9);
  EXPECT_NEAR(pace.slow, 0.5, 1e-9);
}

TEST(Pace, IsUnknownBeforeTwentySteps) {
  const StepTable few = EvenSteps(1, 20, 0.5);
  EXPECT_TRUE(std::isnan(PaceOfTables({&few}).seconds_per_step));
  const StepTable enough = EvenSteps(1, 21, 0.5);
  EXPECT_NEAR(PaceOfTables({&enough}).seconds_per_step, 0.5, 1e-9);
  EXPECT_TRUE(std::isnan(PaceOfTables({&enough}).slow));
}

TEST(Pace, LeavesOutTheWarmUp) {
  StepTable table = EvenSteps(1, 100, 1.0);
  table.attempt_first_step = 0;
  Lengthen(table, 3, 500);
  const Pace pace = PaceOfTables({&table});
  EXPECT_EQ(pace.steps, 89u);
  EXPECT_NEAR(pace.seconds_per_step, 1.0, 1e-9);
}

// A trainer that logs every tenth step.
TEST(Pace, CountsStepsThatAreNotLogged) {
  StepTable table = EvenSteps(1, 100, 20.0);
  for (int64_t& step : table.step) step *= 10;
  table.attempt_first_step = -1000;
  EXPECT_NEAR(PaceOfTables({&table}).seconds_per_step, 2.0, 1e-9);
}

TEST(Pace, TheNewestHalfSaysHowLongAStepTakes) {
  const StepTable slow = EvenSteps(1, 100, 2.0);
  const StepTable fast = EvenSteps(1, 110, 1.0, 1'000'000, 100);
  const Pace pace = PaceOfTables({&slow, &fast});
  EXPECT_NEAR(pace.seconds_per_step, 1.0, 0.05);
  EXPECT_NEAR(pace.fast, 1.0, 0.05);
  EXPECT_NEAR(pace.slow, 2.0, 0.05);
}

// A checkpoint of 40 s after each 100 steps adds 0.4 s to each step, wherever the last one was.
TEST(Pace, CheckpointsAreSpreadOverAllSteps) {
  StepTable table = EvenSteps(2, 400, 1.0);
  table.phases = {{"checkpoint", PhaseKind::kCheckpoint, RankMatrix(2, 400, 0)}};
  for (const size_t at : {99, 199, 299}) {
    Lengthen(table, at, 40);
    for (size_t row = 0; row < 2; ++row) table.phases[0].seconds(row, at) = 40;
  }
  EXPECT_NEAR(PaceOfTables({&table}).seconds_per_step, 1.0 + 120.0 / 399, 1e-6);
}

TEST(Pace, AHangIsNoHabit) {
  StepTable table = EvenSteps(2, 400, 1.0);
  Lengthen(table, 350, 3600);
  EXPECT_NEAR(PaceOfTables({&table}).seconds_per_step, 1.0, 1e-6);
}

TEST(Interruptions, AreTheStartsButTheFirst) {
  const StepTable first = EvenSteps(1, 100, 1.0);
  const StepTable second = EvenSteps(1, 50, 1.0, 160'000, 100);
  const StepTable third = EvenSteps(1, 70, 1.0, 250'000, 150);
  const Interruptions found =
      InterruptionsOf(std::vector{Over(first), Over(second, 130'000), Over(third, 220'000)});
  EXPECT_EQ(found.count, 2u);
  EXPECT_NEAR(found.running_seconds, 100 + 80 + 100, 1e-9);
  EXPECT_NEAR(found.mean_seconds_between, 140, 1e-9);
  EXPECT_NEAR(found.restart_seconds, (60 + 40) / 2.0, 1e-9);
  EXPECT_TRUE(std::isnan(found.at_least_seconds_between));
}

TEST(Interruptions, AnAttemptWithoutStepsIsOne) {
  const StepTable first = EvenSteps(1, 100, 1.0);
  const StepTable none;
  const StepTable third = EvenSteps(1, 70, 1.0, 250'000, 100);
  const std::vector<Attempt> attempts = {
      Over(first), {.time = {130'000, 180'000}, .steps = &none}, Over(third, 200'000)};
  const Interruptions found = InterruptionsOf(attempts);
  EXPECT_EQ(found.count, 2u);
  EXPECT_NEAR(found.restart_seconds, 150, 1e-9);
}

// P(no event in T) = exp(-T / mean) = 5 % for a mean of T / 3.
TEST(Interruptions, NoneSaysHowRareTheyAreAtLeast) {
  const StepTable table = EvenSteps(1, 300, 1.0);
  const Interruptions found = InterruptionsOf(std::vector{Over(table)});
  EXPECT_TRUE(std::isnan(found.mean_seconds_between));
  EXPECT_NEAR(std::exp(-300 / found.at_least_seconds_between), 0.05, 0.001);
}

TEST(TimeLeft, IsStepsTimesPace) {
  const TimeLeft left = TimeLeftOf({.seconds_per_step = 2, .fast = 1.5, .slow = 3}, 100,
                                   /*mean_seconds_between=*/kUnknown, /*lost_seconds=*/30);
  EXPECT_DOUBLE_EQ(left.seconds, 200);
  EXPECT_DOUBLE_EQ(left.earliest_seconds, 150);
  EXPECT_DOUBLE_EQ(left.latest_seconds, 300);
  EXPECT_TRUE(std::isnan(left.interruptions));
}

TEST(TimeLeft, ExpectsInterruptions) {
  const TimeLeft left = TimeLeftOf({.seconds_per_step = 2, .fast = 1.5, .slow = 3}, 100,
                                   /*mean_seconds_between=*/50, /*lost_seconds=*/30);
  EXPECT_DOUBLE_EQ(left.interruptions, 4);
  EXPECT_DOUBLE_EQ(left.seconds, 200 + 4 * 30);
  EXPECT_DOUBLE_EQ(left.earliest_seconds, 150);
  EXPECT_DOUBLE_EQ(left.latest_seconds, 300 + 8 * 30);
}

}  // namespace
}  // namespace lockstep::training
