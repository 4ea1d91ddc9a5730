#include "answers/load/job_loader.h"

#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_format.h"
#include "answers/derived/derived_storage.h"
#include "answers/load/job_list.h"
#include "base/check.h"
#include "tests/memory_storage.h"

namespace lockstep::answers {
namespace {

constexpr int64_t kBeginMs = 1'700'000'000'000;

// Ranks 0 and 1 do steps of one second: 0 to 9 and, after a pause of one minute, 5 to 19.
class StoredJob {
 public:
  StoredJob() {
    for (int64_t step = 0; step < 10; ++step) AddStep(kBeginMs + 1000 * (step + 1), step);
    for (int64_t step = 5; step < 20; ++step) AddStep(kBeginMs + 70'000 + 1000 * (step - 4), step);
  }

  MemoryStorage& storage() { return storage_; }

  absl::StatusOr<LoadedJob> Load(const JobQuery& query) {
    const auto querier = storage_.NewQuerier();
    LOCKSTEP_CHECK(querier.ok());
    return LoadJob(query, {**querier, pool_, budget_});
  }

 private:
  void AddStep(int64_t end_ms, int64_t step) {
    for (const char* rank : {"0", "1"}) {
      const auto add = [&](const char* name, const char* phase, double value) {
        storage_.Append(
            LabelSet::Of({{kMetricName, name}, {"job", "a"}, {"rank", rank}, {"phase", phase}}),
            end_ms, value);
      };
      add("train_step", "", static_cast<double>(step));
      add("train_step_time_seconds", "", 1);
      add("train_phase_seconds", "forward", 0.5 + (rank[0] - '0'));
    }
  }

  MemoryStorage storage_;
  TaskPool pool_{0};
  QueryBudget budget_{1'000'000, QueryBudget::Clock::time_point::max()};
};

// "attempt A of N: steps FIRST-LAST, from FROM to TO": seconds since kBeginMs.
void CheckLoad(const JobQuery& query, const std::string& expected) {
  StoredJob stored;
  const auto job = stored.Load(query);
  if (!job.ok()) {
    EXPECT_EQ(Message(job.status()), expected);
    return;
  }
  const training::StepTable& table = job->steps;
  EXPECT_EQ(
      absl::StrFormat("attempt %d of %d: steps %d-%d, from %d to %d", job->attempt,
                      job->attempts.size(), table.step.front(), table.step.back(),
                      (job->time.min_ms - kBeginMs) / 1000, (job->time.max_ms - kBeginMs) / 1000),
      expected);
  EXPECT_EQ(table.step_seconds.rows(), 2u);
}

// The host labels of an interface's series, and whether it belongs to the job.
TEST(JobLoader, InterfacesOfTheJobsHosts) {
  struct Row {
    const char* label;
    const char* value;
    bool is_found;
  };
  const std::vector<Row> rows = {
      {"instance", "node-1:9100", true},   {"instance", "node-1.cluster:9100", true},
      {"Hostname", "node-1", true},        {"node", "node-1.cluster", true},
      {"instance", "node-10:9100", false}, {"pod", "node-1", false}};
  for (const Row& row : rows) {
    StoredJob stored;
    stored.storage().Append(LabelSet::Of({{kMetricName, "DCGM_FI_DEV_POWER_USAGE"},
                                          {"job", "a"},
                                          {"rank", "0"},
                                          {"gpu", "0"},
                                          {"Hostname", "node-1.cluster"}}),
                            kBeginMs + 72'000, 600);
    stored.storage().Append(LabelSet::Of({{kMetricName, "node_infiniband_symbol_error_total"},
                                          {"job", "hosts"},
                                          {"device", "mlx5_0"},
                                          {row.label, row.value}}),
                            kBeginMs + 72'000, 7);
    const auto job = stored.Load({.name = "a", .needs = {.links = true}});
    ASSERT_TRUE(job.ok());
    ASSERT_EQ(job->links.size(), row.is_found ? 1u : 0u) << row.label << "=" << row.value;
    if (!row.is_found) continue;
    EXPECT_EQ(job->links[0].host, "node-1.cluster");
    EXPECT_EQ(job->links[0].device, "mlx5_0");
    EXPECT_EQ(job->links[0][catalogue::Role::kNicSymbolErrorsTotal].value, std::vector<double>{7});
  }
}

TEST(JobLoader, AttemptsAreToldApart) {
  CheckLoad({.name = "a"}, "attempt 1 of 2: steps 5-19, from 70 to 85");
  CheckLoad({.name = "a", .attempt = 0}, "attempt 0 of 2: steps 0-9, from 0 to 10");
  CheckLoad({.name = "a", .time = {kBeginMs, kBeginMs + 60'000}},
            "attempt 0 of 2: steps 0-9, from 0 to 10");
  CheckLoad({.name = "a", .time = {kBeginMs + 73'500, kBeginMs + 76'000}},
            "attempt 1 of 2: steps 8-10, from 73 to 76");
  CheckLoad({.name = "a", .attempt = 2}, "job \"a\" has 2 attempts, numbered from 0");
  CheckLoad({.name = "b"}, "no data for training job \"b\" in that time range");
}

// A series that says nothing of steps or devices adds no rank, though it names the job and one.
TEST(JobLoader, OnlySeriesOfStepsAndDevicesNameRanks) {
  for (const char* name : {"go_goroutines", "nobody_knows"}) {
    StoredJob stored;
    stored.storage().Append(LabelSet::Of({{kMetricName, name}, {"job", "a"}, {"rank", "7"}}),
                            kBeginMs + 72'000, 1);
    const auto job = stored.Load({.name = "a"});
    ASSERT_TRUE(job.ok());
    EXPECT_EQ(job->job.ranks.size(), 2u) << name;
  }
}

TEST(JobLoader, WarmUpIsThatOfTheAttempt) {
  StoredJob stored;
  const auto part = stored.Load({.name = "a", .time = {kBeginMs + 80'000, kBeginMs + 90'000}});
  ASSERT_TRUE(part.ok());
  EXPECT_EQ(part->steps.attempt_first_step, 5);
  EXPECT_EQ(part->job.begin_ms, kBeginMs + 71'000);
}

TEST(JobLoader, OnlyWhatIsNeededIsRead) {
  StoredJob stored;
  EXPECT_TRUE(stored.Load({.name = "a"})->steps.phases.empty());
  JobNeeds needs;
  needs.phases = true;
  const auto job = stored.Load({.name = "a", .needs = needs});
  ASSERT_TRUE(job.ok());
  ASSERT_EQ(job->steps.phases.size(), 1u);
  EXPECT_EQ(job->steps.phases[0].seconds(1, 0), 1.5);
  EXPECT_EQ(job->held_samples, 90);
}

TEST(JobList, StatesAndAttempts) {
  StoredJob stored;
  const auto querier = stored.storage().NewQuerier();
  TaskPool pool(0);
  QueryBudget budget(1'000'000, QueryBudget::Clock::time_point::max());
  const auto list = [&](int64_t now_ms) {
    return ListJobs({.now_ms = now_ms}, {**querier, pool, budget});
  };
  const auto running = list(kBeginMs + 90'000);
  ASSERT_TRUE(running.ok());
  ASSERT_EQ(running->size(), 1u);
  EXPECT_EQ(Name(running->front().condition.state), "running");
  EXPECT_EQ(running->front().attempts.size(), 2u);
  EXPECT_EQ(running->front().job.ranks.size(), 2u);
  EXPECT_EQ(Name(list(kBeginMs + 900'000)->front().condition.state), "ended");
}

// The state of the job half a minute after its last step, if a sample of `name` was stored two
// seconds after that step.
std::string StateAfter(const char* name, const std::vector<LabelView>& more, double value) {
  StoredJob stored;
  std::vector<LabelView> labels = {{kMetricName, name}, {"job", "a"}};
  labels.insert(labels.end(), more.begin(), more.end());
  stored.storage().Append(LabelSet::Of(labels), kBeginMs + 87'000, value);
  const auto querier = stored.storage().NewQuerier();
  TaskPool pool(0);
  QueryBudget budget(1'000'000, QueryBudget::Clock::time_point::max());
  const auto jobs = ListJobs({.now_ms = kBeginMs + 115'000}, {**querier, pool, budget});
  LOCKSTEP_CHECK(jobs.ok() && jobs->size() == 1);
  const training::JobCondition& condition = jobs->front().condition;
  return absl::StrFormat("%s by %s", Name(condition.state), Name(condition.reason));
}

TEST(JobList, EndsAreRecorded) {
  EXPECT_EQ(StateAfter("lockstep_exit_code", {}, 0), "ended by exit");
  EXPECT_EQ(StateAfter("lockstep_exit_code", {}, 137), "crashed by exit");
  // One of two ranks may end before the other, but may not fail.
  EXPECT_EQ(StateAfter("lockstep_exit_code", {{"rank", "1"}}, 0), "running by steps");
  EXPECT_EQ(StateAfter("lockstep_exit_code", {{"rank", "1"}}, 1), "crashed by exit");
  EXPECT_EQ(StateAfter("lockstep_rank_info", {{"rank", "1"}}, 0), "running by steps");
  // Events that trainers log.
  EXPECT_EQ(StateAfter("lockstep_event", {{"event", "training_end"}, {"rank", "0"}}, 1),
            "ended by exit");
  EXPECT_EQ(StateAfter("lockstep_event", {{"event", "crash"}}, 1), "crashed by exit");
  EXPECT_EQ(StateAfter("lockstep_event", {{"event", "checkpoint_saved"}}, 1), "running by steps");
}

TEST(DerivedStorage, StoredSeriesStayWhatTheyAre) {
  StoredJob stored;
  const DerivedStorage derived(stored.storage(), 1);
  const auto querier = derived.NewQuerier();
  ASSERT_TRUE(querier.ok());
  const auto count = [&](const char* name) {
    const std::vector<Matcher> matchers = {Matcher::Equal(std::string(kMetricName), name)};
    const auto set = (*querier)->Select({matchers, kAllTimes, nullptr});
    LOCKSTEP_CHECK(set.ok());
    return (*set)->size();
  };
  EXPECT_EQ(count("train_step"), 2u);
  EXPECT_EQ(count("lockstep_step_time_seconds"), 1u);
  EXPECT_EQ(count("lockstep_mfu"), 0u);  // the GPU is unknown
}

TEST(DerivedStorage, NamesByRegularExpressionSelectBothKinds) {
  StoredJob stored;
  for (const char* name : {"lockstep_agent_cpu_seconds_total", "lockstep_zone_info"}) {
    stored.storage().Append(LabelSet::Of({{kMetricName, name}, {"instance", "a"}}), kBeginMs, 1);
  }
  const DerivedStorage derived(stored.storage(), 1);
  const auto querier = derived.NewQuerier();
  ASSERT_TRUE(querier.ok());
  const auto selected = [&](const char* names) {
    const std::vector<Matcher> matchers = {
        *Matcher::Make(MatchType::kRegex, std::string(kMetricName), names)};
    const auto set = (*querier)->Select({matchers, kAllTimes, nullptr});
    LOCKSTEP_CHECK(set.ok());
    std::string text;
    while ((*set)->Next()) {
      text += absl::StrFormat("%d %s\n", (*set)->position(), (*set)->labels().metric_name());
    }
    EXPECT_TRUE((*set)->status().ok());
    return text;
  };
  EXPECT_EQ(selected("lockstep_(agent_.*|step_time_seconds|zone_info)"),
            "0 lockstep_agent_cpu_seconds_total\n"
            "1 lockstep_step_time_seconds\n"
            "2 lockstep_zone_info\n");
  EXPECT_EQ(selected(".*_time_seconds"),
            "0 train_step_time_seconds\n"
            "1 train_step_time_seconds\n");
}

// The names of derived metrics are listed where a job is that may have them.
TEST(DerivedStorage, NamesAreThoseOfTheJobsThatAreAskedFor) {
  StoredJob stored;
  for (const char* job : {"b", "stepless"}) {
    stored.storage().Append(LabelSet::Of({{kMetricName, "up"}, {"job", job}}), kBeginMs, 1);
  }
  stored.storage().Append(LabelSet::Of({{kMetricName, "train_step"}, {"job", "b"}, {"rank", "0"}}),
                          kBeginMs, 1);
  const DerivedStorage derived(stored.storage(), 1);
  const auto querier = derived.NewQuerier();
  ASSERT_TRUE(querier.ok());
  const auto lists_derived = [&](std::vector<Matcher> matchers) {
    const auto names = (*querier)->LabelValues(kMetricName, {matchers, kAllTimes, nullptr});
    EXPECT_TRUE(names.ok()) << names.status();
    return std::ranges::count(*names, "lockstep_step_time_seconds") == 1;
  };
  EXPECT_TRUE(lists_derived({}));
  EXPECT_TRUE(lists_derived({Matcher::Equal("job", "a")}));
  EXPECT_TRUE(lists_derived({Matcher::Equal("job", "b")}));
  EXPECT_TRUE(lists_derived({*Matcher::Make(MatchType::kRegex, "job", "stepless|a")}));
  EXPECT_FALSE(lists_derived({Matcher::Equal("job", "stepless")}));
  EXPECT_FALSE(lists_derived({Matcher::Equal("job", "absent")}));
  EXPECT_FALSE(lists_derived({Matcher::Equal("job", "a"), Matcher::Equal("job", "b")}));
  EXPECT_FALSE(lists_derived({Matcher::Equal("job", "a"), Matcher::Equal("rank", "0")}));
}

}  // namespace
}  // namespace lockstep::answers
