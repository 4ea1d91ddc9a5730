#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "training/job/made_steps.h"
#include "training/job_verdict.h"

namespace lockstep::training {
namespace {

// A healthy job of four ranks with 200 steps, to be spoiled.
struct SaidJob {
  Job job;
  StepTable steps = EvenSteps(4, 200, 0.2);
  JobState state = JobState::kRunning;
  std::vector<NotReportingRank> not_reporting;
  StragglerAnswer stragglers{.verdict = StragglerVerdict::kNone};
  BottleneckAnswer bottlenecks{.verdict = BottleneckClass::kComputeBound};
  std::vector<Event> events;

  SaidJob() {
    for (int64_t rank = 0; rank < 4; ++rank) job.ranks.push_back({.rank = 10 + rank});
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

  // "slow_rank: Rank 3 ..."
  std::string Said() const {
    const JobVerdictAnswer answer = Verdict();
    return std::string(Name(answer.verdict)) + ": " + answer.sentence;
  }

  void BeSlow(size_t row, StragglerCause cause, double score) {
    stragglers.verdict = StragglerVerdict::kSlowRank;
    stragglers.ranks.push_back(
        {.row = row, .cause = cause, .score = score, .episodes = {{}, {.is_open = true}}});
  }
};

TEST(JobVerdictWords, OfHealth) {
  EXPECT_EQ(SaidJob().Said(), "healthy: The devices are working, and nothing holds the job back.");
  SaidJob made;
  made.bottlenecks.verdict = BottleneckClass::kUnknown;
  EXPECT_EQ(made.Said(), "unknown: There is too little data to tell whether the job is healthy.");
  made.bottlenecks.confidence.missing = {"a", "b"};
  EXPECT_EQ(made.Said(),
            "unknown: There is too little data to tell whether the job is healthy. Missing: a.");
}

TEST(JobVerdictWords, OfAJobThatDiedOrHangs) {
  SaidJob made;
  made.state = JobState::kCrashed;
  EXPECT_EQ(made.Said(), "crashed: The job died after step 199, before it finished.");
  made.state = JobState::kStalled;
  EXPECT_EQ(made.Said(),
            "hanging: No step has ended after step 199, but the job still holds its devices.");
  made.steps = {};
  EXPECT_EQ(made.Said(), "hanging: No step has ended, but the job still holds its devices.");
  made.state = JobState::kCrashed;
  EXPECT_EQ(made.Said(), "crashed: The job died, before it finished.");
  made.state = JobState::kRunning;
  made.events = {{.kind = EventKind::kStall}};
  EXPECT_EQ(made.Said(), "hanging: No step has ended, but the job still holds its devices.");
}

TEST(JobVerdictWords, OfRanksThatDoNotReport) {
  SaidJob made;
  made.not_reporting = {{.row = 1}, {.row = 3, .last_step = 5}};
  EXPECT_EQ(made.Said(),
            "not_reporting: Ranks 11 and 13 stopped reporting, while others continue.");
  EXPECT_EQ(made.Verdict().rows, (std::vector<size_t>{1, 3}));
  made.not_reporting = {{.row = 0, .last_step = 5}, {.row = 1}, {.row = 3}};
  EXPECT_EQ(made.Said(),
            "not_reporting: 3 ranks (first: 10) stopped reporting after step 5, "
            "while others continue.");
}

TEST(JobVerdictWords, OfALossThatIsLost) {
  SaidJob made;
  made.events = {{.kind = EventKind::kNan, .step = 150, .rows = {2}}};
  EXPECT_EQ(Name(made.Verdict().verdict), "healthy");  // the loss is not reported
  made.steps.loss = RankMatrix(4, 200, kUnknown);
  made.steps.loss(1, 199) = 3;
  EXPECT_EQ(Name(made.Verdict().verdict), "healthy");
  made.steps.loss(1, 199) = std::numeric_limits<double>::infinity();
  made.steps.loss(1, 198) = 3;
  EXPECT_EQ(made.Said(), "diverged: The loss is NaN from step 150 on.");
  EXPECT_EQ(made.Verdict().rows, std::vector<size_t>{2});
  made.events = {{.kind = EventKind::kLossSpike, .step = 150}};
  EXPECT_EQ(Name(made.Verdict().verdict), "healthy");
}

TEST(JobVerdictWords, OfALeak) {
  SaidJob made;
  made.events = {{.kind = EventKind::kMemoryLeak, .rows = {2, 3}}};
  EXPECT_EQ(made.Said(), "memory_leak: Device memory on ranks 12 and 13 keeps growing.");
  EXPECT_EQ(made.Verdict().rows, (std::vector<size_t>{2, 3}));
  EXPECT_TRUE(made.Verdict().also.empty());
  // Twice the same is said once.
  made.events.push_back(made.events[0]);
  made.bottlenecks.verdict = BottleneckClass::kMemoryBound;
  made.events.push_back({.kind = EventKind::kMemoryLeak, .rows = {0}});
  EXPECT_EQ(made.Verdict().also, std::vector<JobVerdict>{JobVerdict::kMemoryBound});
}

TEST(JobVerdictWords, OfSlowRanks) {
  SaidJob made;
  made.BeSlow(1, StragglerCause::kUnknown, 0.125);
  EXPECT_EQ(made.Said(),
            "slow_rank: Rank 11 holds the others back by 12.5 % of a step; the cause "
            "is unknown.");
  EXPECT_EQ(made.Verdict().rows, std::vector<size_t>{1});
  SaidJob unmeasured;
  unmeasured.BeSlow(1, StragglerCause::kGpu, kUnknown);
  EXPECT_EQ(unmeasured.Said(), "slow_rank: Rank 11 holds the others back; cause: gpu.");
  SaidJob network;
  network.BeSlow(2, StragglerCause::kNetwork, 0.5);
  EXPECT_EQ(network.Said(),
            "network: Rank 12 holds the others back by 50.0 % of a step; cause: network.");
  EXPECT_TRUE(network.Verdict().also.empty());
  SaidJob three;
  three.BeSlow(3, StragglerCause::kNode, 0.5);
  three.BeSlow(2, StragglerCause::kLoader, 0.25);
  three.BeSlow(1, StragglerCause::kNetwork, 0.125);
  three.BeSlow(0, StragglerCause::kOther, 0.125);
  EXPECT_EQ(three.Said(),
            "slow_rank: 3 ranks (first: 13) hold the others back by 50.0 % of a "
            "step; cause: node.");
  EXPECT_EQ(three.Verdict().rows, (std::vector<size_t>{3, 2, 0}));
  EXPECT_EQ(three.Verdict().also, std::vector<JobVerdict>{JobVerdict::kNetwork});
}

TEST(JobVerdictWords, OfWorkThatIsUneven) {
  SaidJob made;
  made.stragglers.verdict = StragglerVerdict::kUnevenWork;
  made.stragglers.also = {StragglerVerdict::kStageImbalance};
  EXPECT_EQ(made.Said(),
            "uneven_work: Work is uneven: a different rank is slowest each time, so "
            "no machine is to blame.");
  EXPECT_TRUE(made.Verdict().also.empty());
  made.stragglers = {.verdict = StragglerVerdict::kStageImbalance};
  EXPECT_EQ(made.Said(),
            "uneven_work: Work is uneven: one pipeline stage has more work than the others.");
}

TEST(JobVerdictWords, OfAJobThatBecameSlower) {
  SaidJob made;
  made.stragglers = {.verdict = StragglerVerdict::kUnevenWork,
                     .also = {StragglerVerdict::kJobSlowAll},
                     .slow_since = StragglerEpisode{.first_step = 60, .is_open = true}};
  EXPECT_EQ(made.Verdict().also, std::vector<JobVerdict>{JobVerdict::kSlower});
  made.stragglers.verdict = StragglerVerdict::kJobSlowAll;
  EXPECT_EQ(made.Said(), "slower: Steps became slower at step 60, and no rank stands out.");
  made.stragglers.slow_since->first_step.reset();
  EXPECT_EQ(made.Said(), "slower: Steps became slower, and no rank stands out.");
  made.stragglers.slow_since.reset();
  EXPECT_EQ(Name(made.Verdict().verdict), "healthy");
}

TEST(JobVerdictWords, OfBottlenecks) {
  const auto said = [](BottleneckClass one, HostCause cause = HostCause::kUnknown) {
    SaidJob made;
    made.bottlenecks.verdict = one;
    made.bottlenecks.host_cause = cause;
    return made.Said();
  };
  EXPECT_EQ(said(BottleneckClass::kIdle), "idle: The job holds its devices but leaves them idle.");
  EXPECT_EQ(said(BottleneckClass::kInputBound, HostCause::kLaunches),
            "launch_bound: Devices idle between tiny kernels: the host cannot launch them fast "
            "enough.");
  EXPECT_EQ(said(BottleneckClass::kInputBound, HostCause::kCopies),
            "input_bound: Devices wait for copies to and from their host.");
  EXPECT_EQ(said(BottleneckClass::kInputBound, HostCause::kData),
            "input_bound: Devices wait for their input.");
  EXPECT_EQ(said(BottleneckClass::kFakeLoad),
            "fake_load: Devices look busy but do almost no work.");
  EXPECT_EQ(said(BottleneckClass::kWaiting),
            "communication_bound: Devices wait in collectives while no data is exchanged.");
  EXPECT_EQ(said(BottleneckClass::kCommunicationBound),
            "communication_bound: Devices spend most of their time exchanging data.");
  EXPECT_EQ(said(BottleneckClass::kMemoryBound),
            "memory_bound: Device memory bandwidth is the limit.");
  EXPECT_EQ(said(BottleneckClass::kLatencyBound),
            "latency_bound: Threads wait for memory accesses.");
}

TEST(JobVerdictWords, OfFlagsOfDevices) {
  const auto with = [](const std::vector<std::vector<BottleneckFlag>>& flags) {
    SaidJob made;
    for (size_t row = 0; row < flags.size(); ++row) {
      made.bottlenecks.gpus.push_back({.row = row, .flags = flags[row], .evidence = {}});
    }
    return made;
  };
  using enum BottleneckFlag;
  const SaidJob failing = with({{}, {kUnhealthy}, {kThrottled}});
  EXPECT_EQ(failing.Said(),
            "failing_device: The device of rank 11 reports uncorrectable errors: "
            "drain its node.");
  EXPECT_EQ(failing.Verdict().rows, std::vector<size_t>{1});
  EXPECT_EQ(failing.Verdict().also, std::vector<JobVerdict>{JobVerdict::kThrottled});
  // Both at once count once.
  const SaidJob throttled =
      with({{kThrottled, kPowerBraked}, {kHot}, {kPowerCapped}, {kPowerBraked}});
  EXPECT_EQ(throttled.Said(),
            "throttled: Heat or power limits hold down the clocks on ranks 10 and 13.");
  EXPECT_EQ(throttled.Verdict().rows, (std::vector<size_t>{0, 3}));
}

TEST(JobVerdictWords, WithoutOtherAnswersNothingIsKnown) {
  const SaidJob made;
  const JobVerdictAnswer answer = VerdictOf({.job = made.job, .steps = made.steps});
  EXPECT_EQ(Name(answer.verdict), "unknown");
  EXPECT_EQ(answer.confidence.steps, 200u);
  EXPECT_TRUE(answer.also.empty());
}

TEST(JobVerdictWords, PhasesOfTenStepsAreEvidenceOfWork) {
  const auto verdict = [](PhaseKind kind, size_t steps, size_t gpus, size_t evidence) {
    SaidJob made;
    made.bottlenecks.verdict = BottleneckClass::kUnknown;
    made.bottlenecks.gpus.resize(gpus);
    made.bottlenecks.evidence.resize(evidence);
    made.steps = EvenSteps(4, steps, 0.2);
    made.steps.phases = {{"phase", kind, RankMatrix(4, steps, 0.1)}};
    return Name(made.Verdict().verdict);
  };
  EXPECT_EQ(verdict(PhaseKind::kForward, 10, 0, 1), "healthy");
  EXPECT_EQ(verdict(PhaseKind::kBackward, 10, 0, 1), "healthy");
  EXPECT_EQ(verdict(PhaseKind::kCompute, 10, 0, 1), "healthy");
  EXPECT_EQ(verdict(PhaseKind::kData, 10, 0, 1), "unknown");
  EXPECT_EQ(verdict(PhaseKind::kForward, 9, 0, 1), "unknown");
  EXPECT_EQ(verdict(PhaseKind::kForward, 10, 0, 0), "unknown");
  EXPECT_EQ(verdict(PhaseKind::kForward, 10, 4, 1), "unknown");
}

TEST(JobVerdictWords, ConfidenceIsThatOfAllAnswers) {
  SaidJob made;
  made.steps = EvenSteps(4, 5, 0.2);
  made.stragglers.confidence = {
      .steps = 7, .samples = 30, .margin = 0.5, .missing = {"links", "power"}};
  made.bottlenecks.confidence = {
      .steps = 6, .samples = 40, .margin = 0.25, .missing = {"power", "pipes"}};
  const Confidence healthy = made.Verdict().confidence;
  EXPECT_EQ(healthy.steps, 7u);
  EXPECT_EQ(healthy.samples, 40u);
  EXPECT_EQ(healthy.margin, 0.25);
  EXPECT_EQ(healthy.missing, (std::vector<std::string>{"links", "power", "pipes"}));
  made.BeSlow(0, StragglerCause::kGpu, 0.1);
  EXPECT_EQ(made.Verdict().confidence.margin, 0.5);
  made.stragglers.verdict = StragglerVerdict::kUnevenWork;
  made.stragglers.ranks.clear();
  EXPECT_EQ(made.Verdict().confidence.margin, 0.5);
  made.stragglers.verdict = StragglerVerdict::kNone;
  made.bottlenecks.verdict = BottleneckClass::kIdle;
  EXPECT_EQ(made.Verdict().confidence.margin, 0.25);
  made.state = JobState::kCrashed;
  EXPECT_TRUE(std::isnan(made.Verdict().confidence.margin));
}

}  // namespace
}  // namespace lockstep::training
