#include "training/comparison.h"

#include <gtest/gtest.h>

#include <cmath>
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

}  // namespace
}  // namespace lockstep::training
