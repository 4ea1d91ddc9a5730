#include "training/bottlenecks/long_steps.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "training/job/made_steps.h"

namespace lockstep::training {
namespace {

// 300 steps of 0.2 s, except for those that take 6 s.
StepTable WithLongSteps(const std::vector<size_t>& columns, size_t ranks = 1) {
  StepTable table = EvenSteps(ranks, 300, 0.2);
  int64_t at_ms = 0;
  for (size_t n = 0; n < table.size(); ++n) {
    const bool is_long = std::find(columns.begin(), columns.end(), n) != columns.end();
    for (size_t row = 0; row < ranks; ++row) table.step_seconds(row, n) = is_long ? 6 : 0.2;
    at_ms += is_long ? 6000 : 200;
    table.end_ms[n] = at_ms;
  }
  return table;
}

std::string_view Name(LongStepReason reason) {
  switch (reason) {
    case LongStepReason::kStartUp:
      return "start_up";
    case LongStepReason::kCheckpoint:
      return "checkpoint";
    case LongStepReason::kEvaluation:
      return "evaluation";
    case LongStepReason::kInput:
      return "input";
    case LongStepReason::kOtherPhase:
      return "other_phase";
    case LongStepReason::kRecurring:
      return "recurring";
    case LongStepReason::kUnexplained:
      break;
  }
  return "unexplained";
}

std::string Reasons(const StepTable& table, const std::vector<GpuCounters>& devices = {}) {
  std::string words;
  for (const LongStep& step : FindLongSteps(table, devices)) {
    words += std::to_string(step.column) + ":" + std::string(Name(step.reason)) + " ";
  }
  return words;
}

void AddPhase(const char* name, const std::vector<std::pair<size_t, double>>& seconds, size_t row,
              StepTable& table) {
  PhaseColumn phase{name, PhaseKindOf(name), RankMatrix(table.step_seconds.rows(), table.size())};
  for (const auto& [column, value] : seconds) phase.seconds(row, column) = value;
  table.phases.push_back(std::move(phase));
}

// One sample per second over the whole table.
GpuCounters Device(const StepTable& table, double engine, double dram, double sent) {
  GpuCounters device;
  for (int64_t at = 1000; at <= table.end_ms.back(); at += 1000) {
    // In the long step at column 100: from 20 s to 26 s.
    const bool is_inside = at > 20'000 && at <= 26'000;
    for (const auto& [counter, value] :
         {std::pair{Role::kGpuGrEngineActiveRatio, is_inside ? engine : 0.98},
          std::pair{Role::kGpuSmActiveRatio, is_inside ? engine * 0.9 : 0.9},
          std::pair{Role::kGpuTensorActiveRatio, is_inside ? engine * 0.5 : 0.5},
          std::pair{Role::kGpuDramActiveRatio, is_inside ? dram : 0.3},
          std::pair{Role::kGpuPcieTxBytesPerSecond, is_inside ? sent : 8e6}}) {
      device[counter].timestamp_ms.push_back(at);
      device[counter].value.push_back(value);
    }
  }
  return device;
}

TEST(LongSteps, WhatNothingExplainsHangs) {
  EXPECT_EQ(Reasons(WithLongSteps({100})), "100:unexplained ");
  EXPECT_EQ(Reasons(WithLongSteps({})), "");
  // Twice is not often enough to be normal.
  EXPECT_EQ(Reasons(WithLongSteps({50, 200})), "50:unexplained 200:unexplained ");
}

TEST(LongSteps, LoggedPhasesExplain) {
  StepTable table = WithLongSteps({50, 100, 150, 200});
  AddPhase("checkpoint_time_s", {{50, 5.8}}, 0, table);
  AddPhase("data_time_s", {{100, 5.7}}, 0, table);
  AddPhase("eval", {{150, 5.8}}, 0, table);
  AddPhase("forward", {{200, 5.8}}, 0, table);  // where hangs show
  EXPECT_EQ(Reasons(table), "50:checkpoint 100:input 150:evaluation 200:unexplained ");
}

TEST(LongSteps, APhaseOfOneRankExplainsTheWaitOfTheOthers) {
  StepTable table = WithLongSteps({100}, 4);
  AddPhase("save_checkpoint", {{100, 5.8}}, 2, table);
  AddPhase("allreduce", {{100, 5.8}}, 0, table);
  EXPECT_EQ(Reasons(table), "100:checkpoint ");
}

TEST(LongSteps, DevicesExplain) {
  const StepTable table = WithLongSteps({100});
  EXPECT_EQ(Reasons(table, {Device(table, 0.98, 0.3, 8e6)}), "100:evaluation ");
  EXPECT_EQ(Reasons(table, {Device(table, 0.0, 0.0, 1e9)}), "100:checkpoint ");
  EXPECT_EQ(Reasons(table, {Device(table, 0.0, 0.0, 4e5)}), "100:unexplained ");
}

TEST(LongSteps, RegularPausesAreHowTheJobWorks) {
  EXPECT_EQ(Reasons(WithLongSteps({60, 120, 180, 240})),
            "60:recurring 120:recurring 180:recurring 240:recurring ");
  EXPECT_EQ(Reasons(WithLongSteps({20, 45, 290})),
            "20:unexplained 45:unexplained 290:unexplained ");
  // "Every 80 steps", counted from 0.
  EXPECT_EQ(Reasons(WithLongSteps({79, 159})), "79:recurring 159:recurring ");
}

TEST(LongSteps, LargeBatchesAreNotLong) {
  StepTable table = WithLongSteps({});
  table.model_flops = RankMatrix(1, table.size(), 1e12);
  int64_t at_ms = 0;
  for (size_t n = 0; n < table.size(); ++n) {
    if (n >= 200) table.model_flops(0, n) = 20e12;
    if (n >= 200) table.step_seconds(0, n) = 4;
    at_ms += std::llround(1000 * table.step_seconds(0, n));
    table.end_ms[n] = at_ms;
  }
  EXPECT_EQ(Reasons(table), "");
}

TEST(LongSteps, TheFirstStepsOfAnAttemptCompile) {
  StepTable table = WithLongSteps({3});
  table.attempt_first_step = 0;
  EXPECT_EQ(Reasons(table), "3:start_up ");
}

// Steps of 0.1 s, except for those that take so many seconds.
std::string ReasonsOf(const std::vector<std::pair<size_t, double>>& long_ones) {
  StepTable table = EvenSteps(1, 300, 0.1);
  int64_t at_ms = 0;
  for (size_t n = 0; n < table.size(); ++n) {
    for (const auto& [column, seconds] : long_ones) {
      if (column == n) table.step_seconds(0, n) = seconds;
    }
    at_ms += std::llround(1000 * table.step_seconds(0, n));
    table.end_ms[n] = at_ms;
  }
  return Reasons(table);
}

TEST(LongSteps, TakeMoreThanTwoSeconds) {
  EXPECT_EQ(ReasonsOf({{100, 2}}), "");
  EXPECT_EQ(ReasonsOf({{100, 2.1}}), "100:unexplained ");
}

TEST(LongSteps, ThreePausesOfSimilarLengthAndDistanceRecur) {
  EXPECT_EQ(ReasonsOf({{50, 4}, {100, 5}, {150, 6}}), "50:recurring 100:recurring 150:recurring ");
  EXPECT_EQ(ReasonsOf({{50, 4}, {100, 5}, {150, 9}}),
            "50:unexplained 100:unexplained 150:unexplained ");
  EXPECT_EQ(ReasonsOf({{50, 4}, {100, 5}, {250, 5}}),
            "50:unexplained 100:unexplained 250:unexplained ");
}

TEST(LongSteps, TwoPausesOfOnePeriodAreAlike) {
  EXPECT_EQ(ReasonsOf({{80, 5}, {160, 5.5}}), "80:recurring 160:recurring ");
  EXPECT_EQ(ReasonsOf({{80, 5}, {160, 7}}), "80:unexplained 160:unexplained ");
  EXPECT_EQ(ReasonsOf({{85, 5}, {165, 5}}), "85:unexplained 165:unexplained ");
  EXPECT_EQ(ReasonsOf({{10, 5}, {20, 5}}), "10:recurring 20:recurring ");
  EXPECT_EQ(ReasonsOf({{9, 5}, {18, 5}}), "9:unexplained 18:unexplained ");
}

}  // namespace
}  // namespace lockstep::training
