// The ledgers of the recorded jobs.
#include "training/efficiency/ledger.h"

#include <gtest/gtest.h>

#include <numeric>

#include "tests/training/recording.h"

namespace lockstep::training {
namespace {

TEST(RecordedLedger, BinsAddUpToTheWallClock) {
  for (const char* name : {"h200", "sweep"}) {
    for (const RecordedJob& job : LoadRecording(name)) {
      const TimeRange time = {job.job.begin_ms, job.end_ms};
      const Attempt attempt{.time = time, .steps = &job.steps};
      const Ledger ledger = LedgerOf(job.job, time, std::vector{attempt});
      const double sum = std::accumulate(ledger.gpu_seconds.begin(), ledger.gpu_seconds.end(), 0.0);
      EXPECT_NEAR(sum, ledger.Total(), 1e-6 * ledger.Total()) << job.job.name;
      EXPECT_EQ(ledger.gpu_count, 4u);
      for (const double seconds : ledger.gpu_seconds) EXPECT_GE(seconds, 0) << job.job.name;
    }
  }
}

TEST(RecordedLedger, BinsHoldWhatWasPlanted) {
  for (const RecordedJob& job : LoadRecording("h200")) {
    const TimeRange time = {job.job.begin_ms, job.end_ms};
    const Attempt attempt{.time = time, .steps = &job.steps};
    const Ledger ledger = LedgerOf(job.job, time, std::vector{attempt});
    const auto share = [&](LedgerBin bin) { return ledger[bin] / ledger.Total(); };
    const std::string& which = job.job.name;
    if (which == "input-bound") {
      EXPECT_GT(share(LedgerBin::kDataStall), 0.5);
    }
    if (which == "comm-bound") {
      EXPECT_GT(share(LedgerBin::kCommunicationExposed), 0.9);
    }
    if (which == "hang") {
      // Four GPUs for 12 s.
      EXPECT_NEAR(ledger[LedgerBin::kUnhealthy], 4 * 12, 1);
    }
    if (which == "straggler-loader") {
      // Three ranks wait 50 ms in each of 87 steps.
      EXPECT_NEAR(ledger[LedgerBin::kStragglerWait], 3 * 87 * 0.047, 3);
      EXPECT_NEAR(ledger[LedgerBin::kDataStall], 87 * 0.05, 0.2);
    }
    if (which == "pretrain-fp8") {
      EXPECT_GT(ledger.Goodput(), 0.8);
    }
  }
}

TEST(RecordedLedger, EnergyIsThatOfTheMeanPower) {
  const RecordedJob job = LoadRecording("sweep").front();
  const EnergyUse energy = EnergyOf(job.job, job.devices, {job.job.begin_ms, job.end_ms},
                                    static_cast<double>(job.steps.size()), 76 * 65536.0, 0.12);
  // Four GPUs at about 685 W for 16.7 s, except in the first second.
  EXPECT_NEAR(energy.joules / (4 * 685 * 16.7), 1, 0.1);
  EXPECT_FALSE(energy.is_from_power);
}

}  // namespace
}  // namespace lockstep::training
