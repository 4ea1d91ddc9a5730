#include "training/steps.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "training/step_alignment.h"

namespace lockstep::training {
namespace {

TEST(Steps, PhaseKindsFollowFromNames) {
  struct Case {
    const char* name;
    const char* kind;
  };
  const Case cases[] = {{"data", "data"},
                        {"data_time_s", "data"},
                        {"DATA_LOADING", "data"},
                        {"Load Batch", "data"},
                        {"batch-generator", "data"},
                        {"h2d_time_s", "h2d"},
                        {"forward_time_s", "forward"},
                        {"forward-compute", "forward"},
                        {"bwd_inner", "backward"},
                        {"bwd_allreduce", "communication"},
                        {"allreduce_time_s", "communication"},
                        {"grads-reduce-scatter", "communication"},
                        {"params-all-gather", "communication"},
                        {"forward-recv", "communication"},
                        {"comm_wait", "wait"},
                        {"Optimizer Step", "optimizer"},
                        {"checkpoint_time_s", "checkpoint"},
                        {"ckpt_save_wait", "checkpoint"},
                        {"load_checkpoint", "checkpoint"},
                        {"eval_time_s", "evaluation"},
                        {"validation_data", "evaluation"},
                        {"gc", "other"}};
  for (const Case& c : cases) EXPECT_EQ(PhaseKindName(PhaseKindOf(c.name)), c.kind) << c.name;
}

RankSteps Reported(std::vector<int64_t> steps, std::vector<double> forward) {
  RankSteps rank;
  for (const int64_t step : steps) rank.end_ms.push_back(1000 + 100 * step);
  rank.step = std::move(steps);
  rank.phases.push_back({"forward", std::move(forward)});
  return rank;
}

TEST(Steps, AreAlignedByNumber) {
  std::vector<RankSteps> ranks = {Reported({3, 4, 5}, {1, 2, 3}),
                                  Reported({5, 4, 7, 5}, {10, 20, 30, 40})};
  ranks[1].loss = {0.5, 0.4, 0.3, 0.2};
  const StepTable table = AlignSteps(ranks);
  EXPECT_EQ(table.step, (std::vector<int64_t>{3, 4, 5, 7}));
  EXPECT_EQ(table.end_ms, (std::vector<int64_t>{1300, 1400, 1500, 1700}));
  const RankMatrix& forward = table.phases.at(0).seconds;
  EXPECT_EQ(forward(0, 1), 2);
  EXPECT_EQ(forward(1, 2), 40);  // the later entry of step 5
  EXPECT_TRUE(std::isnan(forward(1, 0)));
  EXPECT_TRUE(std::isnan(table.loss(0, 0)));
  EXPECT_EQ(table.loss(1, 3), 0.3);
  EXPECT_TRUE(table.step_seconds.empty());
  EXPECT_EQ(StepBeginMs(table, 1), 1300);
}

TEST(Steps, ABeginWithoutTheStepBeforeIsTheEndLessTheLength) {
  RankSteps rank = Reported({3, 7}, {1, 1});
  rank.step_seconds = {0.05, 0.25};
  const StepTable table = AlignSteps(std::vector{rank});
  EXPECT_EQ(StepBeginMs(table, 0), 1250);
  EXPECT_EQ(StepBeginMs(table, 1), 1450);
}

TEST(Steps, SumsArePerKind) {
  RankSteps rank = Reported({0, 1}, {1, 2});
  rank.phases.push_back({"optimizer", {0.25, kUnknown}});
  const StepTable table = AlignSteps(std::vector{rank});
  const RankMatrix sum = SumOfPhases(table, {PhaseKind::kForward, PhaseKind::kOptimizer});
  EXPECT_EQ(sum(0, 0), 1.25);
  EXPECT_TRUE(std::isnan(sum(0, 1)));
  EXPECT_TRUE(SumOfPhases(table, {PhaseKind::kData}).empty());
}

TEST(Steps, WhatIsReportedOnlyWhenItHappensIsZeroOtherwise) {
  RankSteps rank = Reported({0, 1, 2}, {1, 2, kUnknown});
  rank.phases.push_back({"checkpoint", {kUnknown, 8, kUnknown}});
  const StepTable table = AlignSteps(std::vector{rank});
  const RankMatrix sum = SumOfPhases(table, {PhaseKind::kForward, PhaseKind::kCheckpoint});
  EXPECT_EQ(sum(0, 0), 1);
  EXPECT_EQ(sum(0, 1), 10);
  EXPECT_TRUE(std::isnan(sum(0, 2)));  // forward is missing
  EXPECT_EQ(SumOfPhases(table, {PhaseKind::kCheckpoint})(0, 0), 0);
}

}  // namespace
}  // namespace lockstep::training
