#include "answers/ledger.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "catalogue/roles.h"

namespace lockstep::answers {
namespace {

using catalogue::Role;

// An attempt on one GPU that took so many kilowatt-hours, with two steps of 100 tokens each; NaN:
// not recorded.
LoadedJob Attempt(int64_t begin_ms, double kwh, double tokens = 100) {
  LoadedJob job;
  job.job.name = "j";
  job.job.ranks = {{.rank = 0, .host = "a", .gpu = "0"}};
  job.job.begin_ms = begin_ms;
  job.time = {begin_ms, begin_ms + 2000};
  job.whole = {0, 10'000};
  job.steps.step = {0, 1};
  job.steps.end_ms = {begin_ms + 1000, begin_ms + 2000};
  job.steps.step_seconds = training::RankMatrix(1, 2, 1);
  if (!std::isnan(tokens)) job.steps.tokens = training::RankMatrix(1, 2, tokens);
  job.devices.resize(1);
  if (!std::isnan(kwh)) {
    job.devices[0][Role::kGpuEnergyJoulesTotal] = {{begin_ms, begin_ms + 2000},
                                                   {5, 5 + kwh * 3.6e6}};
  }
  return job;
}

Prices HalfAKwh() {
  Prices prices;
  prices.per_kwh = 0.5;
  return prices;
}

TEST(LedgerEnergyTest, AddsUpTheAttempts) {
  const auto energy = EnergyOf({Attempt(0, 1), Attempt(5000, 2)}, HalfAKwh());
  EXPECT_DOUBLE_EQ(energy.joules, 3 * 3.6e6);
  EXPECT_DOUBLE_EQ(energy.joules_per_step, 3 * 3.6e6 / 4);
  EXPECT_DOUBLE_EQ(energy.joules_per_token, 3 * 3.6e6 / 400);
  EXPECT_DOUBLE_EQ(energy.cost, 1.5);
  EXPECT_FALSE(energy.is_from_power);
}

// The energy per step and per token is unknown.
TEST(LedgerEnergyTest, AnAttemptWithoutEnergyIsLeftOut) {
  for (const size_t without : {0, 1, 2}) {
    std::vector<LoadedJob> attempts = {Attempt(0, 1), Attempt(3000, 2)};
    attempts.insert(attempts.begin() + static_cast<ptrdiff_t>(without),
                    Attempt(6000, training::kUnknown));
    const auto energy = EnergyOf(attempts, HalfAKwh());
    EXPECT_DOUBLE_EQ(energy.joules, 3 * 3.6e6) << without;
    EXPECT_DOUBLE_EQ(energy.joules_per_step, 3 * 3.6e6 / 4) << without;
    EXPECT_DOUBLE_EQ(energy.joules_per_token, 3 * 3.6e6 / 400) << without;
    EXPECT_DOUBLE_EQ(energy.cost, 1.5) << without;
  }
}

TEST(LedgerEnergyTest, WhatIsNotKnownIsNotANumber) {
  const auto none = EnergyOf({Attempt(0, training::kUnknown)}, HalfAKwh());
  EXPECT_TRUE(std::isnan(none.joules));
  EXPECT_TRUE(std::isnan(none.joules_per_step));
  EXPECT_TRUE(std::isnan(none.joules_per_token));
  EXPECT_TRUE(std::isnan(none.cost));
  const auto without_tokens = EnergyOf({Attempt(0, 1, training::kUnknown)}, {});
  EXPECT_DOUBLE_EQ(without_tokens.joules_per_step, 3.6e6 / 2);
  EXPECT_TRUE(std::isnan(without_tokens.joules_per_token));
  EXPECT_TRUE(std::isnan(without_tokens.cost));
}

TEST(LedgerEnergyTest, SamplesOfPowerInOneAttemptAreSaid) {
  LoadedJob by_power = Attempt(5000, training::kUnknown);
  by_power.devices[0][Role::kGpuPowerWatts] = {{5000, 6000, 7000}, {700, 700, 700}};
  EXPECT_TRUE(EnergyOf({by_power, Attempt(0, 1)}, {}).is_from_power);
  EXPECT_TRUE(EnergyOf({Attempt(0, 1), by_power}, {}).is_from_power);
  EXPECT_GT(EnergyOf({Attempt(0, 1), by_power}, {}).joules, 3.6e6);
}

TEST(LedgerBillTest, IsOfThePriceOfAnHour) {
  std::vector<LoadedJob> attempts = {Attempt(0, 2)};
  attempts.back().gpu_models = {"NVIDIA H200"};
  Prices prices = HalfAKwh();
  prices.per_gpu_hour = *ParseGpuPrices("36");
  training::Ledger ledger;
  ledger.gpu_seconds = {};
  ledger.gpu_seconds[static_cast<size_t>(training::LedgerBin::kProductive)] = 100;
  ledger.gpu_seconds[static_cast<size_t>(training::LedgerBin::kDataStall)] = 50;
  const auto bill = BillOf(attempts.back(), prices, ledger);
  ASSERT_TRUE(bill.has_value());
  EXPECT_DOUBLE_EQ(bill->cost, 1.5);
  EXPECT_FALSE(BillOf(attempts.back(), {}, ledger).has_value());
}

TEST(JobLedgerTest, CoversAllAttempts) {
  std::vector<LoadedJob> attempts = {Attempt(1000, 1), Attempt(5000, 2)};
  attempts.back().gpu_models = {"NVIDIA H200"};
  Prices prices = HalfAKwh();
  prices.per_gpu_hour = *ParseGpuPrices("36");
  prices.currency = "EUR";
  const JobLedger found = LedgerOf(attempts, prices);
  EXPECT_EQ(found.job, "j");
  EXPECT_EQ(found.time, (TimeRange{0, 7000}));
  EXPECT_EQ(found.attempt_count, 2);
  EXPECT_DOUBLE_EQ(found.ledger.Total(), 7);
  ASSERT_TRUE(found.bill.has_value());
  EXPECT_DOUBLE_EQ(found.price_per_gpu_hour, 36);
  EXPECT_DOUBLE_EQ(found.bill->cost, 0.07);
  EXPECT_DOUBLE_EQ(found.Kwh(), 3);
  EXPECT_DOUBLE_EQ(found.energy.cost, 1.5);
  EXPECT_EQ(found.currency, "EUR");
  EXPECT_FALSE(LedgerOf(attempts, {}).bill.has_value());
}

}  // namespace
}  // namespace lockstep::answers
