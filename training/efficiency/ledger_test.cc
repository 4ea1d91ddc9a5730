#include "training/efficiency/ledger.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
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
