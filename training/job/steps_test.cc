#include "training/job/steps.h"

#include <gtest/gtest.h>

#include <cmath>
#include <span>
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

TEST(Steps, EachWordOfAPhaseHasItsKind) {
  const std::pair<PhaseKind, std::vector<const char*>> kinds[] = {
      {PhaseKind::kCheckpoint, {"checkpoint", "ckpt"}},
      {PhaseKind::kEvaluation, {"eval", "valid"}},
      {PhaseKind::kWait, {"wait"}},
      {PhaseKind::kCommunication,
       {"allreduce", "all_reduce", "all-reduce", "allgather", "all_gather", "all-gather",
        "reduce_scatter", "reduce-scatter", "send", "recv", "comm", "sync"}},
      {PhaseKind::kHostToDevice, {"h2d", "host_to_device", "memcpy"}},
      {PhaseKind::kData, {"data", "batch", "input", "load"}},
      {PhaseKind::kForward, {"forward", "fwd"}},
      {PhaseKind::kBackward, {"backward", "bwd"}},
      {PhaseKind::kOptimizer, {"optim"}},
      {PhaseKind::kCompute, {"compute", "kernel"}}};
  for (const auto& [kind, words] : kinds) {
    for (const char* word : words) EXPECT_EQ(PhaseKindOf(word), kind) << word;
  }
}

// Steps 1, 2 and 3, with all that a table can hold.
StepTable FullTable() {
  StepTable table = TableOf({1, 2, 3});  // which end at 1100, 1200 and 1300 ms
  table.attempt_first_step = 1;
  table.job_step_seconds = {10, 20, 30};
  table.step_seconds = RowOf({11, 21, 31});
  table.own_seconds = RowOf({12, 22, 32});
  table.loss = RowOf({13, 23, 33});
  table.gradient_norm = RowOf({14, 24, 34});
  table.memory_allocated_bytes = RowOf({15, 25, 35});
  table.model_flops = RowOf({16, 26, 36});
  table.tokens = RowOf({17, 27, 37});
  AddPhase("data", {18, 28, 38}, table);
  return table;
}

std::vector<double> ValuesOf(const RankMatrix& matrix) {
  const std::span<const double> row = matrix.Row(0);
  return {row.begin(), row.end()};
}

TEST(Steps, APartOfATableHasEverythingOfItsSteps) {
  const StepTable part = StepsIn(FullTable(), {1100, 1299});
  EXPECT_EQ(part.step, std::vector<int64_t>{2});
  EXPECT_EQ(part.end_ms, std::vector<int64_t>{1200});
  EXPECT_EQ(part.attempt_first_step, 1);
  EXPECT_EQ(part.job_step_seconds, std::vector<double>{20});
  EXPECT_EQ(ValuesOf(part.step_seconds), std::vector<double>{21});
  EXPECT_EQ(ValuesOf(part.own_seconds), std::vector<double>{22});
  EXPECT_EQ(ValuesOf(part.loss), std::vector<double>{23});
  EXPECT_EQ(ValuesOf(part.gradient_norm), std::vector<double>{24});
  EXPECT_EQ(ValuesOf(part.memory_allocated_bytes), std::vector<double>{25});
  EXPECT_EQ(ValuesOf(part.model_flops), std::vector<double>{26});
  EXPECT_EQ(ValuesOf(part.tokens), std::vector<double>{27});
  ASSERT_EQ(part.phases.size(), 1u);
  EXPECT_EQ(part.phases[0].name, "data");
  EXPECT_EQ(part.phases[0].kind, PhaseKind::kData);
  EXPECT_EQ(ValuesOf(part.phases[0].seconds), std::vector<double>{28});
}

TEST(Steps, APartHasTheStepsThatEndAfterItsBeginAndByItsEnd) {
  const auto steps = [](const TimeRange& time) { return StepsIn(FullTable(), time).step; };
  EXPECT_EQ(steps({1099, 1300}), (std::vector<int64_t>{1, 2, 3}));
  EXPECT_EQ(steps({1100, 1300}), (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(steps({0, 1299}), (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(steps({1300, 9999}), std::vector<int64_t>{});
  EXPECT_TRUE(StepsIn(FullTable(), {1300, 9999}).phases.empty());
  EXPECT_TRUE(StepsIn(FullTable(), {1300, 9999}).step_seconds.empty());
  StepTable bare = TableOf({1, 2, 3});
  EXPECT_TRUE(StepsIn(bare, {0, 1200}).job_step_seconds.empty());
  EXPECT_TRUE(StepsIn(bare, {0, 1200}).loss.empty());
}

TEST(Steps, AStepOfAJobTakesTheMedianOfItsRanks) {
  StepTable table = TableOf({0, 1});
  table.step_seconds = RankMatrix(3, 2);
  for (size_t row = 0; row < 3; ++row) table.step_seconds(row, 0) = static_cast<double>(row * row);
  const std::vector<double> seconds = JobStepSeconds(table);
  EXPECT_EQ(seconds.at(0), 1);
  EXPECT_TRUE(std::isnan(seconds.at(1)));
  table.job_step_seconds = {7, 8};
  EXPECT_EQ(JobStepSeconds(table), (std::vector<double>{7, 8}));
  const std::vector<double> unknown = JobStepSeconds(TableOf({0, 1, 2}));
  ASSERT_EQ(unknown.size(), 3u);
  EXPECT_TRUE(std::isnan(unknown[2]));
}

TEST(Steps, ABeginWithoutALengthIsTheEnd) {
  StepTable table = TableOf({3, 7});
  EXPECT_EQ(StepBeginMs(table, 0), 1300);
  EXPECT_EQ(StepBeginMs(table, 1), 1700);
  table.step_seconds = RowOf({kUnknown, kUnknown});
  EXPECT_EQ(StepBeginMs(table, 1), 1700);
}

TEST(Steps, HavePhasesOfAKind) {
  StepTable table = TableOf({0});
  AddPhase("forward", {1}, table);
  AddPhase("data", {1}, table);
  EXPECT_TRUE(HasPhase(table, PhaseKind::kForward));
  EXPECT_TRUE(HasPhase(table, PhaseKind::kData));
  EXPECT_FALSE(HasPhase(table, PhaseKind::kBackward));
}

TEST(Steps, EvaluationsAndUnknownPhasesAreZeroWhereTheyAreMissing) {
  for (const char* name : {"eval", "gc", "checkpoint"}) {
    StepTable table = TableOf({0});
    AddPhase(name, {kUnknown}, table);
    EXPECT_EQ(SumOfPhases(table, {PhaseKindOf(name)})(0, 0), 0) << name;
  }
  StepTable table = TableOf({0});
  AddPhase("data", {kUnknown}, table);
  EXPECT_TRUE(std::isnan(SumOfPhases(table, {PhaseKind::kData})(0, 0)));
}

TEST(Steps, SumsAreTheSameOnSeveralThreads) {
  constexpr size_t kRows = 3 * 128 + 5;
  StepTable table = TableOf({0, 1});
  table.phases.push_back({"forward", PhaseKind::kForward, RankMatrix(kRows, 2, 1.0)});
  table.phases.push_back({"backward", PhaseKind::kBackward, RankMatrix(kRows, 2)});
  for (size_t row = 0; row < kRows; ++row) {
    for (size_t n = 0; n < 2; ++n) {
      table.phases[1].seconds(row, n) = static_cast<double>(10 * row + n);
    }
  }
  TaskPool pool(2);
  const RankMatrix sum = SumOfPhases(table, {PhaseKind::kForward, PhaseKind::kBackward}, &pool);
  for (size_t row = 0; row < kRows; ++row) {
    EXPECT_EQ(sum(row, 1), static_cast<double>(10 * row + 2)) << row;
  }
}

}  // namespace
}  // namespace lockstep::training
