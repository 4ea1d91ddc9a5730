#include "training/forecast/checkpoints.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "training/job/made_steps.h"

namespace lockstep::training {
namespace {

// A checkpoint of so many seconds, by the slower of two ranks, in each of the columns.
StepTable WithCheckpoints(const std::vector<size_t>& columns, double seconds) {
  StepTable table = EvenSteps(2, 400, 1.0);
  table.phases = {{"checkpoint", PhaseKind::kCheckpoint, RankMatrix(2, 400, 0.0001)}};
  for (const size_t at : columns) {
    for (size_t n = at; n < table.size(); ++n) table.end_ms[n] += std::llround(1000 * seconds);
    table.phases[0].seconds(0, at) = seconds / 2;
    table.phases[0].seconds(1, at) = seconds;
    table.step_seconds(0, at) += seconds;
    table.step_seconds(1, at) += seconds;
  }
  return table;
}

Checkpoints Of(const std::vector<StepTable>& tables) {
  std::vector<Attempt> attempts;
  for (const StepTable& table : tables) {
    attempts.push_back({.time = {0, table.end_ms.back()}, .steps = &table});
  }
  return CheckpointsOf(attempts, FindLongStepsOf(attempts));
}

TEST(Checkpoints, AreTheLoggedPhases) {
  const Checkpoints found = Of({WithCheckpoints({99, 199, 299}, 40)});
  EXPECT_EQ(found.count, 3u);
  EXPECT_DOUBLE_EQ(found.seconds, 40);
  EXPECT_DOUBLE_EQ(found.interval_steps, 100);
  EXPECT_DOUBLE_EQ(found.interval_seconds, 140);
}

TEST(Checkpoints, ShortOnesCountToo) {
  const Checkpoints found = Of({WithCheckpoints({99, 199}, 0.05)});
  EXPECT_EQ(found.count, 2u);
  EXPECT_DOUBLE_EQ(found.seconds, 0.05);
}

TEST(Checkpoints, NoIntervalReachesOverARestart) {
  const Checkpoints found = Of({WithCheckpoints({399}, 40), WithCheckpoints({9}, 20)});
  EXPECT_EQ(found.count, 2u);
  EXPECT_DOUBLE_EQ(found.seconds, 30);
  EXPECT_TRUE(std::isnan(found.interval_seconds));
}

TEST(Checkpoints, NoneIsUnknown) {
  const Checkpoints found = Of({EvenSteps(2, 400, 1.0)});
  EXPECT_EQ(found.count, 0u);
  EXPECT_TRUE(std::isnan(found.seconds));
}

TEST(LostShareTest, AddsWritingAndDoingAgain) {
  // 40 s of each 400; once in 10,000 s half of 400 s and a restart of 100 s.
  EXPECT_DOUBLE_EQ(LostShare(400, 40, 10'000, 100), 0.1 + (200 + 100) / 10'000.0);
}

// Whatever the costs, no other interval loses less by more than the approximation's error.
TEST(BestInterval, LosesLeast) {
  for (const double checkpoint : {1.0, 30.0, 600.0}) {
    for (const double mean : {2'000.0, 86'400.0, 2'592'000.0}) {
      const double best = BestIntervalSeconds(checkpoint, mean);
      const double lost = LostShare(best, checkpoint, mean, 300);
      for (const double factor : {0.5, 0.7, 1.5, 2.0}) {
        EXPECT_LT(lost, LostShare(factor * best, checkpoint, mean, 300))
            << checkpoint << " " << mean << " " << factor;
      }
    }
  }
}

// Daly's own example of the limit: the interval of computing is the mean time itself.
TEST(BestInterval, IsTheMeanTimeWhereCheckpointsTakeTwiceAsLong) {
  EXPECT_DOUBLE_EQ(BestIntervalSeconds(200, 100), 300);
  EXPECT_NEAR(BestIntervalSeconds(199.99, 100), 200 * (1 + 1 / 3.0 + 1 / 9.0), 0.1);
}

}  // namespace
}  // namespace lockstep::training
