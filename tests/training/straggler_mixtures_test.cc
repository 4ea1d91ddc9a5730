// Recorded steps recombined: an intermittent slowdown, and two late ranks at once.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/training/recording.h"
#include "tests/training/straggler_inputs.h"

namespace lockstep::training {
namespace {

RecordedJob Recorded(std::string_view name) {
  for (const char* folder : {"h200", "sweep"}) {
    for (RecordedJob& job : LoadRecording(folder)) {
      if (job.job.name == name) return std::move(job);
    }
  }
  return {};
}

RankMatrix Columns(const RankMatrix& matrix, const std::vector<size_t>& columns) {
  if (matrix.empty()) return {};
  RankMatrix chosen(matrix.rows(), columns.size());
  for (size_t row = 0; row < matrix.rows(); ++row) {
    for (size_t n = 0; n < columns.size(); ++n) chosen(row, n) = matrix(row, columns[n]);
  }
  return chosen;
}

// The job's steps in another order and renumbered.
StepTable Reordered(const StepTable& table, const std::vector<size_t>& columns) {
  StepTable mixed = table;
  mixed.step_seconds = Columns(table.step_seconds, columns);
  for (PhaseColumn& phase : mixed.phases) phase.seconds = Columns(phase.seconds, columns);
  mixed.step.clear();
  mixed.end_ms.clear();
  int64_t now_ms = table.end_ms.front();
  for (size_t n = 0; n < columns.size(); ++n) {
    mixed.step.push_back(100 + static_cast<int64_t>(n));
    now_ms += static_cast<int64_t>(1000 * mixed.step_seconds(0, n));
    mixed.end_ms.push_back(now_ms);
  }
  return mixed;
}

// Alternates `period` normal and `period` slow steps, taken from before and after the onset.
StepTable OnAndOff(const RecordedJob& job, size_t period) {
  size_t quiet = 10;
  auto slow = static_cast<size_t>(job.truth.from_step) + 2;
  std::vector<size_t> columns;
  while (quiet + period <= static_cast<size_t>(job.truth.from_step) &&
         slow + period <= job.steps.size()) {
    for (size_t i = 0; i < period; ++i) columns.push_back(quiet++);
    for (size_t i = 0; i < period; ++i) columns.push_back(slow++);
  }
  return Reordered(job.steps, columns);
}

TEST(StragglerMixtures, AConditionThatComesAndGoesIsFoundEachTime) {
  for (const char* name : {"straggler-gpu", "straggler-loader"}) {
    const RecordedJob job = Recorded(name);
    for (const size_t period : {15, 20, 25}) {
      RecordedJob mixed = job;
      mixed.steps = OnAndOff(job, period);
      const StragglerAnswer answer = FindStragglers({mixed.job, PhasesOnly(mixed.steps), {}});
      ASSERT_EQ(answer.ranks.size(), 1u) << name << " " << period;
      const SlowRankFinding& finding = answer.ranks.front();
      EXPECT_EQ(mixed.job.ranks[finding.row].rank, job.truth.slow_ranks.front());
      ASSERT_EQ(finding.episodes.size(), mixed.steps.size() / (2 * period))
          << name << " " << period;
      for (size_t i = 0; i < finding.episodes.size(); ++i) {
        const auto begin = static_cast<double>(100 + period + 2 * period * i);
        EXPECT_NEAR(static_cast<double>(*finding.episodes[i].first_step), begin, 1);
        EXPECT_NEAR(static_cast<double>(*finding.episodes[i].last_step),
                    begin + static_cast<double>(period) - 1, 1);
      }
    }
  }
}

TEST(StragglerMixtures, TwoLateRanksAreBothNamed) {
  for (const char* name : {"straggler-gpu", "straggler-loader", "straggler-pcie"}) {
    const RecordedJob job = Recorded(name);
    const auto slow = static_cast<size_t>(job.truth.slow_ranks.front());
    std::vector<size_t> rows = {0, 1, 2, 3};
    rows[slow == 0 ? 1 : 0] = slow;  // the late rank occurs twice
    RecordedJob twins = RanksOf(job, rows);
    for (size_t row = 0; row < 4; ++row) twins.job.ranks[row].rank = static_cast<int64_t>(row);
    for (const StragglerMethod method :
         {StragglerMethod::kCollectiveWaits, StragglerMethod::kPhaseTimes,
          StragglerMethod::kOwnTime, StragglerMethod::kDeviceCounters}) {
      const StragglerAnswer answer = AnswerBy(method, twins);
      EXPECT_EQ(answer.ranks.size(), 2u) << name << " by " << Name(method);
      for (const SlowRankFinding& finding : answer.ranks) EXPECT_EQ(rows[finding.row], slow);
    }
  }
}

}  // namespace
}  // namespace lockstep::training
