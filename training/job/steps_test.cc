#include "training/job/steps.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace lockstep::training {
namespace {

TEST(Steps, PhaseKindsFollowFromNames) {
  struct Case {
    const char* name;
    PhaseKind kind;
  };
  const Case cases[] = {{"data", PhaseKind::kData},
                        {"data_time_s", PhaseKind::kData},
                        {"DATA_LOADING", PhaseKind::kData},
                        {"Load Batch", PhaseKind::kData},
                        {"batch-generator", PhaseKind::kData},
                        {"h2d_time_s", PhaseKind::kHostToDevice},
                        {"forward_time_s", PhaseKind::kForward},
                        {"forward-compute", PhaseKind::kForward},
                        {"bwd_inner", PhaseKind::kBackward},
                        {"bwd_allreduce", PhaseKind::kCommunication},
                        {"allreduce_time_s", PhaseKind::kCommunication},
                        {"grads-reduce-scatter", PhaseKind::kCommunication},
                        {"params-all-gather", PhaseKind::kCommunication},
                        {"forward-recv", PhaseKind::kCommunication},
                        {"comm_wait", PhaseKind::kWait},
                        {"Optimizer Step", PhaseKind::kOptimizer},
                        {"checkpoint_time_s", PhaseKind::kCheckpoint},
                        {"ckpt_save_wait", PhaseKind::kCheckpoint},
                        {"load_checkpoint", PhaseKind::kCheckpoint},
                        {"eval_time_s", PhaseKind::kEvaluation},
                        {"validation_data", PhaseKind::kEvaluation},
                        {"gc", PhaseKind::kOther}};
  for (const Case& c : cases) EXPECT_EQ(PhaseKindOf(c.name), c.kind) << c.name;
}

// One rank's steps, which end a tenth of a second after one another.
StepTable TableOf(std::vector<int64_t> steps) {
  StepTable table;
  for (const int64_t step : steps) table.end_ms.push_back(1000 + 100 * step);
  table.step = std::move(steps);
  return table;
}

RankMatrix RowOf(const std::vector<double>& values) {
  RankMatrix row(1, values.size());
  for (size_t n = 0; n < values.size(); ++n) row(0, n) = values[n];
  return row;
}

void AddPhase(const char* name, const std::vector<double>& seconds, StepTable& table) {
  table.phases.push_back({name, PhaseKindOf(name), RowOf(seconds)});
}

TEST(Steps, ABeginIsTheEndOfTheStepBefore) { EXPECT_EQ(StepBeginMs(TableOf({3, 4, 5}), 1), 1300); }

TEST(Steps, ABeginWithoutTheStepBeforeIsTheEndLessTheLength) {
  StepTable table = TableOf({3, 7});
  table.step_seconds = RowOf({0.05, 0.25});
  EXPECT_EQ(StepBeginMs(table, 0), 1250);
  EXPECT_EQ(StepBeginMs(table, 1), 1450);
}

TEST(Steps, SumsArePerKind) {
  StepTable table = TableOf({0, 1});
  AddPhase("forward", {1, 2}, table);
  AddPhase("optimizer", {0.25, kUnknown}, table);
  const RankMatrix sum = SumOfPhases(table, {PhaseKind::kForward, PhaseKind::kOptimizer});
  EXPECT_EQ(sum(0, 0), 1.25);
  EXPECT_TRUE(std::isnan(sum(0, 1)));
  EXPECT_TRUE(SumOfPhases(table, {PhaseKind::kData}).empty());
}

TEST(Steps, WhatIsReportedOnlyWhenItHappensIsZeroOtherwise) {
  StepTable table = TableOf({0, 1, 2});
  AddPhase("forward", {1, 2, kUnknown}, table);
  AddPhase("checkpoint", {kUnknown, 8, kUnknown}, table);
  const RankMatrix sum = SumOfPhases(table, {PhaseKind::kForward, PhaseKind::kCheckpoint});
  EXPECT_EQ(sum(0, 0), 1);
  EXPECT_EQ(sum(0, 1), 10);
  EXPECT_TRUE(std::isnan(sum(0, 2)));  // forward is missing
  EXPECT_EQ(SumOfPhases(table, {PhaseKind::kCheckpoint})(0, 0), 0);
}

}  // namespace
}  // namespace lockstep::training
