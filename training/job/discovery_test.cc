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

}  // namespace
}  // namespace lockstep::training
