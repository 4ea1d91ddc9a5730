#include "training/devices/step_amounts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <initializer_list>
#include <random>
#include <utility>
#include <vector>

namespace lockstep::training {
namespace {

using ::testing::ElementsAre;
using ::testing::IsNan;

constexpr int64_t kMinuteMs = 60'000;

SampleColumns Samples(std::initializer_list<std::pair<int64_t, double>> samples) {
  SampleColumns columns;
  for (const auto& [time_ms, value] : samples) columns.Append(time_ms, value);
  return columns;
}

std::vector<double> Counted(const SampleColumns& samples, const std::vector<TimeRange>& times) {
  return AmountsIn(samples, Measured::kCounter, times, kMinuteMs);
}

std::vector<double> Added(const SampleColumns& samples, const std::vector<TimeRange>& times) {
  return AmountsIn(samples, Measured::kRate, times, kMinuteMs);
}

TEST(StepAmounts, ACounterGrowsEvenlyBetweenSamples) {
  // 100 a second.
  const SampleColumns samples = Samples({{0, 5000}, {10'000, 6000}, {20'000, 7000}});
  EXPECT_THAT(Counted(samples, {{0, 10'000}, {2500, 3000}, {9000, 13'000}, {1, 2}}),
              ElementsAre(1000, 50, 400, 0.1));
}

TEST(StepAmounts, ARateIsThatOfTheLaterSample) {
  const SampleColumns samples = Samples({{0, 700}, {10'000, 300}, {20'000, 500}});
  EXPECT_THAT(Added(samples, {{0, 10'000}, {2000, 4000}, {9000, 12'000}}),
              ElementsAre(3000, 600, 300 + 1000));
}

// Without the rounding of differences between large totals.
TEST(StepAmounts, AConstantRateIsExact) {
  SampleColumns watts;
  std::vector<TimeRange> steps;
  std::vector<double> joules;
  for (int64_t i = 0; i <= 10'000; ++i) watts.Append(15'000 * i, 683.1);
  for (int64_t i = 0; i < 100'000; ++i) {
    steps.push_back({1000 * i, 1000 * (i + 1)});
    joules.push_back(683.1);
  }
  const std::vector<double> added = Added(watts, steps);
  for (size_t i = 0; i < steps.size(); ++i) EXPECT_NEAR(added[i], joules[i], 3e-13);
}

// Several steps share the time between two samples.
TEST(StepAmounts, StepsMayBeShorterThanTheScrapeInterval) {
  const SampleColumns samples = Samples({{0, 0}, {15'000, 300}, {30'000, 300}});
  EXPECT_THAT(Counted(samples, {{0, 3000}, {3000, 6000}, {12'000, 18'000}, {18'000, 21'000}}),
              ElementsAre(60, 60, 60, 0));
}

TEST(StepAmounts, ACounterBeginsAgainAtZero) {
  const SampleColumns samples = Samples({{0, 1000}, {1000, 1010}, {2000, 4}, {3000, 14}});
  EXPECT_THAT(Counted(samples, {{0, 3000}, {1000, 2000}, {1500, 2500}, {0, 1000}}),
              ElementsAre(24, 4, 2 + 5, 10));
}

// Before the first sample, after the last one, and of no time at all.
TEST(StepAmounts, WithoutSamplesAroundItNothingIsKnown) {
  const SampleColumns samples = Samples({{1000, 0}, {2000, 10}});
  const std::vector<TimeRange> times = {{999, 1500},  {1500, 2001}, {0, 500},    {3000, 4000},
                                        {1500, 1500}, {1700, 1500}, {1000, 2000}};
  const auto known_is_only_the_last =
      ElementsAre(IsNan(), IsNan(), IsNan(), IsNan(), IsNan(), IsNan(), 10);
  EXPECT_THAT(Counted(samples, times), known_is_only_the_last);
  EXPECT_THAT(Added(samples, times), known_is_only_the_last);
  EXPECT_THAT(Counted({}, {{0, 1}}), ElementsAre(IsNan()));
  EXPECT_THAT(Added(Samples({{5, 1}}), {{0, 5}, {5, 6}, {4, 6}}),
              ElementsAre(IsNan(), IsNan(), IsNan()));
}

// A counter has counted what happened in a gap, but does not say when.
TEST(StepAmounts, Gaps) {
  const int64_t far_ms = 10 * kMinuteMs;
  const SampleColumns samples =
      Samples({{0, 0}, {1000, 10}, {far_ms, 90}, {far_ms + 1000, 100}, {far_ms + 2000, 110}});
  const std::vector<TimeRange> times = {{500, far_ms + 500},
                                        {1000, far_ms},
                                        {500, 2000},
                                        {2000, far_ms + 500},
                                        {far_ms, far_ms + 500}};
  EXPECT_THAT(Counted(samples, times), ElementsAre(90, 80, IsNan(), IsNan(), 5));
  EXPECT_THAT(Added(samples, times), ElementsAre(IsNan(), IsNan(), IsNan(), IsNan(), 50));
}

TEST(StepAmounts, NothingIsKnownAtTheEndOfASeries) {
  const SampleColumns samples =
      Samples({{0, 0}, {1000, 10}, {1500, StaleNan()}, {3000, 40}, {4000, 50}});
  const std::vector<TimeRange> times = {{500, 1000}, {500, 1200}, {500, 3500}, {3200, 3500}};
  EXPECT_THAT(Counted(samples, times), ElementsAre(5, IsNan(), 40, 3));
  EXPECT_THAT(Added(samples, times), ElementsAre(5, IsNan(), IsNan(), 15));
}

TEST(StepAmounts, ASampleThatIsNoNumberCoversNothing) {
  const SampleColumns samples = Samples({{0, 0}, {1000, NAN}, {2000, 20}, {3000, 30}});
  EXPECT_THAT(Counted(samples, {{500, 1500}, {0, 3000}}), ElementsAre(10, 30));
  EXPECT_THAT(Added(samples, {{500, 1500}, {1000, 3000}, {1200, 1700}}),
              ElementsAre(IsNan(), 50, 10));
}

// Against a sum over single milliseconds, with random samples and steps.
TEST(StepAmounts, StepsAddUpToTheWhole) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 50; ++round) {
    SampleColumns counter, rate;
    std::vector<double> counted_by_ms = {0}, added_by_ms = {0};  // up to each millisecond
    int64_t time_ms = 0;
    double value = static_cast<double>(random() % 100);
    counter.Append(0, value);
    rate.Append(0, 1);
    while (time_ms < 3000) {
      const auto length_ms = static_cast<int64_t>(1 + random() % 400);
      const double next = random() % 5 == 0 ? static_cast<double>(random() % 8)
                                            : value + static_cast<double>(random() % 100);
      const double grown = next < value ? next : next - value;
      const auto speed = static_cast<double>(random() % 700);
      for (int64_t ms = 0; ms < length_ms; ++ms) {
        counted_by_ms.push_back(counted_by_ms.back() + grown / static_cast<double>(length_ms));
        added_by_ms.push_back(added_by_ms.back() + speed / 1000);
      }
      time_ms += length_ms;
      value = next;
      counter.Append(time_ms, value);
      rate.Append(time_ms, speed);
    }
    std::vector<TimeRange> steps;
    for (int64_t from_ms = 0; from_ms < time_ms;) {
      const int64_t to_ms = std::min(time_ms, from_ms + static_cast<int64_t>(1 + random() % 250));
      steps.push_back({from_ms, to_ms});
      from_ms = to_ms;
    }
    const std::vector<double> counted = Counted(counter, steps);
    const std::vector<double> added = Added(rate, steps);
    for (size_t i = 0; i < steps.size(); ++i) {
      const auto from = static_cast<size_t>(steps[i].min_ms);
      const auto to = static_cast<size_t>(steps[i].max_ms);
      EXPECT_NEAR(counted[i], counted_by_ms[to] - counted_by_ms[from], 1e-6);
      EXPECT_NEAR(added[i], added_by_ms[to] - added_by_ms[from], 1e-6);
    }
  }
}

}  // namespace
}  // namespace lockstep::training
