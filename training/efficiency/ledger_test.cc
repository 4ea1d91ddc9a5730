#include "training/efficiency/ledger.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "training/job/made_steps.h"

namespace lockstep::training {
namespace {

void ExpectBins(const Ledger& ledger, const std::vector<std::pair<LedgerBin, double>>& expected) {
  std::array<double, kLedgerBinCount> wanted = {};
  for (const auto& [bin, seconds] : expected) wanted[static_cast<size_t>(bin)] = seconds;
  for (size_t bin = 0; bin < kLedgerBinCount; ++bin) {
    EXPECT_NEAR(ledger.gpu_seconds[bin], wanted[bin], 1e-6) << Name(static_cast<LedgerBin>(bin));
  }
  EXPECT_NEAR(std::accumulate(ledger.gpu_seconds.begin(), ledger.gpu_seconds.end(), 0.0),
              ledger.Total(), 1e-6);
}

Job JobWithRanks(size_t count) {
  Job job;
  job.ranks.resize(count);
  return job;
}

TEST(Ledger, StepsAreDividedByPhases) {
  StepTable table = EvenSteps(2, 10, 1.0, 5'000);
  PhaseColumn data{"data", PhaseKind::kData, RankMatrix(2, 10, 0.1)};
  PhaseColumn exchange{"allreduce", PhaseKind::kCommunication, RankMatrix(2, 10, 0.05)};
  for (double& seconds : exchange.seconds.Row(1)) seconds = 0.25;  // waits 0.2 s for the other
  table.phases = {data, exchange};
  const Attempt attempt{.time = {0, 17'000}, .steps = &table};
  // 5 s until the first step, which is a normal one; 2 s after the last step, and 3 s after the
  // attempt.
  const Ledger ledger = LedgerOf(JobWithRanks(2), {0, 20'000}, std::vector{attempt});
  ExpectBins(ledger, {{LedgerBin::kStartUp, 10},
                      {LedgerBin::kIdleHeld, 10},
                      {LedgerBin::kDataStall, 9 * 0.2},
                      {LedgerBin::kCommunicationExposed, 9 * 0.1},
                      {LedgerBin::kStragglerWait, 9 * 0.2},
                      {LedgerBin::kProductive, 9 * 1.5 + 2}});
  EXPECT_NEAR(ledger.EffectiveTrainingTimeRatio(), 0.5, 1e-9);
  EXPECT_NEAR(ledger.Goodput(), 15.5 / 40, 1e-9);
}

TEST(Ledger, RestartsCostRecoveryAndRecomputing) {
  const StepTable first = EvenSteps(1, 20, 1.0, 0, 0);         // steps 0..19, until 20 s
  const StepTable second = EvenSteps(1, 20, 1.0, 60'000, 11);  // steps 11..30, nine again
  const std::vector<Attempt> attempts = {{.time = {0, 25'000}, .steps = &first},
                                         {.time = {50'000, 80'000}, .steps = &second}};
  ExpectBins(LedgerOf(JobWithRanks(1), {0, 80'000}, attempts), {{LedgerBin::kProductive, 20 + 11},
                                                                {LedgerBin::kRecomputed, 9},
                                                                {LedgerBin::kRecovery, 25},
                                                                {LedgerBin::kStartUp, 10},
                                                                {LedgerBin::kIdleHeld, 5}});
}

TEST(Ledger, AHangIsUnhealthy) {
  StepTable table = EvenSteps(2, 30, 1.0);
  for (size_t n = 20; n < 30; ++n) table.end_ms[n] += 14'000;
  for (size_t row = 0; row < 2; ++row) table.step_seconds(row, 20) = 15;
  const Attempt attempt{.time = {0, 44'000}, .steps = &table};
  ExpectBins(LedgerOf(JobWithRanks(2), {0, 44'000}, std::vector{attempt}),
             {{LedgerBin::kProductive, 60}, {LedgerBin::kUnhealthy, 28}});
}

// 300 steps of 0.2 s, except for those that take 6 s.
StepTable Interrupted(const std::vector<size_t>& columns) {
  StepTable table = EvenSteps(1, 300, 0.2);
  int64_t at_ms = 0;
  for (size_t n = 0; n < table.size(); ++n) {
    if (std::find(columns.begin(), columns.end(), n) != columns.end()) {
      table.step_seconds(0, n) = 6;
    }
    at_ms += std::llround(1000 * table.step_seconds(0, n));
    table.end_ms[n] = at_ms;
  }
  return table;
}

TEST(Ledger, TheExtraTimeOfALongStepIsThatOfItsReason) {
  const std::pair<const char*, LedgerBin> phases[] = {{"checkpoint", LedgerBin::kCheckpoint},
                                                      {"eval", LedgerBin::kEvaluation},
                                                      {"data", LedgerBin::kDataStall},
                                                      {"gc", LedgerBin::kPause},
                                                      {"forward", LedgerBin::kUnhealthy}};
  for (const auto& [name, bin] : phases) {
    StepTable table = Interrupted({100});
    RankMatrix seconds(1, 300);
    seconds(0, 100) = 5.8;
    table.phases = {{name, PhaseKindOf(name), std::move(seconds)}};
    const Attempt attempt{.time = {0, 65'800}, .steps = &table};
    ExpectBins(LedgerOf(JobWithRanks(1), {0, 65'800}, std::vector{attempt}),
               {{LedgerBin::kProductive, 60}, {bin, 5.8}});
  }
  StepTable recurring = Interrupted({60, 120, 180, 240});
  const Attempt attempt{.time = {0, 83'200}, .steps = &recurring};
  ExpectBins(LedgerOf(JobWithRanks(1), {0, 83'200}, std::vector{attempt}),
             {{LedgerBin::kProductive, 60}, {LedgerBin::kPause, 4 * 5.8}});
  StepTable starting = Interrupted({3});
  starting.attempt_first_step = 0;
  const Attempt start{.time = {0, 65'800}, .steps = &starting};
  ExpectBins(LedgerOf(JobWithRanks(1), {0, 65'800}, std::vector{start}),
             {{LedgerBin::kProductive, 60}, {LedgerBin::kStartUp, 5.8}});
}

TEST(Ledger, TheExtraTimeOfTheFirstStepIsStartUp) {
  StepTable table = EvenSteps(1, 10, 1.0, 4'000);
  table.step_seconds(0, 0) = 5;
  const Attempt attempt{.time = {0, 14'000}, .steps = &table};
  ExpectBins(LedgerOf(JobWithRanks(1), {0, 14'000}, std::vector{attempt}),
             {{LedgerBin::kProductive, 10}, {LedgerBin::kStartUp, 4}});
}

TEST(Ledger, PhasesTakeNoMoreThanTheStep) {
  StepTable table = EvenSteps(1, 3, 1.0);
  table.phases = {{"checkpoint", PhaseKind::kCheckpoint, RankMatrix(1, 3, 0.25)},
                  {"eval", PhaseKind::kEvaluation, RankMatrix(1, 3, 0.5)},
                  {"data", PhaseKind::kData, RankMatrix(1, 3, 0.75)},
                  {"wait", PhaseKind::kWait, RankMatrix(1, 3, 0.75)}};
  const Attempt attempt{.time = {0, 3'000}, .steps = &table};
  // The first step is a normal one as a whole.
  ExpectBins(LedgerOf(JobWithRanks(1), {0, 3'000}, std::vector{attempt}),
             {{LedgerBin::kProductive, 1},
              {LedgerBin::kCheckpoint, 0.5},
              {LedgerBin::kEvaluation, 1},
              {LedgerBin::kDataStall, 0.5}});
}

TEST(Ledger, ARankThatDoesNotSayHowLongItExchangedDoesNotWait) {
  StepTable table = EvenSteps(2, 3, 1.0);
  RankMatrix exchange(2, 3, 0.25);
  exchange(0, 1) = kUnknown;
  exchange(0, 2) = exchange(1, 2) = kUnknown;
  table.phases = {{"allreduce", PhaseKind::kCommunication, std::move(exchange)}};
  const Attempt attempt{.time = {0, 3'000}, .steps = &table};
  ExpectBins(LedgerOf(JobWithRanks(2), {0, 3'000}, std::vector{attempt}),
             {{LedgerBin::kProductive, 5.5}, {LedgerBin::kCommunicationExposed, 0.5}});
}

TEST(Ledger, RanksOnOneGpuShareItsSeconds) {
  StepTable table = EvenSteps(2, 3, 1.0);
  RankMatrix data(2, 3, 0.5);
  for (double& value : data.Row(1)) value = 0.25;
  table.phases = {{"data", PhaseKind::kData, std::move(data)}};
  Job job = JobWithRanks(2);
  for (RankPlace& place : job.ranks) {
    place.host = "a";
    place.gpu = "0";
  }
  const Attempt attempt{.time = {0, 3'000}, .steps = &table};
  ExpectBins(LedgerOf(job, {0, 3'000}, std::vector{attempt}),
             {{LedgerBin::kProductive, 2.25}, {LedgerBin::kDataStall, 0.75}});
}

TEST(Ledger, EndsWithItsTime) {
  const StepTable table = EvenSteps(1, 20, 1.0);
  const Attempt attempt{.time = {0, 30'000}, .steps = &table};
  ExpectBins(LedgerOf(JobWithRanks(1), {0, 5'500}, std::vector{attempt}),
             {{LedgerBin::kProductive, 5.5}});
  ExpectBins(LedgerOf(JobWithRanks(1), {0, 25'000}, std::vector{attempt}),
             {{LedgerBin::kProductive, 20}, {LedgerBin::kIdleHeld, 5}});
  ExpectBins(LedgerOf(JobWithRanks(1), {3'000, 20'000}, std::vector{attempt}),
             {{LedgerBin::kProductive, 17}});
}

// Two devices that hold such counters for a minute.
std::vector<GpuCounters> Held(double engine, double sm, double tensor, double dram) {
  std::vector<GpuCounters> devices(2);
  for (GpuCounters& device : devices) {
    for (const auto& [role, value] :
         {std::pair{Role::kGpuGrEngineActiveRatio, engine}, std::pair{Role::kGpuSmActiveRatio, sm},
          std::pair{Role::kGpuTensorActiveRatio, tensor},
          std::pair{Role::kGpuDramActiveRatio, dram}}) {
      for (int64_t at = 1'000; at <= 60'000; at += 1'000) {
        device[role].timestamp_ms.push_back(at);
        device[role].value.push_back(value);
      }
    }
  }
  return devices;
}

TEST(Ledger, WithoutStepsDevicesShowWhatTheyDid) {
  const StepTable nothing;
  const auto expect = [&](const std::vector<GpuCounters>& devices,
                          const std::vector<std::pair<LedgerBin, double>>& bins) {
    const Attempt attempt{.time = {0, 60'000}, .steps = &nothing, .devices = devices};
    ExpectBins(LedgerOf(JobWithRanks(2), {0, 60'000}, std::vector{attempt}), bins);
  };
  expect(Held(0, 0, 0, 0), {{LedgerBin::kIdleHeld, 120}});
  expect(Held(0.4, 0.32, 0.2, 0.12), {{LedgerBin::kIdleHeld, 72}, {LedgerBin::kProductive, 48}});
  expect(Held(0.98, 0.0085, 0, 0), {{LedgerBin::kFakeLoad, 120}});
  expect(Held(1, 0.18, 0, 0), {{LedgerBin::kStragglerWait, 120}});
  expect(Held(0.98, 0.174, 0, 0.236), {{LedgerBin::kCommunicationExposed, 120}});
  expect(Held(0.98, 0.9, 0.5, 0.3), {{LedgerBin::kProductive, 120}});
}

TEST(Ledger, WithoutStepsTheTimeAroundTheDevicesSamplesIsHeld) {
  const StepTable nothing;
  const std::vector<GpuCounters> devices = Held(0.98, 0.9, 0.5, 0.3);
  const Attempt attempt{.time = {10'000, 70'000}, .steps = &nothing, .devices = devices};
  // The last window stands for the time after it.
  ExpectBins(LedgerOf(JobWithRanks(2), {0, 80'000}, std::vector{attempt}),
             {{LedgerBin::kIdleHeld, 40}, {LedgerBin::kProductive, 120}});
  const std::vector<LedgerPoint> course =
      LedgerCourseOf(JobWithRanks(2), {0, 80'000}, std::vector{attempt});
  ASSERT_FALSE(course.empty());
  EXPECT_EQ(course.back().time_ms, 70'000);
  EXPECT_EQ(course.back().gpu_seconds[static_cast<size_t>(LedgerBin::kProductive)], 120);
}

TEST(Ledger, DevicesShowWhereStepsWithoutPhasesWait) {
  const auto expect = [](const std::vector<GpuCounters>& devices, const char* phase,
                         const std::vector<std::pair<LedgerBin, double>>& bins) {
    StepTable table = EvenSteps(2, 60, 1.0);
    if (phase != nullptr) {
      table.phases = {{phase, PhaseKindOf(phase), RankMatrix(2, 60, 0.0)}};
    }
    const Attempt attempt{.time = {0, 60'000}, .steps = &table, .devices = devices};
    ExpectBins(LedgerOf(JobWithRanks(2), {0, 60'000}, std::vector{attempt}), bins);
  };
  // Of the first step nothing is told.
  expect(Held(0.5, 0.4, 0.2, 0.12), nullptr,
         {{LedgerBin::kHostStall, 59}, {LedgerBin::kProductive, 61}});
  expect(Held(0.98, 0.0085, 0, 0), nullptr,
         {{LedgerBin::kFakeLoad, 118}, {LedgerBin::kProductive, 2}});
  expect(Held(1, 0.18, 0, 0), nullptr,
         {{LedgerBin::kStragglerWait, 118}, {LedgerBin::kProductive, 2}});
  expect(Held(0.98, 0.174, 0, 0.236), nullptr,
         {{LedgerBin::kCommunicationExposed, 118}, {LedgerBin::kProductive, 2}});
  // Phases tell better where a step waited, but not that its kernels do nothing.
  expect(Held(0.5, 0.4, 0.2, 0.12), "data", {{LedgerBin::kProductive, 120}});
  expect(Held(1, 0.18, 0, 0), "allreduce", {{LedgerBin::kProductive, 120}});
  expect(Held(0.98, 0.0085, 0, 0), "data",
         {{LedgerBin::kFakeLoad, 118}, {LedgerBin::kProductive, 2}});
  expect(Held(0.5, 0.4, 0.2, 0.12), "forward",
         {{LedgerBin::kHostStall, 59}, {LedgerBin::kProductive, 61}});
}

TEST(Ledger, WhatItDoesNotKnowIsSaid) {
  const StepTable nothing;
  StepTable table = EvenSteps(2, 60, 1.0);
  const std::vector<GpuCounters> devices = Held(0.98, 0.9, 0.5, 0.3);
  const std::vector<Attempt> attempts = {{.time = {0, 1'000}, .steps = &nothing},
                                         {.time = {1'000, 2'000}, .steps = &nothing},
                                         {.time = {2'000, 60'000}, .steps = &table}};
  Confidence confidence = LedgerOf(JobWithRanks(2), {0, 60'000}, attempts).confidence;
  EXPECT_EQ(confidence.missing,
            (std::vector<std::string>{"steps", "step phases",
                                      "device counters over windows of 5 s and 10 steps"}));
  EXPECT_EQ(confidence.steps, 60u);
  EXPECT_EQ(confidence.samples, 0u);
  table.phases = {{"data", PhaseKind::kData, RankMatrix(2, 60, 0.0)}};
  const Attempt attempt{.time = {0, 60'000}, .steps = &table, .devices = devices};
  confidence = LedgerOf(JobWithRanks(2), {0, 60'000}, std::vector{attempt}).confidence;
  EXPECT_TRUE(confidence.missing.empty());
  EXPECT_EQ(confidence.samples, 60u);
}

TEST(Ledger, WasteIsAllButTheProductiveTime) {
  Ledger ledger;
  for (size_t bin = 0; bin < kLedgerBinCount; ++bin) ledger.gpu_seconds[bin] = 3600;
  EXPECT_EQ(ledger.Wasted(), 13 * 3600);
  const Bill bill = BillOf(ledger, 2);
  EXPECT_EQ(bill.cost, 28);
  EXPECT_EQ(bill.wasted_cost, 26);
  EXPECT_EQ(bill.cost_of_bin[static_cast<size_t>(LedgerBin::kRecovery)], 2);
}

TEST(Ledger, EnergyFromPowerIsThatOfTheTime) {
  std::vector<GpuCounters> devices(1);
  devices[0][Role::kGpuPowerWatts] = {.timestamp_ms = {0, 2'000, 4'000, 6'000, 8'000},
                                      .value = {9, 100, kUnknown, 300, 400}};
  const auto joules = [&devices](const TimeRange& time) {
    return EnergyOf(JobWithRanks(1), devices, time, 0, 0, 0).joules;
  };
  EXPECT_EQ(joules({0, 8'000}), 200 + 600 + 800);
  EXPECT_EQ(joules({1'000, 7'000}), 100 + 600 + 400);
  EXPECT_TRUE(std::isnan(joules({9'000, 10'000})));
  EXPECT_TRUE(std::isnan(joules({2'500, 3'500})));
  EXPECT_TRUE(std::isnan(EnergyOf(JobWithRanks(1), devices, {0, 8'000}, 0, 0, 0).joules_per_step));
  EXPECT_TRUE(std::isnan(EnergyOf(JobWithRanks(1), devices, {0, 8'000}, 0, 0, 0).joules_per_token));
}

TEST(Ledger, EnergyOfASharedGpuCountsOnce) {
  Job job = JobWithRanks(2);
  std::vector<GpuCounters> devices(2);
  for (size_t row = 0; row < 2; ++row) {
    job.ranks[row].host = "a";
    job.ranks[row].gpu = "0";
    devices[row][Role::kGpuEnergyJoulesTotal] = {{0, 10'000}, {1'000, 8'000}};
  }
  const EnergyUse energy = EnergyOf(job, devices, {0, 10'000}, 1, 1, 1);
  EXPECT_EQ(energy.joules, 7'000);
  EXPECT_FALSE(energy.is_from_power);
}

TEST(Ledger, ABillIsHoursTimesPrice) {
  Ledger ledger;
  ledger[LedgerBin::kProductive] = 3 * 3600;
  ledger[LedgerBin::kRecovery] = 3600;
  const Bill bill = BillOf(ledger, 2.5);
  EXPECT_EQ(bill.gpu_hours, 4);
  EXPECT_EQ(bill.cost, 10);
  EXPECT_EQ(bill.wasted_cost, 2.5);
}

TEST(Ledger, EnergyIsCountedOrIntegrated) {
  std::vector<GpuCounters> devices(2);
  devices[0][Role::kGpuEnergyJoulesTotal] = {.timestamp_ms = {0, 10'000}, .value = {1e3, 8e3}};
  devices[1][Role::kGpuPowerWatts] = {.timestamp_ms = {0, 5'000, 10'000}, .value = {1, 600, 700}};
  const EnergyUse energy =
      EnergyOf(JobWithRanks(devices.size()), devices, {0, 10'000}, 10, 1000, 0.12);
  EXPECT_NEAR(energy.joules, 7000 + 6500, 1e-9);
  EXPECT_NEAR(energy.joules_per_step, 1350, 1e-9);
  EXPECT_NEAR(energy.joules_per_token, 13.5, 1e-9);
  EXPECT_NEAR(energy.cost, 13500 / 3.6e6 * 0.12, 1e-12);
  EXPECT_TRUE(energy.is_from_power);
  EXPECT_TRUE(std::isnan(EnergyOf({}, {}, {0, 1}, 1, 1, 1).joules));
}

}  // namespace
}  // namespace lockstep::training
