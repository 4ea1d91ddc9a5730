#include "answers/load/step_columns.h"

#include <gtest/gtest.h>

#include <cmath>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "model/sample.h"

namespace lockstep::answers {
namespace {

using catalogue::NameRole;
using catalogue::Role;
using training::RankMatrix;

using Pairs = std::vector<std::pair<int64_t, double>>;

SampleColumns SamplesAt(const Pairs& pairs) {
  SampleColumns samples;
  for (const auto& [time_ms, value] : pairs) samples.Append(time_ms, value);
  return samples;
}

std::string TextOf(const std::vector<int64_t>& numbers) {
  std::string text;
  for (const int64_t number : numbers) absl::StrAppendFormat(&text, "%d ", number);
  return text;
}

// The values of one row, with "-" for an unknown one.
std::string RowText(const RankMatrix& matrix, size_t row) {
  std::string text;
  if (matrix.empty()) return "none";
  for (const double value : matrix.Row(row)) {
    text += std::isnan(value) ? "- " : absl::StrFormat("%g ", value);
  }
  return text;
}

training::StepTable Taken(StepColumns& columns) {
  TaskPool pool(0);
  return columns.Take(pool, false);
}

TEST(StepColumns, AColumnForEachStepOfAnyRow) {
  StepColumns columns(3);
  columns.AddMarks(0, SamplesAt({{1000, 1}, {2000, 2}, {4000, 4}}));
  columns.AddMarks(1, SamplesAt({{2100, 2}, {3100, 3}}));
  columns.Align({});
  EXPECT_EQ(columns.step_count(), 4u);
  EXPECT_EQ(columns.newest_ms(), 4000);
  const training::StepTable table = Taken(columns);
  EXPECT_EQ(TextOf(table.step), "1 2 3 4 ");
  EXPECT_EQ(TextOf(table.end_ms), "1000 2100 3100 4000 ");
}

TEST(StepColumns, MarksAreSortedAndTheFirstOfATimeCounts) {
  StepColumns columns(1);
  columns.AddMarks(0, SamplesAt({{3000, 3}, {1000, 1}}));
  columns.AddMarks(0, SamplesAt({{2000, 2}, {3000, 9}}));
  columns.Align({});
  columns.Add({.role = Role::kTrainLoss}, 0, SamplesAt({{1000, 10}, {2000, 20}, {3000, 30}}));
  const training::StepTable table = Taken(columns);
  EXPECT_EQ(TextOf(table.step), "1 2 3 ");
  EXPECT_EQ(TextOf(table.end_ms), "1000 2000 3000 ");
  EXPECT_EQ(RowText(table.loss, 0), "10 20 30 ");
}

TEST(StepColumns, StepsAreRoundedAndWhatIsNoNumberIsNoStep) {
  StepColumns columns(1);
  columns.AddMarks(0, SamplesAt({{1, 0.6},
                                 {2, 1.4},
                                 {3, std::nan("")},
                                 {4, INFINITY},
                                 {5, StaleNan()},
                                 {6, 2},
                                 {7, 9007199254740994.0}}));
  columns.Align({});
  const training::StepTable table = Taken(columns);
  EXPECT_EQ(TextOf(table.step), "1 2 9007199254740994 ");
  EXPECT_EQ(TextOf(table.end_ms), "2 6 7 ");
}

TEST(StepColumns, NothingIsNothing) {
  StepColumns columns(2);
  columns.Align(std::vector<int64_t>{StepColumns::kNoExit, StepColumns::kNoExit});
  columns.Add({.role = Role::kTrainLoss}, 0, SamplesAt({{1000, 10}}));
  EXPECT_EQ(columns.newest_ms(), std::nullopt);
  EXPECT_FALSE(columns.Reports(0));
  EXPECT_EQ(columns.step_count(), 0u);
  EXPECT_EQ(Taken(columns).size(), 0u);
}

TEST(StepColumns, ValuesBelongToTheStepThatEndedThen) {
  StepColumns columns(2);
  columns.AddMarks(0, SamplesAt({{1000, 1}, {2000, 2}, {3000, 3}}));
  columns.AddMarks(1, SamplesAt({{1500, 1}, {2500, 2}, {3500, 3}}));
  columns.Align({});
  const NameRole loss{.role = Role::kTrainLoss};
  columns.Add(loss, 0, SamplesAt({{500, 9}, {1000, 1}, {1500, 9}, {3000, 3}, {4000, 9}}));
  columns.Add(loss, 1, SamplesAt({{1500, 4}, {2500, StaleNan()}, {3500, std::nan("")}}));
  training::StepTable table = Taken(columns);
  EXPECT_EQ(RowText(table.loss, 0), "1 - 3 ");
  EXPECT_EQ(RowText(table.loss, 1), "4 - - ");
}

TEST(StepColumns, ARowWithoutASeriesIsUnknownWhateverTheMemoryHeld) {
  constexpr size_t kRows = 64;
  constexpr size_t kSteps = 10'000;
  SampleColumns marks;
  for (size_t n = 0; n < kSteps; ++n) {
    marks.Append(static_cast<int64_t>(1000 * n), static_cast<double>(n));
  }
  { const RankMatrix used(kRows, kSteps, 7); }
  StepColumns columns(kRows);
  for (size_t row = 0; row < kRows; ++row) columns.AddMarks(row, marks);
  columns.Align({});
  columns.Add({Role::kTrainLoss}, 2, SamplesAt({{2000, 5}}));
  const training::StepTable table = Taken(columns);
  for (size_t row = 0; row < kRows; ++row) {
    for (size_t n = 0; n < kSteps; ++n) {
      ASSERT_EQ(std::isnan(table.loss(row, n)), row != 2 || n != 2) << row << " " << n;
    }
  }
  EXPECT_EQ(table.loss(2, 2), 5);
}

TEST(StepColumns, AMarkerDoesNotOverwriteAValue) {
  StepColumns columns(1);
  columns.AddMarks(0, SamplesAt({{1000, 1}, {2000, 2}}));
  columns.Align({});
  const NameRole loss{.role = Role::kTrainLoss};
  columns.Add(loss, 0, SamplesAt({{1000, 5}, {2000, 6}}));
  columns.Add(loss, 0, SamplesAt({{1000, StaleNan()}, {2000, 7}}));
  columns.Add(loss, 0, SamplesAt({{2000, StaleNan()}}));
  EXPECT_EQ(RowText(Taken(columns).loss, 0), "5 7 ");
}

TEST(StepColumns, EachRoleHasItsOwnMatrix) {
  StepColumns columns(1);
  columns.AddMarks(0, SamplesAt({{1000, 1}, {2000, 2}}));
  columns.Align({});
  double value = 10;
  for (const Role role : {Role::kTrainStepTimeSeconds, Role::kTrainOwnSeconds, Role::kTrainLoss,
                          Role::kTrainGradNorm, Role::kGpuTorchMemoryAllocatedBytes,
                          Role::kTrainModelFlops, Role::kTrainTokens, Role::kTrainWorldSize}) {
    columns.Add({.role = role}, 0, SamplesAt({{1000, value}, {2000, value + 1}}));
    value += 10;
  }
  const training::StepTable table = Taken(columns);
  EXPECT_EQ(RowText(table.step_seconds, 0), "10 11 ");
  EXPECT_EQ(RowText(table.own_seconds, 0), "20 21 ");
  EXPECT_EQ(RowText(table.loss, 0), "30 31 ");
  EXPECT_EQ(RowText(table.gradient_norm, 0), "40 41 ");
  EXPECT_EQ(RowText(table.memory_allocated_bytes, 0), "50 51 ");
  EXPECT_EQ(RowText(table.model_flops, 0), "60 61 ");
  EXPECT_EQ(RowText(table.tokens, 0), "70 71 ");
  EXPECT_TRUE(table.phases.empty());
  EXPECT_TRUE(table.job_step_seconds.empty());
}

TEST(StepColumns, PhasesAreSortedByName) {
  StepColumns columns(2);
  for (const size_t row : {0, 1}) columns.AddMarks(row, SamplesAt({{1000, 1}}));
  columns.Align({});
  for (const char* phase : {"wait", "data", "forward"}) {
    columns.Add({.role = Role::kTrainPhaseSeconds, .part = phase}, 0,
                SamplesAt({{1000, static_cast<double>(phase[0])}}));
  }
  columns.Add({.role = Role::kTrainPhaseSeconds, .part = "data"}, 1, SamplesAt({{1000, 7}}));
  const training::StepTable table = Taken(columns);
  ASSERT_EQ(table.phases.size(), 3u);
  EXPECT_EQ(table.phases[0].name, "data");
  EXPECT_EQ(table.phases[0].kind, training::PhaseKind::kData);
  EXPECT_EQ(RowText(table.phases[0].seconds, 0), "100 ");
  EXPECT_EQ(RowText(table.phases[0].seconds, 1), "7 ");
  EXPECT_EQ(table.phases[1].name, "forward");
  EXPECT_EQ(table.phases[2].name, "wait");
  EXPECT_EQ(RowText(table.phases[2].seconds, 1), "- ");
}

// A compute phase beside a forward pass is the sum of the passes.
TEST(StepColumns, PassesAreNotCountedTwice) {
  for (const char* pass : {"forward", "backward"}) {
    StepColumns columns(1);
    columns.AddMarks(0, SamplesAt({{1000, 1}}));
    columns.Align({});
    for (const char* phase : {"compute", "data", pass}) {
      columns.Add({.role = Role::kTrainPhaseSeconds, .part = phase}, 0, SamplesAt({{1000, 1}}));
    }
    EXPECT_EQ(Taken(columns).phases.size(), pass == std::string("forward") ? 2u : 3u) << pass;
  }
}

TEST(StepColumns, StepTimesThatAreNotReportedAreThoseBetweenEnds) {
  StepColumns columns(2);
  columns.AddMarks(0, SamplesAt({{1000, 1}, {3000, 2}, {9000, 5}, {9500, 5}, {9700, 4}}));
  columns.AddMarks(1, SamplesAt({{1000, 1}}));
  columns.Align({});
  const training::StepTable table = Taken(columns);
  EXPECT_EQ(TextOf(table.step), "1 2 4 5 ");
  // Three steps in six seconds; a step that is reported again or goes back has no length.
  EXPECT_EQ(RowText(table.step_seconds, 0), "- 2 - 2 ");
  EXPECT_EQ(RowText(table.step_seconds, 1), "- - - - ");
}

TEST(StepColumns, OneStepHasNoTime) {
  StepColumns columns(1);
  columns.AddMarks(0, SamplesAt({{1000, 1}}));
  columns.Align({});
  EXPECT_TRUE(Taken(columns).step_seconds.empty());
}

TEST(StepColumns, ReportedStepTimesStand) {
  StepColumns columns(1);
  columns.AddMarks(0, SamplesAt({{1000, 1}, {3000, 2}}));
  columns.Align({});
  columns.Add({.role = Role::kTrainStepTimeSeconds}, 0, SamplesAt({{1000, 0.5}, {3000, 0.25}}));
  TaskPool pool(0);
  const training::StepTable table = columns.Take(pool, true);
  EXPECT_EQ(RowText(table.step_seconds, 0), "0.5 0.25 ");
  EXPECT_EQ(table.job_step_seconds, (std::vector<double>{0.5, 0.25}));
}

TEST(StepColumns, ARateTimesTheStepIsItsOperations) {
  const NameRole rate{.role = Role::kTrainFlopsPerSecondPerGpu};
  for (const bool has_operations : {false, true}) {
    StepColumns columns(1);
    columns.AddMarks(0, SamplesAt({{1000, 1}, {3000, 2}}));
    columns.Align({});
    columns.Add({.role = Role::kTrainStepTimeSeconds}, 0, SamplesAt({{1000, 0.5}, {3000, 2}}));
    columns.Add(rate, 0, SamplesAt({{1000, 8}, {3000, 16}}));
    if (has_operations) {
      columns.Add({.role = Role::kTrainModelFlops}, 0, SamplesAt({{1000, 7}, {3000, 7}}));
    }
    EXPECT_EQ(RowText(Taken(columns).model_flops, 0), has_operations ? "7 7 " : "4 32 ");
  }
  StepColumns timeless(1);
  timeless.AddMarks(0, SamplesAt({{1000, 1}}));
  timeless.Align({});
  timeless.Add(rate, 0, SamplesAt({{1000, 8}}));
  EXPECT_TRUE(Taken(timeless).model_flops.empty());
}

// Steps of a second each, up to and with `last`.
SampleColumns StepsUpTo(int64_t last) {
  SampleColumns samples;
  for (int64_t step = 0; step <= last; ++step) {
    samples.Append(1000 * (step + 1), static_cast<double>(step));
  }
  return samples;
}

constexpr int64_t kStays = StepColumns::kNoExit;

TEST(StepColumns, EndAtTheFrontier) {
  StepColumns columns(2);
  columns.AddMarks(0, StepsUpTo(9));
  columns.AddMarks(1, StepsUpTo(7));
  columns.Align(std::vector{kStays, kStays});
  EXPECT_EQ(columns.step_count(), 8u);
  EXPECT_EQ(columns.newest_ms(), 10'000);
  EXPECT_TRUE(columns.not_reporting().empty());
  EXPECT_TRUE(columns.Reports(0));
  EXPECT_TRUE(columns.Reports(1));
  columns.Add({.role = Role::kTrainLoss}, 0, SamplesAt({{8000, 5}, {9000, 6}}));
  const std::vector<RankReport> reports = columns.TakeReports();
  ASSERT_EQ(reports.size(), 2u);
  EXPECT_EQ(reports[0].progress.last_step, 9);
  EXPECT_EQ(reports[0].taken_ms, 8000);
  EXPECT_EQ(reports[1].progress.last_step, 7);
  EXPECT_EQ(reports[1].taken_ms, 8000);
  EXPECT_EQ(reports[1].progress.owed_since_ms, std::nullopt);
  const training::StepTable table = Taken(columns);
  EXPECT_EQ(table.step.back(), 7);
  EXPECT_EQ(RowText(table.loss, 0), "- - - - - - - 5 ");
}

TEST(StepColumns, ARankThatExitedIsNotWaitedFor) {
  const auto last = [](int64_t exit_ms) {
    StepColumns columns(2);
    columns.AddMarks(0, StepsUpTo(9));
    columns.AddMarks(1, StepsUpTo(4));
    columns.Align(std::vector{kStays, exit_ms});
    return Taken(columns).step.back();
  };
  EXPECT_EQ(last(kStays), 4);
  EXPECT_EQ(last(5000), 9);
  EXPECT_EQ(last(4499), 4);  // the exit of an earlier run
}

TEST(StepColumns, ASilentRankIsLeftOutAndKeepsItsDebt) {
  StepColumns columns(2);
  columns.AddMarks(0, StepsUpTo(99));
  columns.AddMarks(1, StepsUpTo(9));
  columns.Align(std::vector{kStays, kStays});
  EXPECT_EQ(columns.step_count(), 100u);
  ASSERT_EQ(columns.not_reporting().size(), 1u);
  EXPECT_EQ(columns.not_reporting()[0].row, 1u);
  EXPECT_EQ(columns.not_reporting()[0].last_step, 9);
  EXPECT_FALSE(columns.Reports(1));
  EXPECT_TRUE(columns.Reports(0));
  // Step 10 ended at 11 s.
  EXPECT_EQ(columns.TakeReports()[1].progress.owed_since_ms, 11'000);
}

TEST(StepColumns, StepsThatGoBackBeginAnAttempt) {
  const auto goes_back = [](const Pairs& marks) {
    StepColumns columns(2);
    columns.AddMarks(0, StepsUpTo(3));
    columns.AddMarks(1, SamplesAt(marks));
    return columns.GoesBack();
  };
  EXPECT_FALSE(goes_back({{1000, 1}, {2000, 1}, {3000, 2}}));
  EXPECT_FALSE(goes_back({{3000, 2}, {1000, 1}}));
  EXPECT_TRUE(goes_back({{1000, 1}, {2000, 0}}));
}

TEST(StepColumns, ARankThatOwedStepsReturns) {
  const auto has_returned = [](const training::RankProgress& before, const Pairs& marks) {
    const std::vector<RankReport> reports = {{.progress = {.last_step = 50}}, {.progress = before}};
    StepColumns columns(2);
    columns.SetBefore(reports, 50);
    columns.AddMarks(0, SamplesAt({{51'000, 51}}));
    columns.AddMarks(1, SamplesAt(marks));
    return columns.HasReturned();
  };
  EXPECT_FALSE(has_returned({.last_step = 9, .owed_since_ms = 11'000}, {}));
  EXPECT_FALSE(has_returned({.last_step = 9, .owed_since_ms = 11'000}, {{10'000, 9}}));
  EXPECT_TRUE(has_returned({.last_step = 9, .owed_since_ms = 11'000}, {{11'000, 10}}));
  EXPECT_TRUE(has_returned({.owed_since_ms = 11'000}, {{11'000, 10}}));
  EXPECT_FALSE(has_returned({.last_step = 9}, {{11'000, 10}}));
}

TEST(StepColumns, WhatWasReportedBeforeCountsOn) {
  const auto after = [](const RankReport& before, const Pairs& marks) {
    const std::vector<RankReport> reports = {
        {.progress = {.last_step = 50, .stride = 1}, .taken_ms = 50'000}, before};
    StepColumns columns(2);
    columns.SetBefore(reports, 50);
    columns.AddMarks(0, SamplesAt({{51'000, 51}, {52'000, 52}}));
    columns.AddMarks(1, SamplesAt(marks));
    columns.Align(std::vector{kStays, kStays});
    const RankReport report = columns.TakeReports()[1];
    return absl::StrFormat("%d by %d taken %d owes %d", report.progress.last_step.value_or(-1),
                           report.progress.stride, report.taken_ms.value_or(-1),
                           report.progress.owed_since_ms.value_or(-1));
  };
  const RankReport known = {.progress = {.last_step = 50, .stride = 5}, .taken_ms = 49'000};
  EXPECT_EQ(after(known, {}), "50 by 5 taken 49000 owes -1");
  // One step says nothing about the stride.
  EXPECT_EQ(after(known, {{51'100, 51}}), "51 by 5 taken 51100 owes -1");
  EXPECT_EQ(after(known, {{51'100, 51}, {52'100, 53}}), "53 by 2 taken 51100 owes -1");
  // The end of a step that was taken already is not taken back.
  EXPECT_EQ(after(known, {{48'000, 48}}), "50 by 5 taken 49000 owes -1");
  // A silent rank stays silent until it has sent what it owes.
  const RankReport silent = {.progress = {.last_step = 5, .stride = 1, .owed_since_ms = 6'000},
                             .taken_ms = 5'000};
  EXPECT_EQ(after(silent, {{51'100, 49}}), "49 by 1 taken 51100 owes 6000");
  EXPECT_EQ(after(silent, {{51'100, 50}}), "50 by 1 taken 51100 owes -1");
}

TEST(StepColumns, AfterARestartOnlyRanksThatReportAreWaitedFor) {
  const auto last = [](bool is_restart) {
    StepColumns columns(4);
    columns.SetIsRestart(is_restart);
    for (const size_t row : {0, 1, 2}) columns.AddMarks(row, StepsUpTo(9));
    columns.Align(std::vector(4, kStays));
    return columns.TakeReports()[3].progress.has_exited;
  };
  EXPECT_FALSE(last(false));
  EXPECT_TRUE(last(true));
}

}  // namespace
}  // namespace lockstep::answers
