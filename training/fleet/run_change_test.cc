#include "training/fleet/run_change.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "training/job/made_steps.h"

namespace lockstep::training {
namespace {

RunSummary RunOf(double step_seconds, double optimizer_seconds = 0.1, const char* driver = "570") {
  return {.job = "j",
          .steps = 100,
          .step_seconds = step_seconds,
          .phase_seconds = {{"optimizer", optimizer_seconds},
                            {"forward", step_seconds - optimizer_seconds}},
          .settings = {{"driver_version", driver}}};
}

TEST(RunChangeTest, AnEqualRunHasNone) {
  const RunComparison found =
      CompareRuns(RunOf(1.02), std::vector{RunOf(1.0), RunOf(1.01), RunOf(0.99), RunOf(1.0)});
  EXPECT_EQ(found.change, RunChange::kNone);
  EXPECT_NEAR(found.usual_step_seconds, 1.0, 1e-9);
  EXPECT_NEAR(found.change_ratio, 0.02, 1e-9);
  EXPECT_EQ(found.base_count, 4u);
  EXPECT_TRUE(found.settings.empty());
}

TEST(RunChangeTest, ASlowerRunNamesItsPhaseAndWhatIsNew) {
  const RunComparison found =
      CompareRuns(RunOf(1.08, 0.18, "580"),
                  std::vector{RunOf(1.0), RunOf(1.0), RunOf(1.001), RunOf(1.0), RunOf(1.0)});
  EXPECT_EQ(found.change, RunChange::kSlower);
  EXPECT_NEAR(found.change_ratio, 0.08, 1e-9);
  EXPECT_FALSE(found.since.has_value());
  EXPECT_EQ(found.phase, "optimizer");
  EXPECT_NEAR(found.phase_change_seconds, 0.08, 1e-9);
  ASSERT_EQ(found.settings.size(), 1u);
  EXPECT_EQ(found.settings[0].before, "570");
  EXPECT_EQ(found.settings[0].after, "580");
}

// The two runs before were slow already.
TEST(RunChangeTest, FindsTheFirstRunWithTheChange) {
  const RunComparison found =
      CompareRuns(RunOf(1.08, 0.1, "580"),
                  std::vector{RunOf(1.08, 0.1, "580"), RunOf(1.09, 0.1, "580"), RunOf(1.0),
                              RunOf(1.0), RunOf(1.0), RunOf(1.0), RunOf(1.0)});
  EXPECT_EQ(found.change, RunChange::kSlower);
  EXPECT_EQ(found.since, 1u);
  EXPECT_NEAR(found.usual_step_seconds, 1.0, 1e-9);
  EXPECT_EQ(found.settings.size(), 1u);
  EXPECT_EQ(found.phase, "forward");
}

TEST(RunChangeTest, OneSlowPredecessorIsNoChange) {
  EXPECT_EQ(
      CompareRuns(RunOf(1.0), std::vector{RunOf(1.3), RunOf(1.0), RunOf(1.0), RunOf(1.0)}).change,
      RunChange::kNone);
}

TEST(RunChangeTest, RunsThatWanderNeedALargerChange) {
  const std::vector<RunSummary> wandering = {RunOf(1.0), RunOf(1.1), RunOf(0.9), RunOf(1.05),
                                             RunOf(0.95)};
  EXPECT_EQ(CompareRuns(RunOf(1.12), wandering).change, RunChange::kNone);
  EXPECT_EQ(CompareRuns(RunOf(1.4), wandering).change, RunChange::kSlower);
}

TEST(RunChangeTest, FasterRunsAreSaid) {
  const RunComparison found = CompareRuns(RunOf(0.9, 0.0), std::vector{RunOf(1.0), RunOf(1.0)});
  EXPECT_EQ(found.change, RunChange::kFaster);
  EXPECT_EQ(found.phase, "optimizer");
  EXPECT_EQ(CompareRuns(RunOf(0.96), std::vector{RunOf(1.0)}).change, RunChange::kNone);
}

TEST(RunChangeTest, IsUnknownWithoutPredecessorsOrSteps) {
  EXPECT_EQ(CompareRuns(RunOf(1.0), {}).change, RunChange::kUnknown);
  EXPECT_EQ(CompareRuns({}, std::vector{RunOf(1.0)}).change, RunChange::kUnknown);
}

TEST(RunSummaryTest, LeavesOutTheWarmUp) {
  StepTable table = EvenSteps(2, 40, 0.5);
  table.attempt_first_step = 0;
  for (size_t n = 0; n < 10; ++n) {
    for (size_t row = 0; row < 2; ++row) table.step_seconds(row, n) = 100;
  }
  table.phases = {{"forward", PhaseKind::kForward, RankMatrix(2, 40, 0.3)}};
  const RunSummary run = SummaryOf(table);
  EXPECT_EQ(run.steps, 30u);
  EXPECT_DOUBLE_EQ(run.step_seconds, 0.5);
  EXPECT_DOUBLE_EQ(run.phase_seconds.at("forward"), 0.3);
  EXPECT_TRUE(std::isnan(SummaryOf(EvenSteps(2, 19, 0.5)).step_seconds));
}

}  // namespace
}  // namespace lockstep::training
