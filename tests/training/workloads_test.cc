// Answers about workloads that thresholds were not tuned on: training with pauses, kernels that do
// nothing, slow hosts, ranks that share a GPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "tests/training/recording.h"
#include "training/bottlenecks/bottlenecks.h"
#include "training/bottlenecks/long_steps.h"
#include "training/devices/step_amounts.h"
#include "training/devices/step_axis.h"
#include "training/efficiency/efficiency.h"
#include "training/efficiency/ledger.h"
#include "training/events/events.h"
#include "training/job_verdict.h"
#include "training/stragglers/stragglers.h"

namespace lockstep::training {
namespace {

const std::vector<RecordedJob>& Workloads() {
  static const std::vector<RecordedJob> all = LoadWorkloads();
  return all;
}

const RecordedJob& JobOf(std::string_view condition) {
  for (const RecordedJob& job : Workloads()) {
    if (job.condition == condition) return job;
  }
  ADD_FAILURE() << "no job " << condition;
  return Workloads().front();
}

std::string Words(std::string name) {
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

BottleneckAnswer Bound(const RecordedJob& job) {
  return FindBottlenecks({job.job, job.steps, job.devices});
}

std::map<std::string, std::vector<int64_t>> EventsOf(const RecordedJob& job) {
  std::map<std::string, std::vector<int64_t>> events;
  for (const Event& event : FindEvents({job.job, job.steps, job.devices, {}})) {
    events[std::string(Name(event.kind))].push_back(event.step.value_or(-1));
  }
  return events;
}

Ledger LedgerOfJob(const RecordedJob& job) {
  const TimeRange time = {job.job.begin_ms, job.end_ms};
  const Attempt attempt{.time = time, .steps = &job.steps, .devices = job.devices};
  return LedgerOf(job.job, time, std::vector{attempt});
}

JobVerdictAnswer VerdictOfJob(const RecordedJob& job) {
  const StragglerAnswer stragglers = FindStragglers({job.job, job.steps, job.devices});
  const BottleneckAnswer bottlenecks = Bound(job);
  const std::vector<Event> events = FindEvents({job.job, job.steps, job.devices, {}});
  return VerdictOf({.job = job.job,
                    .steps = job.steps,
                    .state = JobState::kEnded,
                    .stragglers = &stragglers,
                    .bottlenecks = &bottlenecks,
                    .events = events});
}

std::vector<double> AmountsByStep(const RecordedJob& job, Role role, Measured measured) {
  SampleColumns samples;
  samples.timestamps_ms = job.devices[0][role].timestamp_ms;
  samples.values = job.devices[0][role].value;
  std::vector<TimeRange> times;
  for (size_t n = 0; n < job.steps.size(); ++n) times.push_back(TimeOfStep(job.steps, n));
  return AmountsIn(samples, measured, times, 60'000);
}

// Two instruments of each GPU say the same: its energy counter, divided among steps, and its power,
// integrated over them.
TEST(Workloads, JoulesOfStepsAreTheIntegralOfPower) {
  size_t judged = 0;
  for (const RecordedJob& job : Workloads()) {
    if (job.job.ranks.size() != 1 || job.steps.size() < 100) continue;
    const std::vector<double> counted =
        AmountsByStep(job, Role::kGpuEnergyJoulesTotal, Measured::kCounter);
    const std::vector<double> integrated =
        AmountsByStep(job, Role::kGpuPowerWatts, Measured::kRate);
    double of_counter = 0, of_power = 0, seconds = 0;
    for (size_t n = 0; n < job.steps.size(); ++n) {
      if (std::isnan(counted[n]) || std::isnan(integrated[n])) continue;
      of_counter += counted[n];
      of_power += integrated[n];
      const TimeRange time = TimeOfStep(job.steps, n);
      seconds += static_cast<double>(time.max_ms - time.min_ms) / 1000;
    }
    ASSERT_GT(seconds, 10) << job.condition;
    EXPECT_NEAR(of_counter / of_power, 1, 0.05) << job.condition;
    // The counter's own increase over all of these steps.
    const auto& energy = job.devices[0][Role::kGpuEnergyJoulesTotal];
    EXPECT_LE(of_counter, energy.value.back() - energy.value.front()) << job.condition;
    ++judged;
  }
  EXPECT_GE(judged, 5u);
}

TEST(Workloads, GpusAreClassedAsWhatWasRun) {
  size_t judged = 0;
  for (const RecordedJob& job : Workloads()) {
    if (job.truth.bounds.empty()) continue;
    for (const GpuBottleneck& gpu : Bound(job).gpus) {
      ++judged;
      const bool is_right = std::any_of(
          job.truth.bounds.begin(), job.truth.bounds.end(),
          [&gpu](const std::string& bound) { return Words(bound) == Name(gpu.bottleneck); });
      EXPECT_TRUE(is_right) << job.condition << ": " << Name(gpu.bottleneck);
    }
  }
  EXPECT_EQ(judged, 13u);
  EXPECT_EQ(Name(Bound(JobOf("decode-eager")).host_cause), "launches");
  EXPECT_EQ(Name(Bound(JobOf("rollouts")).host_cause), "data");
}

TEST(Workloads, LongStepsAreExplainedOrUnknown) {
  EXPECT_EQ(EventsOf(JobOf("checkpoints"))["checkpoint"], (std::vector<int64_t>{59, 119, 179}));
  EXPECT_EQ(EventsOf(JobOf("rollouts"))["input_stall"],
            (std::vector<int64_t>{80, 160, 240, 320, 400, 480}));
  for (const RecordedJob& job : Workloads()) {
    const std::vector<int64_t> wanted =
        job.condition == "hang" ? std::vector<int64_t>{378} : std::vector<int64_t>{};
    // One rank without logged phases, on an idle device: a stalled loader looks the same.
    EXPECT_EQ(EventsOf(job)["stall"], wanted) << job.condition;
    EXPECT_TRUE(EventsOf(job)["hang"].empty()) << job.condition;
  }
}

// The same jobs without logged phases: devices and repetition explain the long steps.
TEST(Workloads, LongStepsAreExplainedWithoutPhases) {
  for (const auto& [condition, kind] :
       {std::pair{"checkpoints", "checkpoint"}, std::pair{"rollouts", "pause"}}) {
    RecordedJob job = JobOf(condition);
    job.steps.phases.clear();
    std::map<std::string, std::vector<int64_t>> events = EventsOf(job);
    EXPECT_GE(events[kind].size(), 3u) << condition;
    EXPECT_TRUE(events["hang"].empty()) << condition;
    EXPECT_LT(LedgerOfJob(job)[LedgerBin::kUnhealthy], 0.1) << condition;
  }
}

TEST(Workloads, NothingElseIsAnEvent) {
  for (const RecordedJob& job : Workloads()) {
    std::map<std::string, std::vector<int64_t>> events = EventsOf(job);
    EXPECT_EQ(events["memory_leak"].empty(), job.condition != "leak-foreign") << job.condition;
    EXPECT_EQ(events["saw_tooth_power"].empty(), job.condition != "rollouts") << job.condition;
    for (const char* kind : {"nan", "loss_spike", "throttled", "xid", "evaluation"}) {
      EXPECT_TRUE(events[kind].empty()) << job.condition << ": " << kind;
    }
  }
}

TEST(Workloads, OnlyPlantedSlowdownsAreCalledSlower) {
  const std::map<std::string, int64_t> planted = {{"regression", 418}, {"creeping-slowdown", -1}};
  for (const RecordedJob& job : Workloads()) {
    // The host's speed varies by up to 17 % in these; whether they become slower is not defined.
    if (job.condition == "decode-eager" || job.condition == "tiny-batch") continue;
    const StragglerAnswer answer = FindStragglers({job.job, job.steps, job.devices});
    EXPECT_TRUE(answer.ranks.empty()) << job.condition;
    const bool is_slower = answer.verdict == StragglerVerdict::kJobSlowAll;
    const auto wanted = planted.find(job.condition);
    EXPECT_EQ(is_slower, wanted != planted.end()) << job.condition;
    if (is_slower && wanted != planted.end() && wanted->second > 0) {
      EXPECT_NEAR(*answer.slow_since->first_step, wanted->second, 15);
    }
  }
}

TEST(Workloads, WorkDrawnAtRandomBlamesNobody) {
  const RecordedJob& job = JobOf("uneven-work");
  const StragglerAnswer whole = FindStragglers({job.job, job.steps, job.devices});
  EXPECT_EQ(Name(whole.verdict), "uneven_work");
  size_t asked = 0;
  for (size_t first = 20; first + 60 < job.steps.size(); first += 37) {
    const RecordedJob part = StepRangeOf(job, first, first + 59);
    const StragglerAnswer answer = FindStragglers({part.job, part.steps, part.devices});
    EXPECT_TRUE(answer.ranks.empty()) << "from step " << first;
    ++asked;
  }
  EXPECT_GE(asked, 14u);
}

TEST(Workloads, RanksOnOneGpuAreBilledForOne) {
  const RecordedJob& job = JobOf("uneven-work");
  EXPECT_EQ(GpuCount(job.job), 1u);
  const Ledger ledger = LedgerOfJob(job);
  const double wall = static_cast<double>(job.end_ms - job.job.begin_ms) / 1000;
  EXPECT_NEAR(ledger.Total(), wall, 1e-6);
  const std::vector<GpuCounters> one(1, job.devices.front());
  Job alone = job.job;
  alone.ranks.resize(1);
  const TimeRange time = {job.job.begin_ms, job.end_ms};
  EXPECT_NEAR(EnergyOf(job.job, job.devices, time, 0, 0, 0).joules,
              EnergyOf(alone, one, time, 0, 0, 0).joules, 1e-6);
  EXPECT_FALSE(CheckJob(job.job, 4, {}).empty());
}

TEST(Workloads, TheLedgerBelievesDevicesWherePhasesAreNotLogged) {
  const auto share = [](const RecordedJob& job, LedgerBin bin) {
    const Ledger ledger = LedgerOfJob(job);
    return ledger[bin] / ledger.Total();
  };
  EXPECT_GT(share(JobOf("spin"), LedgerBin::kFakeLoad), 0.9);
  EXPECT_LT(share(JobOf("spin"), LedgerBin::kProductive), 0.05);
  // The GPU is busy for 36 % of the time.
  EXPECT_NEAR(share(JobOf("decode-eager"), LedgerBin::kHostStall), 0.62, 0.05);
  EXPECT_NEAR(LedgerOfJob(JobOf("rollouts"))[LedgerBin::kDataStall], 30.0, 1.5);
  EXPECT_NEAR(LedgerOfJob(JobOf("checkpoints"))[LedgerBin::kCheckpoint], 7.5 + 8.2 + 7.8, 1.0);
  EXPECT_NEAR(LedgerOfJob(JobOf("hang"))[LedgerBin::kUnhealthy], 14, 0.5);
  EXPECT_NEAR(share(JobOf("idle"), LedgerBin::kIdleHeld), 1, 1e-9);
  for (const RecordedJob& job : Workloads()) {
    const Ledger ledger = LedgerOfJob(job);
    double sum = 0;
    for (const double seconds : ledger.gpu_seconds) {
      EXPECT_GE(seconds, 0) << job.condition;
      sum += seconds;
    }
    EXPECT_NEAR(sum, ledger.Total(), 1e-6 * ledger.Total()) << job.condition;
    EXPECT_NEAR(ledger.Wasted() + ledger[LedgerBin::kProductive], ledger.Total(), 1e-6);
  }
}

TEST(Workloads, MfuOfVaryingWorkIsSumsOverSums) {
  const RecordedJob& job = JobOf("lengths");
  const EfficiencyAnswer answer =
      EfficiencyOf({.job = job.job, .steps = job.steps, .devices = job.devices});
  EXPECT_NEAR(answer.mfu / 0.4025, 1, 0.01);
  EXPECT_GT(answer.confidence.steps, 1000u);
  EXPECT_TRUE(answer.work_varies);
  const RecordedJob& even = JobOf("dense-bf16");
  EXPECT_FALSE(
      EfficiencyOf({.job = even.job, .steps = even.steps, .devices = even.devices}).work_varies);
}

TEST(Workloads, OneVerdictPerJob) {
  const std::map<std::string, std::string> wanted = {{"dense-bf16", "healthy"},
                                                     {"regression", "slower"},
                                                     {"spin", "fake_load"},
                                                     {"checkpoints", "healthy"},
                                                     {"decode-eager", "launch_bound"},
                                                     {"idle", "idle"},
                                                     {"gemm-fp32", "healthy"},
                                                     {"rollouts", "input_bound"},
                                                     {"lengths", "healthy"},
                                                     {"leak-foreign", "memory_leak"},
                                                     {"hang", "healthy"},
                                                     {"uneven-work", "uneven_work"},
                                                     {"creeping-slowdown", "slower"},
                                                     {"tiny-batch", "memory_bound"}};
  for (const RecordedJob& job : Workloads()) {
    const JobVerdictAnswer answer = VerdictOfJob(job);
    const std::string verdict(Name(answer.verdict));
    if (verdict == "slower" && (job.condition == "decode-eager" || job.condition == "tiny-batch")) {
      continue;  // the host's speed varies
    }
    EXPECT_EQ(verdict, wanted.at(job.condition)) << job.condition << ": " << answer.sentence;
    EXPECT_FALSE(answer.sentence.empty());
    EXPECT_TRUE(answer.sentence.ends_with(".")) << answer.sentence;
  }
}

// Exporters are scraped every 15 or 30 s. That gives too few samples to classify a short job, but
// enough for a long one of the same kind.
TEST(Workloads, SparseSamplesAreEnoughForLongJobs) {
  for (const int64_t period_ms : {15'000, 30'000}) {
    for (const char* condition : {"dense-bf16", "spin", "decode-eager", "gemm-fp32", "idle"}) {
      const RecordedJob& job = JobOf(condition);
      const BottleneckAnswer abstains = Bound(Thinned(job, period_ms));
      EXPECT_TRUE(period_ms < 30'000 || abstains.verdict == BottleneckClass::kUnknown) << condition;
      // Repeats the second half: the first includes start-up.
      const int64_t from_ms = job.job.begin_ms + (job.end_ms - job.job.begin_ms) / 2;
      const RecordedJob hours = Repeated(job, from_ms, 120);
      const BottleneckAnswer answer = Bound(Thinned(hours, period_ms));
      EXPECT_EQ(Name(answer.verdict), Name(Bound(job).verdict)) << condition << " " << period_ms;
      EXPECT_GT(answer.confidence.samples, 50u);
    }
  }
}

}  // namespace
}  // namespace lockstep::training
