#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "answers/bottlenecks.h"
#include "answers/comparison.h"
#include "answers/efficiency.h"
#include "answers/events.h"
#include "answers/hang.h"
#include "answers/report.h"
#include "answers/steps.h"
#include "answers/stragglers.h"
#include "answers/verdict.h"
#include "base/check.h"
#include "base/status.h"
#include "tests/memory_storage.h"

namespace lockstep::answers {
namespace {

constexpr int64_t kFirstEndMs = 1'700'000'000'000;

// A store with jobs whose steps end a second after one another.
class Questions : public testing::Test {
 protected:
  void Add(const std::string& job, const std::string& rank, const char* name, int64_t at_ms,
           double value, const char* phase = "") {
    storage_.Append(
        LabelSet::Of({{kMetricName, name}, {"job", job}, {"rank", rank}, {"phase", phase}}),
        kFirstEndMs + at_ms, value);
  }

  void AddSteps(const std::string& job, size_t ranks, int64_t first, int64_t last,
                int64_t begin_ms = 0, int64_t step_ms = 1000) {
    for (size_t rank = 0; rank < ranks; ++rank) {
      for (int64_t step = first; step <= last; ++step) {
        const int64_t at_ms = begin_ms + step_ms * (step - first);
        Add(job, std::to_string(rank), "train_step", at_ms, static_cast<double>(step));
        Add(job, std::to_string(rank), "train_step_time_seconds", at_ms,
            static_cast<double>(step_ms) / 1000);
      }
    }
  }

  QuestionContext Context() { return {storage_, pool_, budget_, kFirstEndMs + now_ms_}; }

  template <typename Answer>
  static Answer Of(absl::StatusOr<Answer> answer) {
    LOCKSTEP_CHECK(answer.ok());
    return *std::move(answer);
  }

  MemoryStorage storage_;
  TaskPool pool_{0};
  QueryBudget budget_{10'000'000, QueryBudget::Clock::time_point::max()};
  int64_t now_ms_ = 3'600'000;
};

std::string StepsText(const AttemptSteps& steps) {
  std::string text = absl::StrFormat("%d:", steps.attempt);
  for (size_t i = 0; i < steps.step.size(); ++i) {
    absl::StrAppendFormat(&text, " %d@%d", steps.step[i], (steps.end_ms[i] - kFirstEndMs) / 1000);
  }
  return text;
}

TEST_F(Questions, StepsOfEachAttempt) {
  AddSteps("a", 1, 0, 9);
  AddSteps("a", 1, 5, 7, 60'000);
  const JobSteps all = Of(AnswerSteps({.job = {"a"}}, Context()));
  EXPECT_EQ(all.job, "a");
  EXPECT_EQ(all.time, (TimeRange{kFirstEndMs - 1000, kFirstEndMs + 62'000}));
  ASSERT_EQ(all.attempts.size(), 2u);
  EXPECT_EQ(StepsText(all.attempts[0]), "0: 0@0 1@1 2@2 3@3 4@4 5@5 6@6 7@7 8@8 9@9");
  EXPECT_EQ(StepsText(all.attempts[1]), "1: 5@60 6@61 7@62");
  EXPECT_EQ(all.attempts[1].first_step, 5);
  EXPECT_EQ(all.attempts[1].last_step, 7);
  EXPECT_EQ(all.attempts[1].median_seconds, 1);
  EXPECT_EQ(all.attempts[1].spread_seconds, 0);
  EXPECT_EQ(all.attempts[0].step_seconds, std::vector<double>(10, 1.0));
  EXPECT_EQ(all.attempts[0].behind_seconds, std::vector<double>(10, 0.0));
  // Evenly spread, with the last one.
  const JobSteps few = Of(AnswerSteps({.job = {"a"}, .points = 4}, Context()));
  EXPECT_EQ(StepsText(few.attempts[0]), "0: 1@1 4@4 6@6 9@9");
  EXPECT_EQ(StepsText(few.attempts[1]), "1: 5@60 6@61 7@62");
}

TEST_F(Questions, StepsOfAJobWithoutAny) {
  Add("a", "0", "DCGM_FI_DEV_POWER_USAGE", 0, 700);
  const JobSteps none = Of(AnswerSteps({.job = {"a"}}, Context()));
  ASSERT_EQ(none.attempts.size(), 1u);
  EXPECT_EQ(none.attempts[0].first_step, std::nullopt);
  EXPECT_TRUE(none.attempts[0].step.empty());
  EXPECT_EQ(Message(AnswerStepEnds({.job = {"a"}}, Context()).status()),
            "no steps are stored for job \"a\"");
}

// A point begins where the step after the last point begins.
TEST_F(Questions, PointsLeaveNoStepOut) {
  AddSteps("a", 1, 10, 30);
  const StepEnds ends =
      Of(AnswerStepEnds({.job = {"a"}, .first_step = 12, .stride = 5}, Context()));
  ASSERT_EQ(ends.step, (std::vector<int64_t>{12, 17, 22, 27}));
  const auto end_of = [](int64_t step) { return kFirstEndMs + 1000 * (step - 10); };
  EXPECT_EQ(ends.begin_ms, (std::vector<int64_t>{end_of(11), end_of(12), end_of(17), end_of(22)}));
}

TEST_F(Questions, EndsOfEveryNthStep) {
  AddSteps("a", 1, 10, 15);
  AddSteps("a", 1, 17, 30, 7000);
  const auto steps = [this](const StepEndsQuestion& question) {
    const auto ends = AnswerStepEnds(question, Context());
    if (!ends.ok()) return std::string(Message(ends.status()));
    EXPECT_EQ(ends->step.size(), ends->end_ms.size());
    std::string text;
    for (size_t i = 0; i < ends->step.size(); ++i) {
      absl::StrAppendFormat(&text, "%d ", ends->step[i]);
      EXPECT_EQ(ends->end_ms[i], kFirstEndMs + 1000 * (ends->step[i] - 10));
    }
    return text;
  };
  EXPECT_EQ(steps({.job = {"a"}, .stride = 5}), "10 15 20 25 30 ");
  // Step 16 is missing, so the next one stands for it.
  EXPECT_EQ(steps({.job = {"a"}, .first_step = 13, .last_step = 20, .stride = 3}), "13 17 19 ");
  EXPECT_EQ(steps({.job = {"a"}, .first_step = 0, .last_step = 12, .stride = 1}), "10 11 12 ");
  EXPECT_EQ(steps({.job = {"a"}, .first_step = 28}), "28 29 30 ");
  EXPECT_EQ(steps({.job = {"a"}, .last_step = 10}), "10 ");
  EXPECT_EQ(steps({.job = {"a"}, .first_step = 40, .last_step = 50}), "");
  // 21 steps in at most so many points.
  EXPECT_EQ(steps({.job = {"a"}, .most_points = 21}),
            "10 11 12 13 14 15 17 18 19 20 21 22 23 24 25 26 27 28 29 30 ");
  EXPECT_EQ(steps({.job = {"a"}, .most_points = 5}), "10 15 20 25 30 ");
  EXPECT_EQ(steps({.job = {"a"}, .most_points = 1}), "10 ");
  EXPECT_EQ(steps({.job = {"a"}, .first_step = 12, .last_step = 11}),
            "the last step, 11, is before the first, 12");
  EXPECT_EQ(steps({.job = {"a"}, .stride = 0}),
            "every step number 0 of steps 10 to 30: the number must be positive and result in at "
            "most 2000 points");
  EXPECT_EQ(steps({.job = {"a"}, .stride = 4, .most_points = 5}),
            "every step number 4 of steps 10 to 30: the number must be positive and result in at "
            "most 5 points");
  EXPECT_EQ(steps({.job = {"a"}, .stride = 4, .most_points = 6}), "10 14 18 22 26 30 ");
}

TEST_F(Questions, RunsAreComparedAtAsManyPoints) {
  AddSteps("a", 1, 0, 19);
  AddSteps("b", 1, 0, 19, 0, 500);
  for (const char* job : {"a", "b"}) {
    for (int64_t n = 0; n < 20; ++n) {
      const int64_t at_ms = n * (job[0] == 'a' ? 1000 : 500);
      Add(job, "0", "train_loss", at_ms, static_cast<double>(job[0] == 'a' ? n : n + 1));
      Add(job, "0", "train_tokens", at_ms, 100);
      Add(job, "0", "memory_allocated_bytes", at_ms, 7);
      Add(job, "0", "DCGM_FI_DEV_POWER_USAGE", at_ms, 700);
    }
  }
  const auto comparison = Of(AnswerComparison({.runs = {"a", "b"}, .points = 4}, Context()));
  ASSERT_EQ(comparison.runs.size(), 2u);
  EXPECT_EQ(comparison.runs[1].name, "b");
  EXPECT_EQ(comparison.runs[1].speed, 2);
  EXPECT_EQ(comparison.runs[1].tokens_per_second, 200);
  EXPECT_EQ(comparison.at, (std::vector<double>{4, 9, 14, 19}));
  EXPECT_EQ(comparison.runs[0].loss, (std::vector<double>{4, 9, 14, 19}));
  EXPECT_EQ(comparison.runs[1].loss, (std::vector<double>{5, 10, 15, 20}));
  EXPECT_EQ(comparison.runs[1].loss_gap, std::vector<double>(4, 1.0));
  // 19 s and 9.5 s at 700 W.
  EXPECT_DOUBLE_EQ(comparison.runs[0].joules_per_step, 700.0 * 19 / 20);
  EXPECT_DOUBLE_EQ(comparison.runs[1].joules_per_step, 700.0 * 9.5 / 20);
  EXPECT_EQ(Of(AnswerComparison({.runs = {"a"}, .points = 20}, Context())).at.size(), 20u);
  EXPECT_EQ(Of(AnswerComparison({.runs = {"a"}, .points = 19}, Context())).at.size(), 19u);
  EXPECT_EQ(AnswerComparison({.runs = {"a", "c"}}, Context()).status().code(),
            absl::StatusCode::kNotFound);
}

LoadedJob MeasuredJob() {
  LoadedJob job;
  job.job.name = "j";
  job.job.ranks.resize(2);
  job.gpu_models = {"NVIDIA H200", "NVIDIA H200"};
  for (int64_t n = 0; n < 20; ++n) {
    job.steps.step.push_back(n);
    job.steps.end_ms.push_back(2000 * (n + 1));
  }
  job.steps.step_seconds = training::RankMatrix(2, 20, 2.0);
  job.steps.model_flops = training::RankMatrix(2, 20, 989.4e12);
  job.time = {0, 40'000};
  return job;
}

TEST(JobEfficiency, TokensAreReportedOrThoseOfTheModelsShape) {
  LoadedJob job = MeasuredJob();
  EXPECT_TRUE(std::isnan(EfficiencyOf(job, {}).tokens_per_second));
  EXPECT_TRUE(std::isnan(EfficiencyOf(job, {}).consumed_samples));
  job.facts.parallelism.global_batch = 16;
  job.facts.sequence_length = 100;
  JobEfficiency found = EfficiencyOf(job, {.total_tokens = 48'000});
  EXPECT_EQ(found.subject.job.name, "j");
  EXPECT_EQ(found.tokens_per_second, 800);
  EXPECT_EQ(found.tokens_per_second_per_gpu, 400);
  EXPECT_EQ(found.samples_per_second, 8);
  EXPECT_EQ(found.consumed_tokens, 32'000);
  EXPECT_EQ(found.consumed_samples, 320);
  EXPECT_EQ(found.eta_seconds, 20);
  EXPECT_TRUE(std::isnan(EfficiencyOf(job, {}).eta_seconds));
  job.facts.total_samples = 1000;
  EXPECT_EQ(EfficiencyOf(job, {}).consumed_samples, 1000);
  // The parameters of the question win.
  found = EfficiencyOf(job, {.shape = {.sequence_length = 10, .global_batch = 4}});
  EXPECT_EQ(found.samples_per_second, 2);
  EXPECT_EQ(found.tokens_per_second, 20);
  job.steps.tokens = training::RankMatrix(2, 20, 5000);
  found = EfficiencyOf(job, {});
  EXPECT_EQ(found.tokens_per_second, 2500);
  EXPECT_EQ(found.consumed_tokens, 100'000);
}

TEST(JobEfficiency, TheModelIsThatOfTheQuestionOrOfTheDevices) {
  LoadedJob job = MeasuredJob();
  EXPECT_EQ(EfficiencyOf(job, {}).answer.gpu_model, "h200-sxm5-141gb");
  EXPECT_DOUBLE_EQ(EfficiencyOf(job, {}).answer.mfu, 0.5);
  job.devices.resize(2);
  for (training::GpuCounters& device : job.devices) device.model = "NVIDIA L4";
  EXPECT_EQ(EfficiencyOf(job, {}).answer.gpu_model, "l4");
  EXPECT_EQ(EfficiencyOf(job, {.gpu_model = "NVIDIA B200"}).answer.gpu_model, "b200-sxm6");
  const JobEfficiency fp8 =
      EfficiencyOf(job, {.precision = training::Precision::kFp8, .recomputes_fully = true});
  EXPECT_EQ(fp8.precision, training::Precision::kFp8);
  EXPECT_DOUBLE_EQ(fp8.answer.hfu, fp8.answer.mfu * 4 / 3);
}

TEST(JobEvents, AJobThatWentSilentAMinuteAgoMayHaveStalled) {
  LoadedJob job = MeasuredJob();
  const auto kinds = [&job](int64_t now_ms) {
    std::string text;
    for (const training::Event& event : EventsOf(job, now_ms).events) {
      text += std::string(Name(event.kind)) + " ";
    }
    return text;
  };
  job.time.max_ms = 300'000;  // by its devices
  EXPECT_EQ(kinds(360'000), "stall ");
  EXPECT_EQ(kinds(360'001), "");
  EXPECT_EQ(EventsOf(job, 0).subject.job.name, "j");
  EXPECT_EQ(EventsOf(job, 0).confidence.steps, 20u);
}

TEST_F(Questions, StragglersAreWhatTheirMethodFinds) {
  AddSteps("a", 4, 0, 99);
  for (int64_t n = 0; n < 100; ++n) {
    for (const char* rank : {"0", "1", "2", "3"}) {
      const bool is_late = rank[0] == '2' && n >= 40;
      Add("a", rank, "train_phase_seconds", 1000 * n, is_late ? 0.9 : 0.5, "forward");
      Add("a", rank, "train_phase_seconds", 1000 * n, is_late ? 0.1 : 0.5, "wait");
    }
  }
  StragglerQuestion question{.job = {"a"}};
  question.prices.per_gpu_hour = *ParseGpuPrices("3.6");
  question.prices.currency = "EUR";
  const JobStragglers found = Of(AnswerStragglers(question, Context()));
  EXPECT_EQ(found.subject.job.name, "a");
  EXPECT_EQ(found.frontier_step, 99);
  EXPECT_FALSE(found.is_running);
  EXPECT_EQ(found.currency, "EUR");
  EXPECT_EQ(Name(found.answer.verdict), "slow_rank");
  EXPECT_EQ(Name(found.answer.method), "collective_waits");
  // 60 steps of 0.4 s too many, on four GPUs.
  EXPECT_NEAR(found.answer.lost_gpu_seconds, 96, 1);
  EXPECT_NEAR(found.lost_cost, found.answer.lost_gpu_seconds * 0.001, 1e-9);
  std::string methods;
  for (const MethodFinding& one : found.methods) {
    methods += std::string(Name(one.method)) + "=" + std::string(Name(one.verdict));
    for (const size_t row : one.rows) methods += " " + std::to_string(row);
    methods += "\n";
  }
  EXPECT_EQ(methods, "collective_waits=slow_rank 2\nphase_times=slow_rank 2\nstep_time=none\n");
  EXPECT_EQ(found.presets.size(), 1u);
  question.method = training::StragglerMethod::kStepTime;
  EXPECT_EQ(Name(Of(AnswerStragglers(question, Context())).answer.verdict), "none");
  question.method = training::StragglerMethod::kDeviceCounters;
  EXPECT_EQ(Name(Of(AnswerStragglers(question, Context())).answer.verdict), "no_data");
}

TEST(StragglerMethods, AreReadAsTheyAreWritten) {
  for (const char* name :
       {"collective_waits", "phase_times", "own_time", "device_counters", "step_time"}) {
    EXPECT_EQ(Name(*StragglerMethodOf(name)), name);
  }
  EXPECT_EQ(StragglerMethodOf("guessing"), std::nullopt);
}

TEST(JobQueries, AreAsOfNowOrOfTheEndOfTheTime) {
  const JobQuery query = QueryOf({.name = "a", .time = {10, 20}, .attempt = 3}, {}, 15);
  EXPECT_EQ(query.name, "a");
  EXPECT_EQ(query.time, (TimeRange{10, 20}));
  EXPECT_EQ(query.attempt, 3u);
  EXPECT_EQ(query.now_ms, 15);
  EXPECT_EQ(QueryOf({.name = "a", .time = {10, 20}}, {}, 25).now_ms, 20);
}

TEST(JobNeeds, AreThoseOfTheirQuestion) {
  EXPECT_TRUE(StragglerNeeds().phases && StragglerNeeds().operations && StragglerNeeds().links);
  EXPECT_EQ(StragglerNeeds().devices.count(), catalogue::kRoleCount);
  EXPECT_TRUE(BottleneckNeeds().phases && BottleneckNeeds().operations);
  EXPECT_EQ(BottleneckNeeds().devices.count(), catalogue::kRoleCount);
  EXPECT_FALSE(BottleneckNeeds().links);
  EXPECT_TRUE(EfficiencyNeeds().phases && EfficiencyNeeds().operations);
  EXPECT_EQ(EfficiencyNeeds().devices, CountersOfClasses());
  EXPECT_TRUE(EventNeeds().loss && EventNeeds().memory);
}

// A bottleneck with as many ranks as there are, not as many as report.
TEST_F(Questions, TheWorldMayHaveMoreRanksThanReport) {
  for (int64_t n = 0; n < 60; ++n) {
    Add("a", "0", "DCGM_FI_PROF_GR_ENGINE_ACTIVE", 1000 * n, 1);
    Add("a", "0", "DCGM_FI_PROF_SM_ACTIVE", 1000 * n, 0.18);
    Add("a", "0", "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", 1000 * n, 0);
    Add("a", "0", "DCGM_FI_PROF_DRAM_ACTIVE", 1000 * n, 0.001);
  }
  EXPECT_EQ(Name(Of(AnswerBottlenecks({"a"}, Context())).answer.verdict), "unknown");
  Add("a", "0", "train_world_size", 1000, 8);
  EXPECT_EQ(Name(Of(AnswerBottlenecks({"a"}, Context())).answer.verdict), "waiting");
}

TEST_F(Questions, JobsAreListedWithTheirVerdicts) {
  AddSteps("a", 2, 0, 99);
  for (int64_t n = 0; n < 100; ++n) {
    for (const char* rank : {"0", "1"}) {
      Add("a", rank, "train_phase_seconds", 1000 * n, 0.9, "forward");
      Add("a", rank, "train_phase_seconds", 1000 * n, 0.01, "data");
    }
  }
  storage_.Append(LabelSet::Of({{kMetricName, "lockstep_rank_info"},
                                {"job", "registered"},
                                {"rank", "0"},
                                {"host", "n1"},
                                {"gpu", "0"}}),
                  kFirstEndMs + 50'000, 1);
  now_ms_ = 110'000;
  const auto jobs = Of(AnswerJobs({.now_ms = kFirstEndMs + now_ms_}, Context()));
  ASSERT_EQ(jobs.size(), 2u);
  EXPECT_EQ(jobs[0].job.name, "registered");
  EXPECT_EQ(Name(jobs[0].verdict->verdict), "unknown");
  EXPECT_EQ(jobs[1].job.name, "a");
  EXPECT_EQ(Name(jobs[1].verdict->verdict), "healthy");
  budget_.Cancel();
  EXPECT_FALSE(AnswerJobs({.now_ms = kFirstEndMs + now_ms_}, Context()).ok());
}

// --- The report ---------------------------------------------------------------------------------

// How many samples all attempts of the job take at once.
int64_t SamplesOfJob(const JobQuestion& question, const QuestionContext& context) {
  QueryBudget budget(10'000'000, QueryBudget::Clock::time_point::max());
  const QuestionContext own{context.storage, context.pool, budget, context.now_ms};
  LOCKSTEP_CHECK(LoadAttempts(question, JobNeeds::Everything(), own).ok());
  return budget.peak_samples();
}

TEST_F(Questions, AReportHoldsTheJobOnce) {
  AddSteps("a", 4, 0, 499);
  const int64_t once = SamplesOfJob({"a"}, Context());
  ASSERT_GT(once, 4 * 2 * 500 - 1);
  QueryBudget enough(once + once / 4, QueryBudget::Clock::time_point::max());
  const auto report =
      AnswerReport({.job = {"a"}}, {storage_, pool_, enough, kFirstEndMs + now_ms_});
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->step_count, 500u);
  // The verdict is that of the list.
  const std::vector<ListedJob> listed =
      Of(AnswerJobs({.name = "a", .now_ms = kFirstEndMs + now_ms_}, Context()));
  ASSERT_TRUE(report->summary.verdict.has_value());
  EXPECT_EQ(report->summary.verdict->verdict, listed.at(0).verdict->verdict);
  EXPECT_EQ(report->summary.verdict->sentence, listed.at(0).verdict->sentence);
  EXPECT_EQ(report->summary.verdict->confidence.steps, listed.at(0).verdict->confidence.steps);
}

// A report that just fits does so too once the job has a dump.
TEST_F(Questions, AReportLeavesRoomForAHang) {
  AddSteps("a", 4, 0, 499);
  const int64_t once = SamplesOfJob({"a"}, Context());
  QueryBudget enough(once + once / 4, QueryBudget::Clock::time_point::max());
  const QuestionContext context{storage_, pool_, enough, kFirstEndMs + now_ms_};
  ASSERT_TRUE(AnswerReport({.job = {"a"}}, context).ok());
  hang::RankRecord record;
  record.version = "2.10";
  const auto found = AnswerHang({"a"}, {record}, context);
  ASSERT_TRUE(found.ok()) << found.status();
  ASSERT_EQ(found->answer.remarks.size(), 1u);
  EXPECT_NE(found->answer.remarks[0].find("query.max-samples"), std::string::npos);
  // The question alone still says that it is too large if there is no dump.
  EXPECT_FALSE(AnswerHang({"a"}, {}, context).ok());
}

TEST_F(Questions, AReportThatIsTooLargeSaysWhatToDo) {
  AddSteps("a", 4, 0, 499);
  QueryBudget little(SamplesOfJob({"a"}, Context()) - 1, QueryBudget::Clock::time_point::max());
  const absl::Status status =
      AnswerReport({.job = {"a"}}, {storage_, pool_, little, kFirstEndMs + now_ms_}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_NE(Message(status).find("query.max-samples"), std::string_view::npos);
  EXPECT_NE(Message(status).find("start and end"), std::string_view::npos);
}

// The verdict of the summary is about the last attempt, whichever attempt the report is about.
TEST_F(Questions, AReportAboutAnEarlierAttempt) {
  AddSteps("a", 4, 0, 499);
  AddSteps("a", 4, 100, 299, 600'000);
  const JobFindings last = Of(AnswerReport({.job = {"a"}}, Context()));
  const JobFindings first = Of(AnswerReport({.job = {.name = "a", .attempt = 0}}, Context()));
  EXPECT_EQ(first.step_count, 500u);
  EXPECT_EQ(last.step_count, 200u);
  ASSERT_TRUE(first.summary.verdict.has_value() && last.summary.verdict.has_value());
  EXPECT_EQ(first.summary.verdict->confidence.steps, last.summary.verdict->confidence.steps);
}

}  // namespace
}  // namespace lockstep::answers
