#include "training/job/step_window.h"

#include <gtest/gtest.h>

#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"

namespace lockstep::training {
namespace {

TEST(FirstLiveStep, LeavesAsManySteps) {
  // 2^20 values of one number: 8192 steps of up to 128 ranks, and no fewer than 256 steps.
  EXPECT_EQ(FirstLiveStep(8191, 1), 0);
  EXPECT_EQ(FirstLiveStep(8192, 1), 0);
  EXPECT_EQ(FirstLiveStep(8192 + 2047, 1), 0);
  EXPECT_EQ(FirstLiveStep(8192 + 2048, 1), 2048);
  EXPECT_EQ(FirstLiveStep(8192 + 2048, 128), 2048);
  EXPECT_EQ(FirstLiveStep(4096 + 1024, 256), 1024);
  EXPECT_EQ(FirstLiveStep(256 + 64, 4096), 64);
  EXPECT_EQ(FirstLiveStep(256 + 64, 100'000), 64);
  EXPECT_EQ(FirstLiveStep(256 + 63, 100'000), 0);
  EXPECT_EQ(FirstLiveStep(255, 100'000), 0);
  EXPECT_EQ(FirstLiveStep(8192 + 2048, 0), 2048);
  EXPECT_EQ(FirstLiveStep(-1, 1), 0);
}

// Steps of two ranks that end 10 ms after one another. Values are the step plus the number.
StepTable Window(int64_t first, size_t count) {
  StepTable table;
  for (size_t n = 0; n < count; ++n) {
    table.step.push_back(first + static_cast<int64_t>(n));
    table.end_ms.push_back(10 * table.step.back());
  }
  return table;
}

RankMatrix WindowValues(const StepTable& table, double plus) {
  RankMatrix matrix(2, table.size());
  for (size_t n = 0; n < table.size(); ++n) {
    for (size_t row = 0; row < 2; ++row) {
      matrix(row, n) = static_cast<double>(table.step[n]) + plus;
    }
  }
  return matrix;
}

// The values of rank 1, with "-" for an unknown one.
std::string Shown(const RankMatrix& matrix) {
  std::string text;
  if (matrix.empty()) return text;
  for (const double value : matrix.Row(1)) {
    text += std::isnan(value) ? "- " : absl::StrFormat("%g ", value);
  }
  return text;
}

void AppendTo(StepTable& table, const StepTable& more, size_t first = 0) {
  AppendSteps(more, first, 2, table);
}

TEST(StepWindow, GrowsAtItsEnd) {
  StepTable table = Window(0, 3);
  table.job_step_seconds = {100, 101, 102};
  StepTable more = Window(2, 3);
  more.job_step_seconds = {202, 203, 204};
  for (RankMatrix StepTable::*const matrix :
       {&StepTable::step_seconds, &StepTable::own_seconds, &StepTable::loss,
        &StepTable::gradient_norm, &StepTable::memory_allocated_bytes, &StepTable::model_flops,
        &StepTable::tokens}) {
    table.*matrix = WindowValues(table, 100);
    more.*matrix = WindowValues(more, 200);
  }
  table.phases = {{"data", PhaseKind::kData, WindowValues(table, 300)}};
  more.phases = {{"data", PhaseKind::kData, WindowValues(more, 400)}};
  // The first of the new steps is known already.
  AppendTo(table, more, 1);
  EXPECT_EQ(table.step, (std::vector<int64_t>{0, 1, 2, 3, 4}));
  EXPECT_EQ(table.end_ms, (std::vector<int64_t>{0, 10, 20, 30, 40}));
  EXPECT_EQ(table.job_step_seconds, (std::vector<double>{100, 101, 102, 203, 204}));
  for (const RankMatrix* matrix :
       {&table.step_seconds, &table.own_seconds, &table.loss, &table.gradient_norm,
        &table.memory_allocated_bytes, &table.model_flops, &table.tokens}) {
    EXPECT_EQ(Shown(*matrix), "100 101 102 203 204 ");
  }
  ASSERT_EQ(table.phases.size(), 1u);
  EXPECT_EQ(Shown(table.phases[0].seconds), "300 301 302 403 404 ");
}

TEST(StepWindow, WhatOnlyOneOfTheTwoHasIsUnknownInTheOther) {
  StepTable table = Window(0, 2);
  table.loss = WindowValues(table, 0.5);
  table.phases = {{"forward", PhaseKind::kForward, WindowValues(table, 0.5)}};
  StepTable more = Window(2, 2);
  more.tokens = WindowValues(more, 0.5);
  more.phases = {{"data", PhaseKind::kData, WindowValues(more, 0.5)},
                 {"wait", PhaseKind::kWait, WindowValues(more, 0.25)}};
  AppendTo(table, more);
  EXPECT_EQ(Shown(table.loss), "0.5 1.5 - - ");
  EXPECT_EQ(Shown(table.tokens), "- - 2.5 3.5 ");
  EXPECT_TRUE(table.own_seconds.empty());
  ASSERT_EQ(table.phases.size(), 3u);
  EXPECT_EQ(table.phases[0].name, "data");
  EXPECT_EQ(table.phases[0].kind, PhaseKind::kData);
  EXPECT_EQ(Shown(table.phases[0].seconds), "- - 2.5 3.5 ");
  EXPECT_EQ(table.phases[1].name, "forward");
  EXPECT_EQ(Shown(table.phases[1].seconds), "0.5 1.5 - - ");
  EXPECT_EQ(table.phases[2].name, "wait");
  EXPECT_EQ(Shown(table.phases[2].seconds), "- - 2.25 3.25 ");
}

TEST(StepWindow, NothingNewChangesNothing) {
  StepTable table = Window(0, 2);
  table.loss = WindowValues(table, 0);
  AppendTo(table, Window(0, 2), 2);
  AppendTo(table, Window(0, 2), 5);
  AppendTo(table, {});
  EXPECT_EQ(table.step, (std::vector<int64_t>{0, 1}));
  EXPECT_EQ(Shown(table.loss), "0 1 ");
}

TEST(StepWindow, OldStepsAreDropped) {
  StepTable table = Window(5, 4);
  table.job_step_seconds = {5, 6, 7, 8};
  table.step_seconds = WindowValues(table, 0);
  table.tokens = WindowValues(table, 0.5);
  table.phases = {{"data", PhaseKind::kData, WindowValues(table, 0.25)}};
  DropStepsBefore(7, table);
  EXPECT_EQ(table.step, (std::vector<int64_t>{7, 8}));
  EXPECT_EQ(table.end_ms, (std::vector<int64_t>{70, 80}));
  EXPECT_EQ(table.job_step_seconds, (std::vector<double>{7, 8}));
  EXPECT_EQ(Shown(table.step_seconds), "7 8 ");
  EXPECT_EQ(Shown(table.tokens), "7.5 8.5 ");
  EXPECT_TRUE(table.loss.empty());
  ASSERT_EQ(table.phases.size(), 1u);
  EXPECT_EQ(Shown(table.phases[0].seconds), "7.25 8.25 ");
  DropStepsBefore(0, table);
  EXPECT_EQ(table.step, (std::vector<int64_t>{7, 8}));
  DropStepsBefore(9, table);
  EXPECT_EQ(table.size(), 0u);
}

TEST(StepWindow, APhaseWithoutAValueIsDropped) {
  StepTable table = Window(0, 3);
  const auto only = [](size_t row, size_t column) {
    RankMatrix matrix(2, 3);
    matrix(row, column) = 1;
    return matrix;
  };
  table.phases = {{"checkpoint", PhaseKind::kCheckpoint, only(0, 0)},
                  {"data", PhaseKind::kData, only(0, 1)},
                  {"eval", PhaseKind::kEvaluation, only(1, 2)}};
  DropStepsBefore(1, table);
  ASSERT_EQ(table.phases.size(), 2u);
  EXPECT_EQ(table.phases[0].name, "data");
  EXPECT_EQ(table.phases[1].name, "eval");
}

}  // namespace
}  // namespace lockstep::training
