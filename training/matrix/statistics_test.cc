#include "training/matrix/statistics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "training/matrix/rank_matrix.h"

namespace lockstep::training {
namespace {

TEST(Statistics, MediansLeaveUnknownOut) {
  struct Case {
    std::vector<double> values;
    double median;
    double mean;
  };
  const Case cases[] = {
      {{3, 1, 2}, 2, 2}, {{4, 1, 2, 9}, 3, 4}, {{kUnknown, 5, kUnknown}, 5, 5}, {{1, 7}, 4, 4}};
  for (const Case& c : cases) {
    EXPECT_EQ(Median(c.values), c.median);
    EXPECT_EQ(Mean(c.values), c.mean);
  }
  EXPECT_TRUE(std::isnan(Median({})));
  EXPECT_TRUE(std::isnan(Mean(std::vector{kUnknown})));
}

std::vector<std::vector<double>> ManyValues() {
  std::mt19937 random(7);
  std::normal_distribution<double> noise;
  std::vector<std::vector<double>> all;
  for (const size_t count : {1, 2, 3, 255, 256, 257, 1024, 4097}) {
    std::vector<double> values(count);
    for (double& value : values) value = noise(random);
    all.push_back(values);
    std::ranges::sort(values);
    all.push_back(values);
    for (double& value : values) value = std::round(value);
    all.push_back(values);
    // What the sample sees differs from the rest.
    for (size_t i = 0; i < 64; ++i) values[i * count / 64] = 1000 + static_cast<double>(i);
    all.push_back(values);
    all.emplace_back(count, 3.0);
  }
  all.push_back({-INFINITY, 1, INFINITY});
  return all;
}

TEST(Statistics, TheMiddleAndItsNeighbours) {
  for (std::vector<double> values : ManyValues()) {
    std::vector<double> sorted = values;
    std::ranges::sort(sorted);
    const size_t half = sorted.size() / 2;
    const double median =
        sorted.size() % 2 == 1 ? sorted[half] : (sorted[half] + sorted[half - 1]) / 2;
    EXPECT_EQ(Median(values), median);
    const Middle middle = MiddleInPlace(values);
    EXPECT_EQ(middle.at, sorted[half]);
    EXPECT_EQ(std::isnan(middle.before), half == 0);
    EXPECT_EQ(std::isnan(middle.after), half + 1 == sorted.size());
    if (half > 0) {
      EXPECT_EQ(middle.before, sorted[half - 1]);
    }
    if (half + 1 < sorted.size()) {
      EXPECT_EQ(middle.after, sorted[half + 1]);
    }
  }
}

TEST(Statistics, QuantilesAreLinearBetweenNeighbours) {
  const std::vector<double> values = {40, 10, kUnknown, 20, 30};
  EXPECT_EQ(Quantile(values, 0), 10);
  EXPECT_EQ(Quantile(values, 0.5), 25);
  EXPECT_EQ(Quantile(values, 1), 40);
}

TEST(Statistics, AQuantileBetweenTwoValues) {
  EXPECT_DOUBLE_EQ(Quantile(std::vector<double>{10, 20, 30, 40, 50}, 0.3), 22);
  EXPECT_EQ(Quantile(std::vector<double>{10}, 0.7), 10);
  EXPECT_TRUE(std::isnan(Quantile({}, 0.5)));
}

TEST(Statistics, RobustDeviationIsAMultipleOfTheMedianDistance) {
  // The distances from the median, 3, are 2, 1, 0, 1 and 97.
  EXPECT_DOUBLE_EQ(RobustDeviation(std::vector<double>{1, 2, 3, 4, 100, kUnknown}), 1.4826);
  EXPECT_TRUE(std::isnan(RobustDeviation({})));
}

TEST(Statistics, AMedianIsLessCertainThanAMean) {
  // sqrt(pi / 2) * 2 / sqrt(16).
  EXPECT_NEAR(MedianError(2, 16), std::sqrt(std::acos(-1) / 2) / 2, 1e-4);
}

TEST(Statistics, RunningMedianOfNothingIsNothing) { EXPECT_TRUE(RunningMedian({}, 5).empty()); }

TEST(Statistics, RobustDeviationIsThatOfNormalValues) {
  std::mt19937 random(3);
  std::normal_distribution<double> normal(7, 2);
  std::vector<double> values(20001);
  for (double& value : values) value = normal(random);
  EXPECT_NEAR(RobustDeviation(values), 2, 0.05);
  // 10 % of outliers change it little; they would raise a plain deviation to hundreds.
  for (size_t i = 0; i < values.size(); i += 10) values[i] = 1000;
  EXPECT_NEAR(RobustDeviation(values), 2, 0.4);
}

TEST(Statistics, RunningMedianIsThatOfEachWindow) {
  std::mt19937 random(4);
  std::uniform_int_distribution<int> digit(0, 9);
  for (size_t count = 1; count < 30; ++count) {
    std::vector<double> values(count);
    for (double& value : values) value = digit(random);
    for (size_t window = 1; window < 12; ++window) {
      const std::vector<double> medians = RunningMedian(values, window);
      const size_t width = std::min(window, count);
      for (size_t i = 0; i < count; ++i) {
        const size_t before = std::min(i, width / 2);
        const size_t first = std::min(i - before, count - width);
        EXPECT_EQ(medians[i], Median(std::span(values).subspan(first, width)));
      }
    }
  }
}

}  // namespace
}  // namespace lockstep::training
