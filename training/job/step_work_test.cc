#include "training/job/step_work.h"

#include <gtest/gtest.h>

#include <vector>

#include "training/job/made_steps.h"
#include "training/stragglers/stragglers.h"

namespace lockstep::training {
namespace {

// Steps whose duration is proportional to their work, plus a fixed part.
StepTable Working(const std::vector<double>& flops, double slow_from = 1e9, double slow_by = 1) {
  StepTable table = EvenSteps(1, flops.size(), 1.0);
  table.model_flops = RankMatrix(1, flops.size());
  int64_t at_ms = 0;
  for (size_t n = 0; n < flops.size(); ++n) {
    table.model_flops(0, n) = flops[n];
    const bool is_slow = static_cast<double>(n) >= slow_from;
    table.step_seconds(0, n) = (0.1 + flops[n] / 1e13) * (is_slow ? slow_by : 1);
    at_ms += std::llround(1000 * table.step_seconds(0, n));
    table.end_ms[n] = at_ms;
  }
  return table;
}

std::vector<double> Lengths(size_t count) {
  std::vector<double> flops;
  uint64_t state = 7;
  for (size_t n = 0; n < count; ++n) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    flops.push_back(1e12 * static_cast<double>(1 << (state >> 62)));
  }
  return flops;
}

TEST(StepWork, StepsAreComparedWithStepsThatDidAsMuch) {
  const StepTable table = Working(Lengths(400));
  const StepWork work(table);
  EXPECT_TRUE(work.varies());
  const std::vector<double> usual = work.Usual(table.step_seconds.Row(0));
  for (size_t n = 0; n < usual.size(); ++n) EXPECT_NEAR(usual[n], table.step_seconds(0, n), 1e-9);
}

TEST(StepWork, RoundingIsNoDifference) {
  std::vector<double> flops(200, 1e12);
  for (size_t n = 0; n < flops.size(); ++n) flops[n] *= 1 + 0.001 * static_cast<double>(n % 7);
  EXPECT_FALSE(StepWork(Working(flops)).varies());
  EXPECT_FALSE(StepWork(EvenSteps(1, 100, 1.0)).varies());
}

TEST(StepWork, LargerBatchesAreNoSlowdownAndSlowerStepsAre) {
  Job job;
  job.ranks.resize(1);
  std::vector<double> growing;
  for (size_t n = 0; n < 800; ++n) growing.push_back(1e12 * static_cast<double>(1 << (n / 200)));
  EXPECT_EQ(FindStragglers({job, Working(growing), {}}).verdict, StragglerVerdict::kNone);
  EXPECT_EQ(FindStragglers({job, Working(Lengths(800)), {}}).verdict, StragglerVerdict::kNone);
  const StragglerAnswer slower = FindStragglers({job, Working(Lengths(800), 500, 1.15), {}});
  EXPECT_EQ(slower.verdict, StragglerVerdict::kJobSlowAll);
  EXPECT_NEAR(static_cast<double>(*slower.slow_since->first_step), 500, 15);
}

TEST(StepWork, AHostThatWandersIsNoSlowdown) {
  Job job;
  job.ranks.resize(1);
  // A random walk over windows of 2 s, like the drift of hosts: by 5 % from one to the next.
  StepTable table = EvenSteps(1, 1600, 0.05);
  uint64_t state = 3;
  double level = 0.05;
  for (size_t n = 0; n < table.size(); ++n) {
    if (n % 40 == 0) {
      state = state * 6364136223846793005ULL + 1442695040888963407ULL;
      level = 0.05 * (1 + 0.08 * static_cast<double>(state >> 40) / (1 << 24));
    }
    table.step_seconds(0, n) = level;
  }
  EXPECT_EQ(FindStragglers({job, table, {}}).verdict, StragglerVerdict::kNone);
}

}  // namespace
}  // namespace lockstep::training
