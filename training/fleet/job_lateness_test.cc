#include "training/fleet/job_lateness.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "training/fleet/normal.h"
#include "training/job/made_steps.h"

namespace lockstep::training {
namespace {

// Ranks whose own times in a step of a second are these.
StepTable WithOwnTimes(const std::vector<double>& seconds, size_t steps = 40) {
  StepTable table = EvenSteps(seconds.size(), steps, 1.0);
  PhaseColumn compute{"compute", PhaseKind::kCompute, RankMatrix(seconds.size(), steps, 0)};
  PhaseColumn wait{"allreduce", PhaseKind::kWait, RankMatrix(seconds.size(), steps, 0)};
  for (size_t row = 0; row < seconds.size(); ++row) {
    for (double& each : compute.seconds.Row(row)) each = seconds[row];
    for (double& each : wait.seconds.Row(row)) each = 1 - seconds[row];
  }
  table.phases = {compute, wait};
  return table;
}

Job WithRanks(size_t count) {
  Job job;
  for (size_t i = 0; i < count; ++i) job.ranks.push_back({.rank = static_cast<int64_t>(i)});
  return job;
}

std::vector<std::string> Models(size_t count) { return std::vector<std::string>(count, "h"); }

TEST(Normal, QuantileAndTailAgree) {
  EXPECT_NEAR(NormalQuantile(0.975), 1.959963985, 1e-8);
  EXPECT_NEAR(NormalQuantile(0.5), 0, 1e-9);
  EXPECT_NEAR(NormalTail(1.959963985), 0.025, 1e-9);
  EXPECT_NEAR(NormalTail(NormalQuantile(1e-6)), 1 - 1e-6, 1e-12);
}

TEST(JobLatenessTest, IsAgainstTheMedianOfThePeers) {
  const auto found = LatenessOf(WithRanks(5), WithOwnTimes({0.5, 0.51, 0.6, 0.49, 0.5}), Models(5));
  ASSERT_EQ(found.size(), 5u);
  EXPECT_EQ(found.back().place.rank, 2);
  EXPECT_NEAR(found.back().late_ratio, 0.2, 1e-9);
  EXPECT_TRUE(found.back().is_slowest);
  EXPECT_EQ(found.front().place.rank, 3);
  EXPECT_NEAR(found.front().late_ratio, -0.02, 1e-9);
  EXPECT_FALSE(found.front().is_slowest);
  EXPECT_EQ(found.front().peers, 5u);
}

TEST(JobLatenessTest, ScoresHaveAMeanOfZeroAndAVarianceOfOne) {
  for (const size_t count : {4, 7, 64}) {
    std::vector<double> seconds;
    for (size_t i = 0; i < count; ++i) {
      seconds.push_back(0.5 + 0.001 * static_cast<double>(i * 5 % count));
    }
    double sum = 0;
    double squares = 0;
    for (const RankLateness& rank :
         LatenessOf(WithRanks(count), WithOwnTimes(seconds), Models(count))) {
      sum += rank.score;
      squares += rank.score * rank.score;
    }
    EXPECT_NEAR(sum, 0, 1e-6) << count;
    EXPECT_NEAR(squares, static_cast<double>(count), 1e-6) << count;
  }
}

TEST(JobLatenessTest, EqualOnesShareTheirPlace) {
  const auto found = LatenessOf(WithRanks(4), WithOwnTimes({0.5, 0.5, 0.5, 0.5}), Models(4));
  ASSERT_EQ(found.size(), 4u);
  for (const RankLateness& rank : found) {
    EXPECT_NEAR(rank.score, 0, 1e-6);
    EXPECT_FALSE(rank.is_slowest);
  }
}

TEST(JobLatenessTest, OtherGpusAndOtherWorkAreNoPeers) {
  const StepTable table = WithOwnTimes({0.5, 0.5, 0.5, 0.5, 0.8, 0.8, 0.8, 0.8});
  std::vector<std::string> models = Models(8);
  for (size_t row = 4; row < 8; ++row) models[row] = "a";
  for (const RankLateness& rank : LatenessOf(WithRanks(8), table, models)) {
    EXPECT_NEAR(rank.late_ratio, 0, 1e-9);
  }
  Job staged = WithRanks(8);
  for (size_t row = 4; row < 8; ++row) staged.ranks[row].stage = 1;
  for (const RankLateness& rank : LatenessOf(staged, table, Models(8))) {
    EXPECT_NEAR(rank.late_ratio, 0, 1e-9);
  }
}

TEST(JobLatenessTest, NeedsPeersStepsAndOwnTimes) {
  EXPECT_TRUE(LatenessOf(WithRanks(3), WithOwnTimes({0.5, 0.5, 0.6}), Models(3)).empty());
  EXPECT_TRUE(LatenessOf(WithRanks(4), WithOwnTimes({0.5, 0.5, 0.5, 0.6}, 19), Models(4)).empty());
  EXPECT_FALSE(LatenessOf(WithRanks(4), WithOwnTimes({0.5, 0.5, 0.5, 0.6}, 20), Models(4)).empty());
  EXPECT_TRUE(LatenessOf(WithRanks(4), {}, Models(4)).empty());
}

}  // namespace
}  // namespace lockstep::training
