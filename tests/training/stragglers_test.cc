// Each method names exactly the slow ranks that were planted in the recorded jobs.
#include "training/stragglers/stragglers.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "tests/training/recording.h"
#include "tests/training/straggler_inputs.h"
#include "tests/training/straggler_trace.h"

namespace lockstep::training {
namespace {

constexpr StragglerMethod kRankMethods[] = {StragglerMethod::kCollectiveWaits,
                                            StragglerMethod::kPhaseTimes, StragglerMethod::kOwnTime,
                                            StragglerMethod::kDeviceCounters};

// One extra matrix product in 110: 0.9 %, less than the difference between healthy GPUs.
bool IsBelowWhatCanBeSeen(const RecordedJob& job) { return job.job.name == "sweep-mm1"; }

bool IsSlow(const RecordedJob& job) {
  return !job.truth.slow_ranks.empty() && !IsBelowWhatCanBeSeen(job);
}

std::string CauseWord(const RecordedJob& job, StragglerMethod method) {
  // Waits and own time do not show what the rank did.
  if (method == StragglerMethod::kCollectiveWaits || method == StragglerMethod::kOwnTime) {
    return "unknown";
  }
  if (job.truth.cause == "loader-slow") return "loader";
  if (job.truth.cause == "h2d-slow") return "h2d";
  return "gpu";
}

std::string Expected(const RecordedJob& job, StragglerMethod method) {
  if (!IsSlow(job)) return "none";
  return "slow_rank " + std::to_string(job.truth.slow_ranks.front()) + " " + CauseWord(job, method);
}

void CheckInterval(const RecordedJob& job, const StragglerEpisode& found, int64_t tolerance_ms) {
  EXPECT_LE(std::abs(found.time.min_ms - job.truth.time.min_ms), tolerance_ms) << job.job.name;
  EXPECT_LE(std::abs(found.time.max_ms - job.truth.time.max_ms), tolerance_ms) << job.job.name;
}

void Check(const RecordedJob& job, StragglerMethod method) {
  const StragglerAnswer answer = AnswerBy(method, job);
  const std::string where = job.job.name + " by " + std::string(Name(method));
  EXPECT_EQ(Name(answer.method), Name(method)) << where;
  EXPECT_EQ(Summary(job, answer), Expected(job, method)) << where;
  if (!IsSlow(job) || answer.ranks.size() != 1) return;
  ASSERT_EQ(answer.ranks.front().episodes.size(), 1u) << where;
  // Steps last 0.2 s; device counters are compared in windows of 5 s and bins of at most 1 s.
  const bool by_devices = method == StragglerMethod::kDeviceCounters;
  CheckInterval(job, answer.ranks.front().episodes.front(), by_devices ? 2500 : 1000);
}

TEST(Stragglers, PlantedRanksAreNamedByEachMethod) {
  for (const char* name : {"h200", "sweep"}) {
    for (const RecordedJob& job : LoadRecording(name)) {
      for (const StragglerMethod method : kRankMethods) Check(job, method);
    }
  }
}

TEST(Stragglers, StepTimeAloneTellsSinceWhen) {
  for (const char* name : {"h200", "sweep"}) {
    for (const RecordedJob& job : LoadRecording(name)) {
      const StragglerAnswer answer = AnswerBy(StragglerMethod::kStepTime, job);
      EXPECT_EQ(Summary(job, answer), IsSlow(job) ? "job_slow_all" : "none") << job.job.name;
      EXPECT_FALSE(answer.missing.empty());
      if (answer.slow_since.has_value()) CheckInterval(job, *answer.slow_since, 1500);
    }
  }
}

TEST(Stragglers, WithEverythingTheCauseAndTheCostAreKnown) {
  for (const RecordedJob& job : LoadRecording("h200")) {
    if (!IsSlow(job)) continue;
    const StragglerAnswer answer = FindStragglers({job.job, job.steps, job.devices});
    ASSERT_EQ(answer.ranks.size(), 1u) << job.job.name;
    const SlowRankFinding& finding = answer.ranks.front();
    // The late GPU had more work, and clocks were unchanged.
    EXPECT_EQ(finding.gpu_reason,
              job.truth.cause == "gpu-slow" ? GpuReason::kMoreWork : GpuReason::kUnknown);
    EXPECT_GE(finding.evidence.size(), 8u);
    EXPECT_TRUE(finding.episodes.front().is_open);
    // The job's real loss is the difference to the steps before. Peers that rest run up to 3 %
    // faster, which the replay without the rank includes.
    const double steps = static_cast<double>(job.truth.until_step - job.truth.from_step + 1);
    const double lost =
        steps * (answer.what_if.step_seconds_now - answer.what_if.step_seconds_before);
    EXPECT_GE(answer.lost_seconds, lost) << job.job.name;
    EXPECT_LE(answer.lost_seconds, lost + 0.03 * steps * answer.what_if.step_seconds_before);
    EXPECT_DOUBLE_EQ(answer.lost_gpu_seconds, 4 * answer.lost_seconds);
    EXPECT_NEAR(answer.what_if.step_seconds_without / answer.what_if.step_seconds_before, 1, 0.03);
  }
}

TEST(Stragglers, ProductionTracesGetTheirPublishedVerdicts) {
  const TracedJob ar = LoadTrace("ar");
  const StragglerAnswer one_bad = FindStragglers({ar.job, ar.steps, {}});
  EXPECT_EQ(one_bad.verdict, StragglerVerdict::kSlowRank);
  EXPECT_TRUE(one_bad.also.empty());
  ASSERT_EQ(one_bad.ranks.size(), 1u);
  EXPECT_EQ(ar.job.ranks[one_bad.ranks.front().row].rank, 0);
  EXPECT_EQ(ar.job.ranks[one_bad.ranks.front().row].stage, 0);
  // Takes 2.35 times as long as its peers.
  EXPECT_NEAR(one_bad.ranks.front().score, 1.35, 0.01);
  EXPECT_EQ(one_bad.ranks.front().persistence, 1.0);

  const TracedJob st = LoadTrace("st");
  const StragglerAnswer stage = FindStragglers({st.job, st.steps, {}});
  EXPECT_EQ(stage.verdict, StragglerVerdict::kStageImbalance);
  EXPECT_TRUE(stage.ranks.empty());

  const TracedJob se = LoadTrace("se");
  const StragglerAnswer uneven = FindStragglers({se.job, se.steps, {}});
  EXPECT_EQ(uneven.verdict, StragglerVerdict::kUnevenWork);
  EXPECT_EQ(uneven.also, std::vector{StragglerVerdict::kStageImbalance});
  EXPECT_TRUE(uneven.ranks.empty());
}

}  // namespace
}  // namespace lockstep::training
