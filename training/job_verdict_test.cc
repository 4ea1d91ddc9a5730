#include "training/job_verdict.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "training/job/made_steps.h"

namespace lockstep::training {
namespace {

struct JudgedJob {
  Job job;
  StepTable steps = EvenSteps(4, 200, 0.2);
  JobState state = JobState::kRunning;
  std::vector<NotReportingRank> not_reporting;
  StragglerAnswer stragglers{.verdict = StragglerVerdict::kNone};
  BottleneckAnswer bottlenecks{.verdict = BottleneckClass::kComputeBound};
  std::vector<Event> events;

  JudgedJob() {
    for (int64_t rank = 0; rank < 4; ++rank) job.ranks.push_back({.rank = rank});
  }

  JobVerdictAnswer Verdict() const {
    return VerdictOf({.job = job,
                      .steps = steps,
                      .state = state,
                      .not_reporting = not_reporting,
                      .stragglers = &stragglers,
                      .bottlenecks = &bottlenecks,
                      .events = events});
  }
};

SlowRankFinding Slow(size_t row, StragglerCause cause, bool is_open) {
  return {.row = row, .cause = cause, .score = 0.12, .episodes = {{.is_open = is_open}}};
}

TEST(JobVerdict, TheWorstComesFirstAndTheRestBesideIt) {
  JudgedJob made;
  made.state = JobState::kCrashed;
  made.not_reporting = {{.row = 1, .last_step = 99}};
  made.stragglers = {
      .verdict = StragglerVerdict::kSlowRank,
      .also = {StragglerVerdict::kUnevenWork},
      .ranks = {Slow(2, StragglerCause::kLoader, true), Slow(3, StragglerCause::kNetwork, true)}};
  made.bottlenecks.verdict = BottleneckClass::kInputBound;
  const JobVerdictAnswer answer = made.Verdict();
  EXPECT_EQ(Name(answer.verdict), "crashed");
  std::string also;
  for (const JobVerdict verdict : answer.also) also += std::string(Name(verdict)) + " ";
  EXPECT_EQ(also, "not_reporting slow_rank uneven_work network input_bound ");
}

TEST(JobVerdict, SaysWhoAndWhy) {
  JudgedJob made;
  made.stragglers.verdict = StragglerVerdict::kSlowRank;
  made.stragglers.ranks = {Slow(2, StragglerCause::kLoader, true)};
  EXPECT_EQ(made.Verdict().sentence,
            "Rank 2 holds the others back by 12.0 % of a step; cause: loader.");
  EXPECT_EQ(made.Verdict().rows, std::vector<size_t>{2});
  made.stragglers.ranks.push_back(Slow(3, StragglerCause::kLoader, true));
  EXPECT_EQ(made.Verdict().sentence,
            "Ranks 2 and 3 hold the others back by 12.0 % of a step; cause: loader.");
  made.not_reporting = {{.row = 1, .last_step = 99}};
  EXPECT_EQ(made.Verdict().sentence,
            "Rank 1 stopped reporting after step 99, while others continue.");
}

TEST(JobVerdict, AStallThatTheJobGotOverIsNotTheVerdict) {
  JudgedJob made;
  const int64_t end_ms = made.steps.end_ms.back();
  made.events = {{.kind = EventKind::kStall, .time = {end_ms - 9000, end_ms}}};
  EXPECT_EQ(Name(made.Verdict().verdict), "healthy");
  made.events = {{.kind = EventKind::kStall, .time = {end_ms, end_ms + 9000}}};
  EXPECT_EQ(Name(made.Verdict().verdict), "hanging");
}

TEST(JobVerdict, WhatIsOverIsNotTheVerdict) {
  JudgedJob made;
  made.stragglers.verdict = StragglerVerdict::kSlowRank;
  made.stragglers.ranks = {Slow(2, StragglerCause::kGpu, false)};
  EXPECT_EQ(Name(made.Verdict().verdict), "healthy");
  made.stragglers = {.verdict = StragglerVerdict::kJobSlowAll,
                     .slow_since = StragglerEpisode{.is_open = false}};
  EXPECT_EQ(Name(made.Verdict().verdict), "healthy");
  made.stragglers.slow_since->is_open = true;
  EXPECT_EQ(Name(made.Verdict().verdict), "slower");
  made.events = {{.kind = EventKind::kHang}};
  made.stragglers = {.verdict = StragglerVerdict::kNone};
  EXPECT_EQ(Name(made.Verdict().verdict), "healthy");
}

TEST(JobVerdict, HealthNeedsEvidence) {
  JudgedJob made;
  made.bottlenecks = {.verdict = BottleneckClass::kUnknown, .missing = {"a"}};
  made.bottlenecks.confidence.missing = {"DCGM_FI_PROF_SM_ACTIVE"};
  const JobVerdictAnswer unknown = made.Verdict();
  EXPECT_EQ(Name(unknown.verdict), "unknown");
  EXPECT_EQ(unknown.confidence.missing, std::vector<std::string>{"DCGM_FI_PROF_SM_ACTIVE"});
  EXPECT_NE(unknown.sentence.find("DCGM_FI_PROF_SM_ACTIVE"), std::string::npos);
  // Phases that leave little time for waiting are evidence, too.
  made.steps.phases = {{"forward", PhaseKind::kForward, RankMatrix(4, 200, 0.19)},
                       {"data", PhaseKind::kData, RankMatrix(4, 200, 0.005)}};
  made.bottlenecks.evidence = {{.signal = "input_share", .value = 0.02, .reference = 0.3}};
  EXPECT_EQ(Name(made.Verdict().verdict), "healthy");
}

TEST(JobVerdict, BottlenecksAreVerdictsAndLaunchesMildOnes) {
  const std::pair<BottleneckClass, const char*> classes[] = {
      {BottleneckClass::kIdle, "idle"},
      {BottleneckClass::kFakeLoad, "fake_load"},
      {BottleneckClass::kCommunicationBound, "communication_bound"},
      {BottleneckClass::kMemoryBound, "memory_bound"},
      {BottleneckClass::kLatencyBound, "latency_bound"},
      {BottleneckClass::kInputBound, "input_bound"},
      {BottleneckClass::kComputeBound, "healthy"}};
  for (const auto& [one, verdict] : classes) {
    JudgedJob made;
    made.bottlenecks.verdict = one;
    EXPECT_EQ(Name(made.Verdict().verdict), verdict);
  }
  JudgedJob made;
  made.bottlenecks = {.verdict = BottleneckClass::kInputBound, .host_cause = HostCause::kLaunches};
  EXPECT_EQ(Name(made.Verdict().verdict), "launch_bound");
}

TEST(JobVerdict, ALossThatStaysNoNumberIsLost) {
  JudgedJob made;
  made.steps.loss = RankMatrix(4, 200, 2.0);
  made.events = {{.kind = EventKind::kNan, .step = 150}};
  EXPECT_EQ(Name(made.Verdict().verdict), "healthy");
  for (size_t row = 0; row < 4; ++row) made.steps.loss(row, 199) = kUnknown;
  EXPECT_EQ(Name(made.Verdict().verdict), "diverged");
}

TEST(JobVerdict, EachHasItsOwnName) {
  std::vector<std::string> names;
  for (size_t i = 0; i < kJobVerdictCount; ++i) {
    names.emplace_back(Name(static_cast<JobVerdict>(i)));
    EXPECT_FALSE(names.back().empty());
  }
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::unique(names.begin(), names.end()), names.end());
}

}  // namespace
}  // namespace lockstep::training
