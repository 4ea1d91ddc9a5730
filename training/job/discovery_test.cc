#include "training/job/discovery.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_format.h"

namespace lockstep::training {
namespace {

Job JobOfRanks(const std::vector<int64_t>& ranks) {
  Job job;
  for (const int64_t rank : ranks) job.ranks.push_back({.rank = rank});
  return job;
}

TEST(Discovery, WhatDoesNotFitIsSaid) {
  struct Case {
    std::vector<int64_t> ranks;
    int64_t world_size;
    Parallelism parallelism;
    size_t warnings;
  };
  const Case cases[] = {
      {{0, 1, 2, 3}, 4, {}, 0},
      {{0, 1, 3}, 0, {}, 1},
      {{0, 1, 2, 3}, 8, {}, 1},
      {{0, 1, 2, 3}, 4, {.data = 2, .tensor = 2}, 0},
      {{0, 1, 2, 3}, 4, {.data = 3}, 1},
      {{0, 1, 2, 3}, 4, {.data = 4, .micro_batch = 2, .global_batch = 16}, 0},
      {{0, 1, 2, 3}, 4, {.data = 4, .micro_batch = 3, .global_batch = 16}, 1},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(CheckJob(JobOfRanks(c.ranks), c.world_size, c.parallelism).size(), c.warnings);
  }
  Job shared = JobOfRanks({0, 1});
  shared.ranks[0].gpu_uuid = shared.ranks[1].gpu_uuid = "GPU-7";
  EXPECT_EQ(CheckJob(shared, 2, {}).size(), 1u);
}

TEST(Discovery, WarningsShowTheNumbers) {
  const auto only = [](const std::vector<std::string>& warnings) {
    return warnings.size() == 1 ? warnings[0] : absl::StrFormat("%d warnings", warnings.size());
  };
  EXPECT_EQ(only(CheckJob(JobOfRanks({0, 1, 3}), 0, {})), "1 of 4 ranks do not report");
  EXPECT_EQ(only(CheckJob(JobOfRanks({0, 1}), 8, {})), "6 of 8 ranks do not report");
  EXPECT_EQ(only(CheckJob(JobOfRanks({}), 2, {})), "2 of 2 ranks do not report");
  EXPECT_EQ(only(CheckJob(JobOfRanks({}), 0, {})), "0 warnings");
  // A rank above the reported world size counts.
  EXPECT_EQ(only(CheckJob(JobOfRanks({0, 1, 2}), 2, {})), "0 warnings");
  EXPECT_EQ(only(CheckJob(JobOfRanks({0, 1, 2, 3}), 4,
                          {.data = 3, .tensor = 2, .pipeline = 5, .context = 7})),
            "the world size is 4, but data 3 x tensor 2 x pipeline 5 x context 7 is 210");
  EXPECT_EQ(only(CheckJob(JobOfRanks({0, 1}), 2, {.data = 0, .tensor = 3})), "0 warnings");
  EXPECT_EQ(
      only(CheckJob(JobOfRanks({0, 1}), 2, {.data = 2, .micro_batch = 3, .global_batch = 16})),
      "global batch 16 is not a multiple of micro-batch 3 x data parallel 2");
  EXPECT_EQ(
      only(CheckJob(JobOfRanks({0, 1}), 2, {.data = 2, .micro_batch = 3, .global_batch = 18})),
      "0 warnings");
}

TEST(Discovery, RanksThatShareAGpuAreNamed) {
  Job job = JobOfRanks({0, 1, 2, 3});
  job.ranks[0].gpu_uuid = job.ranks[1].gpu_uuid = job.ranks[3].gpu_uuid = "GPU-7";
  EXPECT_EQ(CheckJob(job, 4, {}),
            std::vector<std::string>{"3 ranks, from 0 to 3, share the GPU GPU-7"});
  // Slices of GPUs on several hosts may have the same name.
  job.ranks[0].host = "a";
  job.ranks[1].host = "b";
  EXPECT_EQ(CheckJob(job, 4, {}), std::vector<std::string>{});
}

TEST(Discovery, StagesNeedAllParts) {
  const auto last_stage = [](const Parallelism& parallelism) {
    Job job = JobOfRanks({0, 1, 2, 3, 4, 5, 6, 7});
    SetStages(parallelism, job);
    return job.ranks.back().stage;
  };
  EXPECT_EQ(last_stage({.data = 2, .pipeline = 4}), 3);
  EXPECT_EQ(last_stage({.data = 1, .tensor = 1, .pipeline = 4, .context = 2}), 3);
  EXPECT_EQ(last_stage({.data = 1, .tensor = 2, .pipeline = 4}), 3);
  EXPECT_EQ(last_stage({.data = 0, .pipeline = 4}), 0);
  EXPECT_EQ(last_stage({.data = 1, .pipeline = 8}), 7);
  EXPECT_EQ(last_stage({.data = 1, .pipeline = 4}), 0);
}

TEST(Discovery, StagesCountSlowest) {
  Job job = JobOfRanks({0, 1, 2, 3, 4, 5, 6, 7});
  SetStages({.data = 2, .tensor = 2, .pipeline = 2}, job);
  EXPECT_EQ(job.ranks[3].stage, 0);
  EXPECT_EQ(job.ranks[4].stage, 1);
  EXPECT_EQ(PeerGroups(job).size(), 2u);
  Job misfit = JobOfRanks({0, 1, 2});
  SetStages({.data = 2, .pipeline = 2}, misfit);
  EXPECT_EQ(PeerGroups(misfit).size(), 1u);
}

TEST(Discovery, StatesFollowFromSigns) {
  constexpr int64_t kNow = 10'000'000;
  struct Case {
    JobSigns signs;
    const char* state;
  };
  const Case cases[] = {
      {{.now_ms = kNow}, "unknown"},
      {{.now_ms = kNow, .last_device_sample_ms = kNow - 5'000}, "running"},
      {{.now_ms = kNow, .last_step_end_ms = kNow - 3'000, .usual_step_seconds = 1}, "running"},
      {{.now_ms = kNow, .last_step_end_ms = kNow - 100'000, .usual_step_seconds = 20}, "running"},
      {{.now_ms = kNow,
        .last_step_end_ms = kNow - 100'000,
        .usual_step_seconds = 1,
        .last_device_sample_ms = kNow - 5'000},
       "stalled"},
      {{.now_ms = kNow, .last_step_end_ms = kNow - 100'000, .usual_step_seconds = 1}, "ended"},
      {{.now_ms = kNow,
        .last_step_end_ms = kNow - 100'000,
        .usual_step_seconds = 1,
        .last_step = 99,
        .planned_steps = 100},
       "ended"},
      {{.now_ms = kNow,
        .last_step_end_ms = kNow - 100'000,
        .usual_step_seconds = 1,
        .last_step = 50,
        .planned_steps = 100},
       "crashed"},
  };
  for (const Case& c : cases) EXPECT_EQ(Name(ConditionOf(c.signs).state), c.state);
}

// "state by reason since seconds" at `now_s`, for a job whose last step, 50, ended at 1,000 s.
std::string ConditionText(int64_t now_s, JobSigns signs) {
  signs.now_ms = 1000 * now_s;
  signs.last_step_end_ms = 1'000'000;
  signs.last_step = 50;
  signs.usual_step_seconds = 1;
  const JobCondition condition = ConditionOf(signs);
  return absl::StrFormat("%s by %s since %d", Name(condition.state), Name(condition.reason),
                         condition.since_ms / 1000);
}

TEST(Discovery, EndsAndHangsAreToldApart) {
  // An exit counts immediately, unless a step or a start came after it.
  EXPECT_EQ(ConditionText(1001, {.exit_ms = 1'000'500}), "ended by exit since 1000");
  EXPECT_EQ(ConditionText(1001, {.exit_ms = 1'000'500, .has_failed = true}),
            "crashed by exit since 1000");
  EXPECT_EQ(ConditionText(1001, {.exit_ms = 999'000}), "running by steps since 0");
  // The clock of its host was set back by half a second, then by more.
  EXPECT_EQ(ConditionText(1001, {.exit_ms = 999'500}), "ended by exit since 999");
  EXPECT_EQ(ConditionText(1001, {.exit_ms = 999'499}), "running by steps since 0");
  EXPECT_EQ(ConditionText(1100, {.begin_ms = 1'090'000, .exit_ms = 1'000'500}),
            "running by begin since 0");
  // Without one, waits for ten step times plus a minute.
  EXPECT_EQ(ConditionText(1070, {.alive_ms = 1'060'000}), "running by steps since 0");
  EXPECT_EQ(ConditionText(1071, {.alive_ms = 1'060'000}), "stalled by processes since 1000");
  EXPECT_EQ(ConditionText(5000, {.alive_ms = 4'990'000}), "stalled by processes since 1000");
  EXPECT_EQ(ConditionText(5000, {.last_device_sample_ms = 4'990'000}),
            "stalled by devices since 1000");
  // A process that would have reported its end, but did not, was killed.
  EXPECT_EQ(ConditionText(1071, {.alive_ms = 990'000}), "crashed by silence since 1000");
  EXPECT_EQ(ConditionText(1071, {}), "ended by silence since 1000");
  EXPECT_EQ(ConditionText(1071, {.planned_steps = 100}), "crashed by silence since 1000");
  // When all planned steps are done, there is nothing to wait for.
  EXPECT_EQ(ConditionText(1013, {.planned_steps = 51}), "running by steps since 0");
  EXPECT_EQ(ConditionText(1014, {.planned_steps = 51, .alive_ms = 1'013'000}),
            "ended by plan since 1000");
}

TEST(Discovery, AJobWithoutStepsIsThereWhileSomethingOfItIs) {
  constexpr int64_t kNow = 10'000'000;
  const auto state = [](const JobSigns& signs) {
    const JobCondition condition = ConditionOf(signs);
    EXPECT_EQ(condition.since_ms, 0);
    return absl::StrFormat("%s by %s", Name(condition.state), Name(condition.reason));
  };
  EXPECT_EQ(state({.now_ms = kNow}), "unknown by nothing");
  EXPECT_EQ(state({.now_ms = kNow, .begin_ms = kNow - 60'000}), "running by begin");
  EXPECT_EQ(state({.now_ms = kNow, .begin_ms = kNow - 60'001}), "unknown by nothing");
  EXPECT_EQ(state({.now_ms = kNow, .begin_ms = kNow - 90'000, .alive_ms = kNow - 60'000}),
            "running by processes");
  EXPECT_EQ(state({.now_ms = kNow, .last_device_sample_ms = kNow - 60'000}), "running by devices");
  EXPECT_EQ(state({.now_ms = kNow, .last_device_sample_ms = kNow - 60'001}), "unknown by nothing");
}

TEST(Discovery, AnExitBeforeTheLatestStartIsOfAnEarlierRun) {
  const auto state = [](int64_t begin_ms, int64_t exit_ms) {
    return Name(ConditionOf({.now_ms = 5000, .begin_ms = begin_ms, .exit_ms = exit_ms}).state);
  };
  EXPECT_EQ(state(4000, 4000), "ended");
  EXPECT_EQ(state(4000, 4001), "ended");
  EXPECT_EQ(state(4000, 3999), "running");
}

TEST(Discovery, AStepIsOverdueAfterTenUsualOnesAndAMinute) {
  EXPECT_EQ(OverdueMs(0), 60'000);
  EXPECT_EQ(OverdueMs(1.5), 75'000);
  EXPECT_EQ(OverdueMs(0.0123), 60'123);
}

TEST(Discovery, AfterThePlannedStepsItWaitsForThreeUsualOnesAndTenSeconds) {
  const auto state = [](int64_t quiet_ms, int64_t last_step) {
    return Name(ConditionOf({.now_ms = 1'000'000 + quiet_ms,
                             .last_step_end_ms = 1'000'000,
                             .usual_step_seconds = 2,
                             .last_step = last_step,
                             .planned_steps = 100})
                    .state);
  };
  EXPECT_EQ(state(16'000, 99), "running");
  EXPECT_EQ(state(16'001, 99), "ended");
  EXPECT_EQ(state(16'001, 98), "running");
  EXPECT_EQ(state(80'000, 98), "running");
  EXPECT_EQ(state(80'001, 98), "crashed");
  EXPECT_EQ(state(80'001, 120), "ended");
}

}  // namespace
}  // namespace lockstep::training
