#include "training/comparison.h"

#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <random>
#include <vector>

#include "training/job/made_steps.h"

namespace lockstep::training {
namespace {

// A noisy loss that falls with the tokens seen and diverges upward from `parts_at_step` on.
StepTable RunOf(double seconds, double tokens, int64_t parts_at_step, unsigned seed) {
  StepTable table = EvenSteps(2, 200, seconds);
  table.tokens = RankMatrix(2, 200, tokens);
  table.loss = RankMatrix(2, 200);
  table.memory_allocated_bytes = RankMatrix(2, 200, 5e9);
  std::mt19937 random(seed);
  std::normal_distribution<double> noise(0, 0.01);
  for (size_t n = 0; n < 200; ++n) {
    const double seen = tokens * static_cast<double>(n + 1);
    const auto past =
        static_cast<double>(std::max<int64_t>(0, static_cast<int64_t>(n) - parts_at_step));
    for (size_t row = 0; row < 2; ++row) {
      table.loss(row, n) = 2 + 5 / (1 + seen / 1e5) + 0.01 * past + noise(random);
    }
  }
  return table;
}

TEST(Comparison, RunsAreHeldAgainstTheFirst) {
  const StepTable slow = RunOf(1.0, 1000, 1000, 1);
  const StepTable quick = RunOf(0.5, 1000, 1000, 2);
  const std::vector<TrainingRun> runs = {
      {.name = "bf16", .steps = &slow, .joules = 2e5, .rank_count = 2},
      {.name = "fp8", .steps = &quick, .joules = 1.2e5, .rank_count = 2}};
  const Comparison comparison = CompareRuns(runs, ComparisonAxis::kStep);
  ASSERT_EQ(comparison.runs.size(), 2u);
  EXPECT_EQ(comparison.at.size(), 200u);
  EXPECT_NEAR(comparison.runs[1].speed, 2, 1e-9);
  EXPECT_NEAR(comparison.runs[1].tokens_per_second, 2000, 1e-9);
  EXPECT_NEAR(comparison.runs[1].joules_per_step, 600, 1e-9);
  EXPECT_EQ(comparison.runs[1].highest_memory_bytes, 5e9);
  EXPECT_NEAR(comparison.runs[1].last_gap, 0, 0.01);
  EXPECT_EQ(comparison.runs[1].parts_at, std::nullopt);
}

TEST(Comparison, FindsWhereLossesPart) {
  const StepTable first = RunOf(1.0, 1000, 1000, 3);
  const StepTable parting = RunOf(1.0, 1000, 100, 4);
  const std::vector<TrainingRun> runs = {{.name = "a", .steps = &first},
                                         {.name = "b", .steps = &parting}};
  const Comparison comparison = CompareRuns(runs, ComparisonAxis::kStep);
  ASSERT_TRUE(comparison.runs[1].parts_at.has_value());
  EXPECT_NEAR(*comparison.runs[1].parts_at, 103, 5);
  EXPECT_GT(comparison.runs[1].last_gap, 0.8);
}

TEST(Comparison, EqualTokensAreNotEqualSteps) {
  const StepTable small = RunOf(1.0, 1000, 1000, 5);
  const StepTable large = RunOf(1.0, 2000, 1000, 6);
  const std::vector<TrainingRun> runs = {{.name = "small", .steps = &small},
                                         {.name = "large", .steps = &large}};
  EXPECT_LT(CompareRuns(runs, ComparisonAxis::kStep).runs[1].last_gap, -0.3);
  const Comparison by_tokens = CompareRuns(runs, ComparisonAxis::kTokens);
  EXPECT_NEAR(by_tokens.runs[1].last_gap, 0, 0.03);
  EXPECT_EQ(by_tokens.runs[1].parts_at, std::nullopt);
  EXPECT_TRUE(std::isnan(by_tokens.runs[1].loss.front()));  // before its first step's end
}

// One rank with such losses, in steps of a second.
StepTable LossesOf(const std::vector<double>& losses) {
  StepTable table = EvenSteps(1, losses.size(), 1.0);
  table.loss = RankMatrix(1, losses.size());
  for (size_t n = 0; n < losses.size(); ++n) table.loss(0, n) = losses[n];
  return table;
}

ComparedRun SecondOf(const StepTable& first, const StepTable& second,
                     ComparisonAxis axis = ComparisonAxis::kStep) {
  const std::vector<TrainingRun> runs = {{.name = "first", .steps = &first},
                                         {.name = "second", .steps = &second}};
  return CompareRuns(runs, axis).runs.at(1);
}

TEST(Comparison, LossesBetweenPointsAreInterpolated) {
  const StepTable first = LossesOf({4, 3, 2, 1});
  StepTable second = LossesOf({8, 6, 2});
  second.step = {1, 2, 4};
  const ComparedRun found = SecondOf(first, second);
  EXPECT_TRUE(std::isnan(found.loss[0]));  // before its first step
  EXPECT_EQ(found.loss[1], 8);
  EXPECT_EQ(found.loss[2], 6);
  EXPECT_EQ(found.loss[3], 4);
  EXPECT_EQ(found.loss_gap[3], 3);
  // After its last step.
  EXPECT_TRUE(std::isnan(SecondOf(first, LossesOf({1, 1, 1})).loss[3]));
  // A run without losses has none.
  EXPECT_TRUE(std::isnan(SecondOf(first, EvenSteps(1, 4, 1.0)).loss[0]));
}

TEST(Comparison, AxesAreStepsTokensOrSeconds) {
  StepTable table = EvenSteps(2, 3, 2.0, 10'000, 5);
  table.tokens = RankMatrix(2, 3, 100);
  table.tokens(0, 1) = table.tokens(1, 1) = kUnknown;
  const std::vector<TrainingRun> runs = {{.name = "a", .steps = &table}};
  EXPECT_EQ(CompareRuns(runs, ComparisonAxis::kStep).at, (std::vector<double>{5, 6, 7}));
  EXPECT_EQ(CompareRuns(runs, ComparisonAxis::kTokens).at, (std::vector<double>{100, 100, 200}));
  EXPECT_EQ(CompareRuns(runs, ComparisonAxis::kSeconds).at, (std::vector<double>{2, 4, 6}));
  EXPECT_EQ(CompareRuns(runs, ComparisonAxis::kSeconds).axis, ComparisonAxis::kSeconds);
}

TEST(Comparison, StepTimesAreThoseAfterWarmUp) {
  StepTable table = EvenSteps(1, 20, 1.0);
  for (size_t n = 0; n < 15; ++n) table.step_seconds(0, n) = 3;
  table.tokens = RankMatrix(1, 20, 30);
  table.memory_allocated_bytes = RankMatrix(1, 20, 5);
  table.memory_allocated_bytes(0, 7) = 9;
  table.memory_allocated_bytes(0, 8) = kUnknown;
  const auto measured = [&table] {
    const std::vector<TrainingRun> runs = {{.name = "a", .steps = &table, .joules = 600}};
    return CompareRuns(runs, ComparisonAxis::kStep).runs.at(0);
  };
  EXPECT_EQ(measured().step_seconds, 3);
  table.attempt_first_step = 5;
  EXPECT_EQ(measured().step_seconds, 1);
  EXPECT_EQ(measured().tokens_per_second, 30);
  EXPECT_EQ(measured().highest_memory_bytes, 9);
  EXPECT_EQ(measured().joules_per_step, 30);
  EXPECT_EQ(measured().joules_per_token, 1);
  EXPECT_EQ(measured().speed, 1);
  EXPECT_EQ(measured().name, "a");
  table.attempt_first_step = 11;  // no step is left
  EXPECT_EQ(measured().step_seconds, 3);
}

TEST(Comparison, TheLastGapIsThatOfTheLastTenth) {
  std::vector<double> losses(20, 2.0);
  losses[17] = 9;
  losses[18] = 3;
  losses[19] = 5;
  // Three of 20 points: 9, 3 and 5.
  EXPECT_EQ(SecondOf(LossesOf(std::vector<double>(20, 2.0)), LossesOf(losses)).last_gap, 3);
  EXPECT_TRUE(std::isnan(SecondOf(EvenSteps(1, 4, 1.0), EvenSteps(1, 4, 1.0)).last_gap));
}

// Whether and where a loss parts that is two at first and grows to another value for good.
std::optional<double> PartsAt(size_t steps, size_t from, double value) {
  std::vector<double> losses(steps, 2.0);
  for (size_t n = from; n < steps; ++n) losses[n] = value;
  return SecondOf(LossesOf(std::vector<double>(steps, 2.0)), LossesOf(losses)).parts_at;
}

TEST(Comparison, LossesPartByMoreThanAShareOfTheLossAndForLong) {
  EXPECT_EQ(PartsAt(50, 20, 2.005), 20);
  EXPECT_EQ(PartsAt(50, 20, 2.0039), std::nullopt);
  EXPECT_EQ(PartsAt(50, 20, 1.9), 20);
  EXPECT_EQ(PartsAt(50, 39, 3), 39);
  EXPECT_EQ(PartsAt(50, 40, 3), std::nullopt);
  EXPECT_EQ(PartsAt(11, 0, 3), 0);
  EXPECT_EQ(PartsAt(10, 0, 3), std::nullopt);
}

}  // namespace
}  // namespace lockstep::training
