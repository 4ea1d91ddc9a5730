#include "answers/forecast.h"

#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <vector>

#include "catalogue/roles.h"

namespace lockstep::answers {
namespace {

using catalogue::Role;

// Two GPUs, 200 steps of a second, numbered from `first_step`, each of 50 tokens.
LoadedJob RunningJob(int64_t begin_ms = 0, int64_t first_step = 1) {
  LoadedJob job;
  job.job.name = "j";
  job.job.ranks = {{.rank = 0, .host = "a", .gpu = "0"}, {.rank = 1, .host = "a", .gpu = "1"}};
  job.job.begin_ms = begin_ms;
  job.time = {begin_ms, begin_ms + 200'000};
  job.whole = {0, begin_ms + 200'000};
  job.is_running = true;
  job.gpu_models = {"NVIDIA H200", "NVIDIA H200"};
  job.devices.resize(2);
  job.steps.attempt_first_step = first_step;
  job.steps.step_seconds = training::RankMatrix(2, 200, 1);
  job.steps.tokens = training::RankMatrix(2, 200, 50);
  for (int64_t n = 0; n < 200; ++n) {
    job.steps.step.push_back(first_step + n);
    job.steps.end_ms.push_back(begin_ms + 1000 * (n + 1));
  }
  return job;
}

JobForecast Of(const std::vector<LoadedJob>& attempts, const ForecastOptions& options = {},
               const Prices& prices = {}) {
  return ForecastOf(attempts, prices, options, attempts.back().time.max_ms);
}

TEST(ForecastEnd, IsPlannedByTheTrainer) {
  LoadedJob job = RunningJob();
  job.facts.planned_steps = 1200;
  const JobForecast found = Of({job});
  EXPECT_EQ(found.reason, "");
  EXPECT_DOUBLE_EQ(found.steps_left, 1000);
  EXPECT_NEAR(found.left.seconds, 1000, 1e-6);
  EXPECT_EQ(found.as_of_ms, 200'000);
}

TEST(ForecastEnd, StepsFromZeroCountOneMore) {
  LoadedJob job = RunningJob(0, 0);
  job.facts.planned_steps = 200;
  EXPECT_DOUBLE_EQ(Of({job}).steps_left, 0);
  job.facts.planned_steps = 150;
  EXPECT_DOUBLE_EQ(Of({job}).steps_left, 0);
}

TEST(ForecastEnd, WhatIsGivenGoesBeforeThePlan) {
  LoadedJob job = RunningJob();
  job.facts.planned_steps = 1200;
  EXPECT_DOUBLE_EQ(Of({job}, {.total_steps = 300}).steps_left, 100);
  EXPECT_NEAR(Of({job}, {.total_steps = 300, .total_tokens = 20'000}).steps_left, 200, 1e-6);
}

TEST(ForecastEnd, TokensOfEarlierAttemptsCountOnce) {
  // Fifty steps are done again.
  const std::vector<LoadedJob> attempts = {RunningJob(), RunningJob(300'000, 151)};
  EXPECT_NEAR(Of(attempts, {.total_tokens = 20'000}).steps_left, 50, 1.01);
}

// The next step has begun.
TEST(ForecastEnd, PartOfAStepMayBeDone) {
  LoadedJob job = RunningJob();
  job.facts.planned_steps = 210;
  EXPECT_NEAR(ForecastOf({job}, {}, {}, 200'500).left.seconds, 9.5, 1e-6);
  // But a job that stands still comes no nearer.
  EXPECT_NEAR(ForecastOf({job}, {}, {}, 260'000).left.seconds, 10, 1e-6);
}

TEST(ForecastEnd, ReasonsSayWhatIsMissing) {
  EXPECT_EQ(Of({RunningJob()}).reason,
            "the job does not log how many steps it plans: give total_steps or total_tokens");
  LoadedJob ended = RunningJob();
  ended.is_running = false;
  EXPECT_EQ(Of({ended}, {.total_steps = 300}).reason, "the job has ended");
  LoadedJob without_tokens = RunningJob();
  without_tokens.steps.tokens = {};
  EXPECT_EQ(Of({without_tokens}, {.total_tokens = 300}).reason, "the job does not log its tokens");
  LoadedJob without_steps = RunningJob();
  without_steps.steps = {};
  EXPECT_EQ(Of({without_steps}, {.total_steps = 300}).reason, "the job has logged no steps");
  for (const auto& job : {ended, without_tokens, without_steps}) {
    EXPECT_TRUE(std::isnan(Of({job}, {.total_tokens = 300}).left.seconds));
  }
}

TEST(ForecastCost, IsOfGpusAndElectricity) {
  LoadedJob job = RunningJob();
  job.facts.planned_steps = 1200;
  job.devices[0][Role::kGpuEnergyJoulesTotal] = {{0, 200'000}, {0, 3.6e6}};
  Prices prices;
  prices.per_gpu_hour = *ParseGpuPrices("36");
  const JobForecast by_hours = Of({job}, {}, prices);
  EXPECT_NEAR(by_hours.Cost(), 4, 1e-9);
  EXPECT_NEAR(by_hours.CostLeft(), 20, 1e-6);
  prices.per_kwh = 0.5;
  const JobForecast both = Of({job}, {}, prices);
  EXPECT_NEAR(both.Cost(), 4.5, 1e-9);
  EXPECT_NEAR(both.CostLeft(), 22.5, 1e-6);
  EXPECT_TRUE(std::isnan(Of({job}).Cost()));
}

// 20 s of each 120; three starts.
TEST(ForecastCheckpoints, HaveABestInterval) {
  std::vector<LoadedJob> attempts;
  for (int64_t i = 0; i < 3; ++i) {
    LoadedJob job = RunningJob(i * 400'000, 1 + 200 * i);
    job.steps.phases = {
        {"checkpoint", training::PhaseKind::kCheckpoint, training::RankMatrix(2, 200, 0)}};
    for (const size_t at : {50, 150}) {
      job.steps.phases[0].seconds(0, at) = 20;
      for (size_t n = at; n < 200; ++n) job.steps.end_ms[n] += 20'000;
      for (size_t row = 0; row < 2; ++row) job.steps.step_seconds(row, at) = 21;
    }
    job.time.max_ms = job.steps.end_ms.back();
    attempts.push_back(job);
  }
  const JobForecast found = Of(attempts);
  EXPECT_EQ(found.interruptions.count, 2u);
  EXPECT_DOUBLE_EQ(found.mean_seconds_between, 360);
  EXPECT_DOUBLE_EQ(found.checkpoints.interval_seconds, 120);
  EXPECT_NEAR(found.lost_share, 20.0 / 120 + (60 + 160) / 360.0, 1e-9);
  EXPECT_NEAR(found.best_interval_seconds, std::sqrt(2 * 20 * 360.0), 10);
  EXPECT_NEAR(found.best_interval_steps, found.best_interval_seconds / 1.2, 1);
  // As a fleet knows it.
  EXPECT_DOUBLE_EQ(Of(attempts, {.mtbf_hours = 2}).mean_seconds_between, 7200);
  EXPECT_GT(Of(attempts, {.mtbf_hours = 2}).best_interval_seconds, 500);
}

TEST(ForecastCheckpoints, WithoutAnInterruptionTheIntervalIsTheLeast) {
  LoadedJob job = RunningJob();
  job.steps.phases = {
      {"checkpoint", training::PhaseKind::kCheckpoint, training::RankMatrix(2, 200, 0)}};
  for (const size_t at : {50, 150}) job.steps.phases[0].seconds(0, at) = 0.1;
  const JobForecast found = Of({job});
  EXPECT_TRUE(std::isnan(found.mean_seconds_between));
  EXPECT_NEAR(found.best_interval_seconds, std::sqrt(2 * 0.1 * 200 / 3.0), 0.2);
}

}  // namespace
}  // namespace lockstep::answers
