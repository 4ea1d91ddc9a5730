#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "training/job/made_steps.h"
#include "training/stragglers/own_time.h"
#include "training/stragglers/stragglers.h"
#include "training/stragglers/work_balance.h"

namespace lockstep::training {
namespace {

// Four ranks, two on each of the hosts a and b, with steps of a second, of which half is the
// forward pass and half the wait for the others.
struct EvenJob {
  EvenJob() {
    for (int64_t rank = 0; rank < 4; ++rank) {
      job.ranks.push_back({.rank = rank, .host = rank < 2 ? "a" : "b"});
    }
    steps.phases = {{"forward", PhaseKind::kForward, RankMatrix(4, 100, 0.5)},
                    {"wait", PhaseKind::kWait, RankMatrix(4, 100, 0.5)}};
  }

  // Makes a rank late in some steps, in which the others wait for it.
  void Delay(const std::vector<size_t>& rows, size_t first, size_t last, double seconds) {
    for (size_t n = first; n <= last; ++n) {
      for (size_t row = 0; row < 4; ++row) {
        const bool is_late = std::find(rows.begin(), rows.end(), row) != rows.end();
        steps.phases[0].seconds(row, n) += is_late ? seconds : 0;
        steps.phases[1].seconds(row, n) += is_late ? 0 : seconds;
        steps.step_seconds(row, n) += seconds;
      }
      for (size_t later = n; later < 100; ++later) {
        steps.end_ms[later] += std::llround(1000 * seconds);
      }
    }
  }

  StragglerAnswer Answer() const { return FindStragglers({job, steps, {}}); }

  Job job{.name = "even"};
  StepTable steps = EvenSteps(4, 100, 1.0);
};

// "signal value/reference unit", one a line.
std::string SaidBy(const std::vector<Evidence>& evidence) {
  std::string text;
  for (const Evidence& one : evidence) {
    absl::StrAppendFormat(&text, "%s %.4g/%.4g %s\n", one.signal, one.value, one.reference,
                          one.unit);
  }
  return text;
}

TEST(StragglerEvidence, SaysHowLateARankIsAndWhere) {
  EvenJob made;
  made.Delay({2}, 40, 79, 0.25);
  const StragglerAnswer answer = made.Answer();
  EXPECT_EQ(Name(answer.method), "collective_waits");
  EXPECT_EQ(Name(answer.verdict), "slow_rank");
  EXPECT_TRUE(answer.also.empty());
  ASSERT_EQ(answer.ranks.size(), 1u);
  const SlowRankFinding& finding = answer.ranks[0];
  EXPECT_EQ(finding.row, 2u);
  EXPECT_EQ(Name(finding.cause), "gpu");
  EXPECT_DOUBLE_EQ(finding.score, 0.2);
  EXPECT_EQ(finding.persistence, 1);
  ASSERT_EQ(finding.episodes.size(), 1u);
  EXPECT_EQ(finding.episodes[0].time, (TimeRange{40'000, 90'000}));
  EXPECT_EQ(finding.episodes[0].first_step, 40);
  EXPECT_EQ(finding.episodes[0].last_step, 79);
  EXPECT_FALSE(finding.episodes[0].is_open);
  EXPECT_EQ(SaidBy(finding.evidence),
            "own_time_excess 0.2/0 share of the step\ngpu_seconds 0.75/0.5 seconds\n");
  EXPECT_EQ(SaidBy(answer.evidence), "spread 1/1.1 ratio\n");
  EXPECT_EQ(answer.evidence[0].words, "slowest rank over median rank, median of all steps");
  EXPECT_EQ(finding.evidence[0].words,
            "above the peers' median in slow steps, against other steps");
  EXPECT_EQ(finding.evidence[1].words,
            "median of the phase in slow steps, against the peers' median");
}

TEST(StragglerEvidence, SaysWhatALateRankCosts) {
  EvenJob made;
  made.Delay({2}, 40, 79, 0.25);
  const StragglerAnswer answer = made.Answer();
  EXPECT_DOUBLE_EQ(answer.ranks[0].lost_seconds, 10);
  EXPECT_DOUBLE_EQ(answer.lost_seconds, 10);
  EXPECT_DOUBLE_EQ(answer.lost_gpu_seconds, 40);
  EXPECT_DOUBLE_EQ(answer.what_if.step_seconds_now, 1.25);
  EXPECT_DOUBLE_EQ(answer.what_if.step_seconds_before, 1);
  EXPECT_DOUBLE_EQ(answer.what_if.step_seconds_without, 1);
  EXPECT_EQ(answer.confidence.steps, 100u);
  EXPECT_EQ(answer.confidence.samples, 0u);
  EXPECT_NEAR(answer.confidence.margin, 0.2 / 0.015 - 1, 1e-9);
}

TEST(StragglerEvidence, EachOfTwoLateRanksCostsWhatItExceedsTheOtherBy) {
  EvenJob made;
  made.Delay({2}, 40, 99, 0.25);
  made.Delay({1, 2}, 70, 99, 0.25);
  const StragglerAnswer answer = made.Answer();
  ASSERT_EQ(answer.ranks.size(), 2u);
  EXPECT_EQ(answer.ranks[0].row, 2u);
  EXPECT_TRUE(answer.ranks[0].episodes.back().is_open);
  // From step 70 on, rank 2 exceeds rank 1 by 0.25 s; before that, all others.
  EXPECT_DOUBLE_EQ(answer.ranks[0].lost_seconds, 60 * 0.25);
  EXPECT_EQ(answer.ranks[1].row, 1u);
  EXPECT_DOUBLE_EQ(answer.ranks[1].lost_seconds, 0);
  EXPECT_DOUBLE_EQ(answer.lost_seconds, 30 * 0.25 + 30 * 0.5);
}

TEST(StragglerEvidence, AllRanksOfAHostAreItsFault) {
  EvenJob made;
  made.Delay({2, 3}, 40, 79, 0.25);
  const StragglerAnswer answer = made.Answer();
  ASSERT_EQ(answer.ranks.size(), 2u);
  for (const SlowRankFinding& finding : answer.ranks) {
    EXPECT_EQ(Name(finding.cause), "node");
    EXPECT_EQ(SaidBy({finding.evidence.back()}), "late_ranks_of_host 2/2 ranks\n");
    EXPECT_EQ(finding.evidence.back().words, "all ranks on b are late: each alone looked like gpu");
  }
  // The only host of a job is not blamed, nor is an unknown one.
  for (const char* host : {"a", ""}) {
    for (RankPlace& place : made.job.ranks) place.host = host;
    EXPECT_EQ(Name(made.Answer().ranks.at(0).cause), "gpu");
  }
}

TEST(StragglerEvidence, UnevenWorkAndStagesAreMeasured) {
  EvenJob made;
  for (size_t n = 0; n < 100; ++n) made.Delay({n * 7 % 4}, n, n, 0.25);
  const StragglerAnswer uneven = made.Answer();
  EXPECT_EQ(Name(uneven.verdict), "uneven_work");
  EXPECT_EQ(SaidBy(uneven.evidence), "spread 1.5/1.1 ratio\n");
  EXPECT_NEAR(uneven.confidence.margin, 1.5 / 1.1 - 1, 1e-9);
  EvenJob staged;
  staged.job.ranks[2].stage = staged.job.ranks[3].stage = 1;
  staged.Delay({2, 3}, 0, 99, 0.25);
  const StragglerAnswer stages = staged.Answer();
  EXPECT_EQ(Name(stages.verdict), "stage_imbalance");
  EXPECT_EQ(SaidBy(stages.evidence), "spread 1/1.1 ratio\nstage_ratio 1.5/1.1 ratio\n");
  EXPECT_EQ(stages.evidence[1].words, "slowest stage over fastest stage, medians");
}

std::vector<std::string> MissingBy(StragglerMethod method, const Job& job, const StepTable& steps,
                                   const std::vector<GpuCounters>& devices = {}) {
  const StragglerAnswer answer = FindStragglersBy(method, {job, steps, devices});
  EXPECT_EQ(answer.method, method);
  EXPECT_EQ(answer.confidence.missing, answer.missing);
  return answer.missing;
}

using Missing = std::vector<std::string>;

TEST(StragglerEvidence, WhatAMethodLacksIsSaid) {
  const EvenJob made;
  const StepTable none;
  EXPECT_EQ(MissingBy(StragglerMethod::kCollectiveWaits, made.job, none),
            Missing{"each rank's waiting time in collectives and its step time"});
  EXPECT_EQ(MissingBy(StragglerMethod::kPhaseTimes, made.job, none),
            Missing{"each rank's phase times (data, forward, backward, ...)"});
  EXPECT_EQ(MissingBy(StragglerMethod::kOwnTime, made.job, none),
            Missing{"each rank's own time: its step time less waiting and communication"});
  EXPECT_EQ(MissingBy(StragglerMethod::kStepTime, made.job, none),
            Missing{"step times for at least 25 steps"});
  EXPECT_EQ(MissingBy(StragglerMethod::kDeviceCounters, made.job, none),
            (Missing{"DCGM_FI_PROF_GR_ENGINE_ACTIVE", "DCGM_FI_PROF_SM_ACTIVE"}));
  Job alone = made.job;
  for (size_t row = 0; row < 4; ++row) alone.ranks[row].stage = static_cast<int64_t>(row);
  EXPECT_EQ(MissingBy(StragglerMethod::kPhaseTimes, alone, made.steps),
            Missing{"a second rank that does the same work as another"});
  EXPECT_EQ(
      MissingBy(StragglerMethod::kDeviceCounters, alone, none, std::vector<GpuCounters>(4)).back(),
      "a second rank that does the same work as another");
  StepTable starting = made.steps;
  starting.attempt_first_step = 81;
  EXPECT_EQ(MissingBy(StragglerMethod::kPhaseTimes, made.job, starting),
            Missing{"more steps (9 after warm-up, at least 10 needed)"});
  starting.attempt_first_step = 80;
  EXPECT_EQ(MissingBy(StragglerMethod::kPhaseTimes, made.job, starting), Missing{});
  // All that are weaker than the answer's own are not missed.
  EXPECT_EQ(FindStragglers({made.job, made.steps, {}}).missing, Missing{});
  EXPECT_EQ(FindStragglers({made.job, EvenSteps(4, 60, 1), {}}).missing.size(), 5u);
}

std::vector<GpuCounters> FourDevices(int64_t period_ms, int64_t length_ms) {
  std::vector<GpuCounters> devices(4);
  for (GpuCounters& device : devices) {
    for (int64_t at = period_ms; at <= length_ms; at += period_ms) {
      for (const Role role : {Role::kGpuGrEngineActiveRatio, Role::kGpuSmActiveRatio}) {
        device[role].timestamp_ms.push_back(at);
        device[role].value.push_back(0.9);
      }
    }
  }
  return devices;
}

TEST(StragglerEvidence, DevicesNeedEnoughSamples) {
  const EvenJob made;
  const StepTable none;
  const auto found = [&](int64_t period_ms, int64_t length_ms) {
    const StragglerAnswer answer = FindStragglersBy(
        StragglerMethod::kDeviceCounters, {made.job, none, FourDevices(period_ms, length_ms)});
    return std::string(Name(answer.verdict)) +
           (answer.missing.empty() ? "" : ": " + answer.missing.back());
  };
  const std::string sparse = " ms (at least every 10000 ms, to show problems of seconds)";
  EXPECT_EQ(found(1000, 7000), "none");
  EXPECT_EQ(found(1000, 6000), "no_data: device samples for at least 13 s of the job");
  EXPECT_EQ(found(10'000, 600'000), "none");
  EXPECT_EQ(found(20'000, 60'000), "undersampled: samples more often than every 20000" + sparse);
  EXPECT_EQ(found(20'000, 1'180'000), "undersampled: samples more often than every 20000" + sparse);
  EXPECT_EQ(found(20'000, 1'200'000), "none: samples more often than every 20000" + sparse);
}

TEST(StragglerEvidence, ADeviceThatIdlesIsComparedWithItsPeers) {
  const EvenJob made;
  const StepTable none;
  std::vector<GpuCounters> devices = FourDevices(1000, 200'000);
  for (size_t i = 100; i < 150; ++i) {
    devices[1][Role::kGpuGrEngineActiveRatio].value[i] = 0.8;
  }
  const StragglerAnswer answer =
      FindStragglersBy(StragglerMethod::kDeviceCounters, {made.job, none, devices});
  ASSERT_EQ(answer.ranks.size(), 1u);
  const SlowRankFinding& finding = answer.ranks[0];
  EXPECT_EQ(finding.row, 1u);
  EXPECT_EQ(Name(finding.cause), "loader");
  EXPECT_EQ(finding.episodes.at(0).time, (TimeRange{100'000, 150'000}));
  EXPECT_EQ(finding.episodes[0].first_step, std::nullopt);
  EXPECT_EQ(SaidBy(finding.evidence),
            "DCGM_FI_PROF_GR_ENGINE_ACTIVE_difference 0.1/0 ratio\n"
            "DCGM_FI_PROF_GR_ENGINE_ACTIVE 0.8/0.9 ratio\nDCGM_FI_PROF_SM_ACTIVE 0.9/0.9 ratio\n");
  EXPECT_EQ(finding.evidence[0].words,
            "how far device activity was below the peers' median, against other times");
  EXPECT_EQ(finding.evidence[1].words, "mean over the longest episode, against the peers' median");
  EXPECT_EQ(answer.confidence.samples, 200u);
  EXPECT_NEAR(answer.confidence.margin, 0.1 / 0.015 - 1, 1e-6);
  // With steps, the episode and its cost are theirs.
  StepTable steps = EvenSteps(4, 200, 1.0);
  for (size_t n = 100; n < 150; ++n) {
    for (size_t row = 0; row < 4; ++row) steps.step_seconds(row, n) = 1.25;
  }
  const StragglerAnswer with_steps =
      FindStragglersBy(StragglerMethod::kDeviceCounters, {made.job, steps, devices});
  ASSERT_EQ(with_steps.ranks.size(), 1u);
  EXPECT_EQ(with_steps.ranks[0].episodes.at(0).first_step, 100);
  EXPECT_EQ(with_steps.ranks[0].episodes.at(0).last_step, 149);
  EXPECT_DOUBLE_EQ(with_steps.lost_seconds, 12.5);
  EXPECT_DOUBLE_EQ(with_steps.lost_gpu_seconds, 50);
  EXPECT_EQ(with_steps.what_if.step_seconds_now, 1.25);
}

TEST(StragglerEvidence, APauseOfAnyDeviceIsNotCompared) {
  const EvenJob made;
  const StepTable none;
  std::vector<GpuCounters> devices = FourDevices(1000, 200'000);
  for (size_t i = 100; i < 150; ++i) {
    devices[1][Role::kGpuGrEngineActiveRatio].value[i] = 0.8;
    devices[2][Role::kGpuGrEngineActiveRatio].value[i] = 0.01;
  }
  EXPECT_TRUE(
      FindStragglersBy(StragglerMethod::kDeviceCounters, {made.job, none, devices}).ranks.empty());
}

// One rank whose steps take longer from one on, for so many steps.
StragglerAnswer SlowerFrom(size_t from, size_t count, double seconds) {
  Job job;
  job.ranks.resize(1);
  StepTable table = EvenSteps(1, 100, 1.0);
  int64_t at_ms = 0;
  for (size_t n = 0; n < 100; ++n) {
    if (n >= from && n < from + count) table.step_seconds(0, n) = seconds;
    at_ms += std::llround(1000 * table.step_seconds(0, n));
    table.end_ms[n] = at_ms;
  }
  return FindStragglersBy(StragglerMethod::kStepTime, {job, table, {}});
}

TEST(StragglerEvidence, StepTimesSaySinceWhenAJobIsSlower) {
  const StragglerAnswer answer = SlowerFrom(60, 40, 1.25);
  EXPECT_EQ(Name(answer.verdict), "job_slow_all");
  ASSERT_TRUE(answer.slow_since.has_value());
  EXPECT_EQ(answer.slow_since->first_step, 60);
  EXPECT_EQ(answer.slow_since->last_step, 99);
  EXPECT_EQ(answer.slow_since->time, (TimeRange{60'000, 110'000}));
  EXPECT_TRUE(answer.slow_since->is_open);
  EXPECT_EQ(SaidBy(answer.evidence), "step_seconds 1.25/1 seconds\n");
  EXPECT_EQ(answer.evidence[0].words, "median of the slow steps, against the other steps");
  EXPECT_EQ(answer.missing,
            Missing{"phase times within a step: step times alone cannot name a rank"});
  EXPECT_DOUBLE_EQ(answer.lost_seconds, 10);
  EXPECT_DOUBLE_EQ(answer.what_if.step_seconds_without, 1);
  EXPECT_NEAR(answer.confidence.margin, 0.25 / 0.0125 - 1, 1e-9);
}

TEST(StragglerEvidence, ASingleRankThatRecoveredWasNotSlow) {
  EXPECT_EQ(Name(SlowerFrom(40, 40, 1.25).verdict), "none");
  EXPECT_EQ(Name(SlowerFrom(40, 60, 1.25).verdict), "job_slow_all");
  // Nor is one that was slower only at first.
  EXPECT_EQ(Name(SlowerFrom(0, 40, 1.25).verdict), "none");
}

TEST(OwnTime, IsTheStepWithoutTheWait) {
  EvenJob made;
  made.Delay({2}, 50, 50, 0.25);
  OwnTime own = OwnTimeOf(StragglerMethod::kCollectiveWaits, made.steps);
  EXPECT_EQ(own.seconds(2, 50), 0.75);
  EXPECT_EQ(own.seconds(1, 50), 0.5);
  EXPECT_EQ(own.step_seconds.at(50), 1.25);
  made.steps.attempt_first_step = 0;
  own = OwnTimeOf(StragglerMethod::kCollectiveWaits, made.steps);
  EXPECT_TRUE(std::isnan(own.seconds(3, 9)));
  EXPECT_EQ(own.seconds(3, 10), 0.5);
}

TEST(OwnTime, IsReportedOrTheStepWithoutTheExchange) {
  EvenJob made;
  made.steps.phases = {{"allreduce", PhaseKind::kCommunication, RankMatrix(4, 100, 0.375)}};
  EXPECT_EQ(OwnTimeOf(StragglerMethod::kOwnTime, made.steps).seconds(0, 0), 0.625);
  made.steps.own_seconds = RankMatrix(4, 100, 0.25);
  EXPECT_EQ(OwnTimeOf(StragglerMethod::kOwnTime, made.steps).seconds(0, 0), 0.25);
  // Without step times, a step lasts as long as the ranks' own time.
  made.steps.step_seconds = {};
  EXPECT_EQ(OwnTimeOf(StragglerMethod::kOwnTime, made.steps).step_seconds.at(7), 0.25);
}

TEST(OwnTime, PhasesThatFillTheStepHoldTheWaitInTheBackwardPass) {
  const auto own = [](double forward, double backward, double wait) {
    StepTable table = EvenSteps(2, 20, 1.0);
    table.phases = {{"forward", PhaseKind::kForward, RankMatrix(2, 20, forward)},
                    {"backward", PhaseKind::kBackward, RankMatrix(2, 20, backward)}};
    if (wait > 0) {
      table.phases.push_back({"allreduce", PhaseKind::kCommunication, RankMatrix(2, 20, wait)});
    }
    return OwnTimeOf(StragglerMethod::kPhaseTimes, table).seconds(0, 0);
  };
  EXPECT_EQ(own(0.25, 0.75, 0), 0.25);
  EXPECT_EQ(own(0.25, 0.71875, 0), 0.96875);
  EXPECT_EQ(own(0.25, 0.75, 0.5), 1);
}

TEST(OwnTime, TheStrongestMethodIsUsed) {
  EvenJob made;
  EXPECT_EQ(StrongestOwnTime(made.steps).seconds(0, 0), 0.5);
  made.steps.phases[0].seconds = RankMatrix(4, 100, 0.25);
  EXPECT_EQ(StrongestOwnTime(made.steps).seconds(0, 0), 0.5);
  made.steps.phases.pop_back();
  EXPECT_EQ(StrongestOwnTime(made.steps).seconds(0, 0), 0.25);
  made.steps.phases.clear();
  EXPECT_TRUE(StrongestOwnTime(made.steps).seconds.empty());
  made.steps.own_seconds = RankMatrix(4, 100, 0.125);
  EXPECT_EQ(StrongestOwnTime(made.steps).seconds(0, 0), 0.125);
}

TEST(WorkBalance, IsThatOfTheMostUnevenGroup) {
  RankMatrix own(5, 4, 1.0);
  own(2, 0) = own(2, 1) = own(1, 2) = 2;  // of the first group
  own(3, 3) = 1.5;
  const std::vector<std::vector<size_t>> groups = {{0, 1, 2}, {3, 4}};
  const WorkBalance balance = BalanceOf(own, groups, RankMask(5, 4), nullptr);
  EXPECT_EQ(balance.spread, 2);
  EXPECT_EQ(balance.persistence, 0.5);
  EXPECT_EQ(balance.stage_ratio, 1);
  const WorkBalance swapped = BalanceOf(own, {{3, 4}, {0, 1, 2}}, RankMask(5, 4), nullptr);
  EXPECT_EQ(swapped.spread, 2);
  EXPECT_EQ(swapped.persistence, 0.5);
}

TEST(WorkBalance, LeavesNamedAndUnknownRanksOut) {
  RankMatrix own(3, 4, 1.0);
  for (double& value : own.Row(1)) value = 9;
  RankMask slow(3, 4);
  slow.Set(1, 0, 4);
  const std::vector<std::vector<size_t>> groups = {{0, 1, 2}};
  EXPECT_EQ(BalanceOf(own, groups, slow, nullptr).spread, 1);
  EXPECT_TRUE(std::isnan(BalanceOf(own, groups, slow, nullptr).stage_ratio));
  for (double& value : own.Row(0)) value = kUnknown;
  EXPECT_TRUE(std::isnan(BalanceOf(own, groups, slow, nullptr).spread));
  EXPECT_TRUE(std::isnan(BalanceOf(own, groups, slow, nullptr).persistence));
}

TEST(WorkBalance, StagesAreComparedByTheirMedians) {
  RankMatrix own(3, 3, 1.0);
  for (double& value : own.Row(1)) value = 4;
  for (double& value : own.Row(2)) value = 2;
  EXPECT_EQ(BalanceOf(own, {{0}, {1}, {2}}, RankMask(3, 3), nullptr).stage_ratio, 4);
  EXPECT_EQ(BalanceOf(own, {{2}, {1}, {0}}, RankMask(3, 3), nullptr).stage_ratio, 4);
}

TEST(StragglerEvidence, ShowsTheCountersOfALateDevice) {
  const EvenJob made;
  const StepTable none;
  std::vector<GpuCounters> devices = FourDevices(1000, 200'000);
  for (size_t row = 0; row < 4; ++row) {
    const double sign = row == 1 ? 1 : 0;
    for (const auto& [role, value] : {std::pair{Role::kGpuTensorActiveRatio, 0.5 + 0.25 * sign},
                                      std::pair{Role::kGpuPcieRxBytesPerSecond, 4e7 + 1e7 * sign},
                                      std::pair{Role::kGpuSmClockHertz, 1.5e9 - 5e8 * sign},
                                      std::pair{Role::kGpuPowerWatts, 700 - 200 * sign}}) {
      devices[row][role] = {devices[row][Role::kGpuSmActiveRatio].timestamp_ms,
                            std::vector<double>(200, value)};
    }
  }
  for (size_t i = 100; i < 150; ++i) devices[1][Role::kGpuGrEngineActiveRatio].value[i] = 0.8;
  const StragglerAnswer answer =
      FindStragglersBy(StragglerMethod::kDeviceCounters, {made.job, none, devices});
  ASSERT_EQ(answer.ranks.size(), 1u);
  EXPECT_EQ(SaidBy(answer.ranks[0].evidence),
            "DCGM_FI_PROF_GR_ENGINE_ACTIVE_difference 0.1/0 ratio\n"
            "DCGM_FI_PROF_GR_ENGINE_ACTIVE 0.8/0.9 ratio\nDCGM_FI_PROF_SM_ACTIVE 0.9/0.9 ratio\n"
            "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE 0.75/0.5 ratio\n"
            "DCGM_FI_PROF_PCIE_RX_BYTES 5e+07/4e+07 bytes/s\nDCGM_FI_DEV_SM_CLOCK 1000/1500 MHz\n"
            "DCGM_FI_DEV_POWER_USAGE 500/700 W\n");
}

TEST(StragglerEvidence, DevicesMayBeginAtDifferentTimes) {
  const EvenJob made;
  const StepTable none;
  std::vector<GpuCounters> devices = FourDevices(1000, 200'000);
  devices[0] = CountersIn(devices[0], {50'000, 180'000});
  for (size_t i = 2; i < 20; ++i) devices[2][Role::kGpuGrEngineActiveRatio].value[i] = 0.8;
  const auto episodes = [&](int64_t begin_ms) {
    Job job = made.job;
    job.begin_ms = begin_ms;
    const StragglerAnswer answer =
        FindStragglersBy(StragglerMethod::kDeviceCounters, {job, none, devices});
    std::string text;
    for (const SlowRankFinding& finding : answer.ranks) {
      for (const StragglerEpisode& episode : finding.episodes) {
        absl::StrAppendFormat(&text, "%d: %d-%d ", finding.row, episode.time.min_ms / 1000,
                              episode.time.max_ms / 1000);
      }
    }
    return text;
  };
  EXPECT_EQ(episodes(0), "2: 2-20 ");
  // The first six seconds of a job are warm-up.
  EXPECT_EQ(episodes(1), "2: 6-20 ");
}

}  // namespace
}  // namespace lockstep::training
