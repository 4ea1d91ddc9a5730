#include "answers/load/job_list.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "base/check.h"
#include "tests/memory_storage.h"

namespace lockstep::answers {
namespace {

constexpr int64_t kOriginMs = 1'700'000'000'000;

class JobListTest : public testing::Test {
 protected:
  void Add(const char* job, const char* rank, const char* name, int64_t at_s, double value,
           const std::vector<LabelView>& more = {}) {
    std::vector<LabelView> labels = {{kMetricName, name}, {"job", job}, {"rank", rank}};
    labels.insert(labels.end(), more.begin(), more.end());
    storage_.Append(LabelSet::Of(labels), kOriginMs + 1000 * at_s, value);
  }

  // Steps of two seconds.
  void AddSteps(const char* job, const char* rank, int64_t begin_s, int64_t first, int64_t last) {
    for (int64_t step = first; step <= last; ++step) {
      Add(job, rank, "train_step", begin_s + 2 * (step - first), static_cast<double>(step));
    }
  }

  std::vector<ListedJob> List(int64_t now_s, const char* name = "", TimeRange time = kAllTimes,
                              std::optional<TimeRange> past = {}) {
    const auto querier = storage_.NewQuerier();
    LOCKSTEP_CHECK(querier.ok());
    const auto jobs =
        ListJobs({.name = name, .time = time, .now_ms = kOriginMs + 1000 * now_s, .past = past},
                 {**querier, pool_, budget_});
    LOCKSTEP_CHECK(jobs.ok());
    return *jobs;
  }

  // The only job of the store.
  ListedJob Only(int64_t now_s) {
    const std::vector<ListedJob> jobs = List(now_s);
    LOCKSTEP_CHECK(jobs.size() == 1);
    return jobs[0];
  }

  std::string Condition(int64_t now_s) {
    const training::JobCondition condition = Only(now_s).condition;
    return absl::StrFormat("%s by %s", Name(condition.state), Name(condition.reason));
  }

  static int64_t Seconds(int64_t ms) { return (ms - kOriginMs) / 1000; }

  MemoryStorage storage_;
  TaskPool pool_{0};
  QueryBudget budget_{1'000'000, QueryBudget::Clock::time_point::max()};
};

TEST_F(JobListTest, TheLatestJobComesFirst) {
  AddSteps("a", "0", 0, 0, 9);
  AddSteps("b", "0", 100, 0, 9);
  AddSteps("c", "0", 50, 0, 9);
  std::string names;
  for (const ListedJob& job : List(200)) names += job.job.name;
  EXPECT_EQ(names, "bca");
  EXPECT_EQ(List(200, "c").size(), 1u);
  EXPECT_EQ(List(200, "c").at(0).job.name, "c");
  EXPECT_TRUE(List(200, "d").empty());
}

TEST_F(JobListTest, AJobLastsAsLongAsItsStepsAndDevices) {
  AddSteps("a", "0", 10, 0, 9);
  ListedJob job = Only(100);
  EXPECT_EQ(Seconds(job.time.min_ms), 10);
  EXPECT_EQ(Seconds(job.time.max_ms), 28);
  EXPECT_EQ(job.job.begin_ms, job.time.min_ms);
  EXPECT_EQ(job.signs.usual_step_seconds, 2);
  EXPECT_EQ(job.signs.last_device_sample_ms, std::nullopt);
  for (const int64_t at_s : {4, 50}) Add("a", "0", "DCGM_FI_DEV_POWER_USAGE", at_s, 700);
  job = Only(100);
  EXPECT_EQ(Seconds(job.time.min_ms), 4);
  EXPECT_EQ(Seconds(job.time.max_ms), 50);
  EXPECT_EQ(Seconds(*job.signs.last_device_sample_ms), 50);
  // Steps may begin earlier and end later.
  AddSteps("a", "0", 2, 0, 2);
  AddSteps("a", "0", 60, 5, 6);
  job = Only(100);
  EXPECT_EQ(Seconds(job.time.min_ms), 2);
  EXPECT_EQ(Seconds(job.time.max_ms), 62);
}

TEST_F(JobListTest, RanksAndTheirPlacesComeFromLabels) {
  AddSteps("a", "1", 0, 0, 3);
  AddSteps("a", "0", 0, 0, 3);
  Add("a", "1", "DCGM_FI_DEV_POWER_USAGE", 1, 700,
      {{"Hostname", "n1"}, {"gpu", "3"}, {"UUID", "GPU-3"}, {"modelName", "H200"}});
  const ListedJob job = Only(10);
  ASSERT_EQ(job.job.ranks.size(), 2u);
  EXPECT_EQ(job.job.ranks[0].rank, 0);
  EXPECT_EQ(job.job.ranks[1].host, "n1");
  EXPECT_EQ(job.job.ranks[1].gpu, "3");
  EXPECT_EQ(job.job.ranks[1].gpu_uuid, "GPU-3");
  EXPECT_EQ(job.gpu_models, (std::vector<std::string>{"", "H200"}));
  EXPECT_EQ(job.world_size, 2);
}

TEST_F(JobListTest, AGpuThatRanksShareNamesNone) {
  for (const char* rank : {"0", "1"}) AddSteps("a", rank, 0, 0, 3);
  Add("a", "", "DCGM_FI_DEV_POWER_USAGE", 1, 700, {{"Hostname", "n1"}, {"gpu", "3"}});
  const ListedJob job = Only(10);
  ASSERT_EQ(job.job.ranks.size(), 2u);
  EXPECT_EQ(job.job.ranks[0].host, "n1");
  EXPECT_EQ(job.job.ranks[1].gpu, "3");
  EXPECT_EQ(Seconds(*job.signs.last_device_sample_ms), 1);
  // A device of an exporter's job makes no training job.
  Add("exporter", "", "DCGM_FI_DEV_POWER_USAGE", 1, 700, {{"Hostname", "n1"}, {"gpu", "3"}});
  EXPECT_EQ(List(10).size(), 1u);
}

TEST_F(JobListTest, AJobWithoutRanksHasOne) {
  AddSteps("a", "", 0, 0, 3);
  AddSteps("a", "", 20, 1, 2);
  const ListedJob job = Only(30);
  ASSERT_EQ(job.job.ranks.size(), 1u);
  EXPECT_EQ(job.job.ranks[0].rank, 0);
  ASSERT_EQ(job.attempts.size(), 2u);
  EXPECT_EQ(job.attempts[1].first_step, 1);
  EXPECT_EQ(Seconds(job.time.max_ms), 22);
}

TEST_F(JobListTest, WhatTrainersSayIsChecked) {
  for (const char* rank : {"0", "1", "2", "3"}) AddSteps("a", rank, 0, 0, 3);
  const std::pair<const char*, double> facts[] = {{"train_world_size", 8},
                                                  {"train_data_parallel_size", 2},
                                                  {"train_pipeline_parallel_size", 2},
                                                  {"train_planned_steps", 500}};
  for (const auto& [name, value] : facts) {
    Add("a", "0", name, 1, value);
    Add("a", "3", name, 1, value + 1);  // the first rank's count
  }
  const ListedJob job = Only(10);
  EXPECT_EQ(job.world_size, 8);
  EXPECT_EQ(job.facts.planned_steps, 500);
  EXPECT_EQ(job.signs.planned_steps, 500);
  EXPECT_EQ(job.job.ranks[3].stage, 1);
  EXPECT_EQ(job.warnings,
            (std::vector<std::string>{
                "4 of 8 ranks do not report",
                "the world size is 8, but data 2 x tensor 1 x pipeline 2 x context 1 is 4"}));
}

TEST_F(JobListTest, SignalsAreThoseThatAreStored) {
  const auto signals = [this] {
    const JobSignals found = Only(10).signals;
    return std::string(found.steps ? "steps " : "") + (found.phases ? "phases " : "") +
           (found.devices ? "devices " : "");
  };
  Add("a", "0", "DCGM_FI_DEV_POWER_USAGE", 1, 700);
  EXPECT_EQ(signals(), "devices ");
  AddSteps("a", "0", 0, 0, 3);
  EXPECT_EQ(signals(), "steps devices ");
  Add("a", "0", "train_phase_seconds", 1, 1, {{"phase", "data"}});
  EXPECT_EQ(signals(), "steps phases devices ");
}

TEST_F(JobListTest, TheNewestStepOfAnyRankIsTheJobs) {
  AddSteps("a", "0", 0, 0, 9);
  AddSteps("a", "1", 1, 0, 10);
  const ListedJob job = Only(30);
  EXPECT_EQ(Seconds(*job.signs.last_step_end_ms), 21);
  EXPECT_EQ(job.signs.last_step, 10);
  EXPECT_EQ(job.signs.now_ms, kOriginMs + 30'000);
  // As of an earlier time, later steps are unknown.
  EXPECT_EQ(Seconds(*Only(15).signs.last_step_end_ms), 15);
}

TEST_F(JobListTest, ExitsOfTheRanksThatReportEndAJob) {
  AddSteps("a", "0", 0, 0, 50);
  AddSteps("a", "1", 0, 0, 50);
  AddSteps("a", "2", 0, 0, 19);  // which lost its sender more than a minute before
  Add("a", "0", "lockstep_exit_code", 101, 0);
  EXPECT_EQ(Condition(105), "running by steps");
  Add("a", "1", "lockstep_exit_code", 102, 0);
  EXPECT_EQ(Condition(105), "ended by exit");
  EXPECT_EQ(Condition(101), "running by steps");
  // With one more step, that rank was there until the end.
  AddSteps("a", "2", 40, 20, 20);
  EXPECT_EQ(Condition(105), "running by steps");
}

TEST_F(JobListTest, StepsOfThePastAreThoseOfTheRankThatIsFurthest) {
  AddSteps("a", "0", 0, 0, 9);
  AddSteps("a", "1", 1, 0, 10);
  const ListedJob job =
      List(30, "a", kAllTimes, TimeRange{kOriginMs + 4000, kOriginMs + 8000}).at(0);
  ASSERT_EQ(job.past.size(), 2u);
  EXPECT_EQ(job.past[0], (StepMark{kOriginMs + 5000, 2}));
  EXPECT_EQ(job.past[1], (StepMark{kOriginMs + 7000, 3}));
  EXPECT_TRUE(Only(30).past.empty());
}

TEST_F(JobListTest, ARegisteredJobHasThePlacesOfItsRanks) {
  for (const char* rank : {"0", "1"}) {
    Add("a", rank, "lockstep_rank_info", 5, 1,
        {{"attempt", "0"}, {"host", "n1"}, {"gpu", rank}, {"world_size", "4"}});
  }
  const ListedJob job = Only(60);
  ASSERT_EQ(job.job.ranks.size(), 2u);
  EXPECT_EQ(job.job.ranks[1].host, "n1");
  EXPECT_EQ(job.job.ranks[1].gpu, "1");
  EXPECT_EQ(Seconds(job.time.min_ms), 5);
  EXPECT_EQ(Seconds(job.time.max_ms), 60);  // until now
  EXPECT_EQ(job.job.begin_ms, job.time.min_ms);
  EXPECT_EQ(job.gpu_models.size(), 2u);
  EXPECT_EQ(Name(job.condition.state), "running");
}

TEST_F(JobListTest, ABudgetThatIsSpentEndsTheList) {
  AddSteps("a", "0", 0, 0, 9);
  budget_.Cancel();
  const auto querier = storage_.NewQuerier();
  EXPECT_FALSE(ListJobs({.now_ms = kOriginMs}, {**querier, pool_, budget_}).ok());
}

// "running by steps" of a job whose step 50 ended at 100 s, as of another time.
std::string ConditionThen(const ListedJob& job, int64_t at_s) {
  const training::JobCondition condition = ConditionAt(job, 1000 * at_s);
  return absl::StrFormat("%s by %s", Name(condition.state), Name(condition.reason));
}

TEST(ConditionAt, IsOfTheStepsUntilThen) {
  ListedJob job;
  job.signs = {.now_ms = 1'000'000,
               .last_step_end_ms = 100'000,
               .usual_step_seconds = 1,
               .last_step = 50,
               .planned_steps = 51};
  job.past = {{10'000, 3}, {20'000, 4}};
  EXPECT_EQ(ConditionThen(job, 9), "unknown by nothing");
  EXPECT_EQ(ConditionThen(job, 10), "running by steps");
  EXPECT_EQ(ConditionThen(job, 20), "running by steps");
  EXPECT_EQ(ConditionThen(job, 90), "running by steps");
  // Step 4 is not the last of the plan, but step 50 is.
  EXPECT_EQ(ConditionThen(job, 91), "crashed by silence");
  EXPECT_EQ(ConditionThen(job, 100), "running by steps");
  EXPECT_EQ(ConditionThen(job, 114), "ended by plan");
  EXPECT_EQ(ConditionAt(job, 114'000).since_ms, 100'000);
}

TEST(ConditionAt, WhatComesLaterIsUnknown) {
  ListedJob job;
  job.signs = {.last_step_end_ms = 100'000,
               .usual_step_seconds = 1,
               .begin_ms = 300'000,
               .exit_ms = 120'000};
  EXPECT_EQ(ConditionThen(job, 119), "running by steps");
  EXPECT_EQ(ConditionThen(job, 120), "ended by exit");
  EXPECT_EQ(ConditionThen(job, 299), "ended by exit");
  EXPECT_EQ(ConditionThen(job, 300), "running by begin");
}

TEST(ConditionAt, ProcessesAndDevicesWereThereBefore) {
  ListedJob job;
  job.signs = {.last_step_end_ms = 100'000, .usual_step_seconds = 1, .alive_ms = 900'000};
  EXPECT_EQ(ConditionThen(job, 500), "stalled by processes");
  EXPECT_EQ(ConditionThen(job, 960), "stalled by processes");
  EXPECT_EQ(ConditionThen(job, 961), "crashed by silence");
  job.signs.alive_ms.reset();
  job.signs.last_device_sample_ms = 900'000;
  EXPECT_EQ(ConditionThen(job, 500), "stalled by devices");
  EXPECT_EQ(ConditionThen(job, 961), "ended by silence");
}

}  // namespace
}  // namespace lockstep::answers
