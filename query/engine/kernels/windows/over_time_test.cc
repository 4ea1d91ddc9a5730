#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "query/engine/kernels/kernel_testing.h"
#include "query/engine/kernels/numbers/constants.h"

namespace lockstep::engine {
namespace {

using promql::FunctionId;

struct Row {
  FunctionId id;
  std::vector<double> values;  // one second apart, the first at 1 s
  double expected;
  std::vector<double> params = {};
};

void Check(const Row& row) {
  const TestSeries series(1000, 1000, row.values);
  const Evaluated evaluated = Evaluate(row.id, series.Over(0, 100'000), row.params, 10'000);
  ASSERT_EQ(evaluated.result.kind, WindowResult::Kind::kFloat);
  if (std::isnan(row.expected)) {
    EXPECT_TRUE(std::isnan(evaluated.result.value));
  } else {
    EXPECT_DOUBLE_EQ(evaluated.result.value, row.expected);
  }
}

TEST(OverTimeTest, ComputesByHandValues) {
  const double max = std::numeric_limits<double>::max();
  const Row rows[] = {
      {FunctionId::kSumOverTime, {1, 2, 3}, 6},
      {FunctionId::kSumOverTime, {1e100, 1, -1e100}, 1},  // lost without compensation
      {FunctionId::kSumOverTime, {kInfinity, 1}, kInfinity},
      {FunctionId::kSumOverTime, {kInfinity, -kInfinity}, kNan},
      {FunctionId::kAvgOverTime, {1, 2, 6}, 3},
      {FunctionId::kAvgOverTime, {max, max, max}, max},  // the sum alone would overflow
      {FunctionId::kAvgOverTime, {max, -max, max, -max}, 0},
      {FunctionId::kAvgOverTime, {kInfinity, 5}, kInfinity},
      {FunctionId::kAvgOverTime, {kNan, 5}, kNan},
      {FunctionId::kCountOverTime, {1, kNan, 3}, 3},
      {FunctionId::kPresentOverTime, {7}, 1},
      {FunctionId::kMinOverTime, {3, 1, 2}, 1},
      {FunctionId::kMaxOverTime, {3, kNan, 4, kNan}, 4},
      {FunctionId::kMaxOverTime, {kNan, kNan}, kNan},
      {FunctionId::kMinOverTime, {kNan, 5}, 5},
      {FunctionId::kTsOfMaxOverTime, {3, 9, 9, 1}, 3},  // the later of two equal values
      {FunctionId::kTsOfMinOverTime, {3, 1, 1, 9}, 3},
      {FunctionId::kTsOfMinOverTime, {kNan, kNan}, 2},
      {FunctionId::kTsOfFirstOverTime, {1, 2, 3}, 1},
      {FunctionId::kTsOfLastOverTime, {1, 2, 3}, 3},
      {FunctionId::kFirstOverTime, {4, 5}, 4},
      {FunctionId::kLastOverTime, {4, 5}, 5},
      {FunctionId::kStdvarOverTime, {2, 4, 4, 4, 5, 5, 7, 9}, 4},
      {FunctionId::kStddevOverTime, {2, 4, 4, 4, 5, 5, 7, 9}, 2},
      {FunctionId::kStdvarOverTime, {1.5990505637277868, 1.5990505637277868}, 0},
      {FunctionId::kQuantileOverTime, {4, 1, 3, 2}, 2.5, {0.5}},
      {FunctionId::kQuantileOverTime, {4, 1, 3, 2}, 1.75, {0.25}},
      {FunctionId::kQuantileOverTime, {0, 1}, -kInfinity, {-1}},
      {FunctionId::kQuantileOverTime, {0, 1}, kInfinity, {1.1}},
      {FunctionId::kQuantileOverTime, {0, 1}, kNan, {kNan}},
      {FunctionId::kQuantileOverTime, {2, kNan, 4}, 2, {0.5}},  // NaN is the lowest
      {FunctionId::kMadOverTime, {4, 6, 2, 1, 999, 1, 2}, 1},
      {FunctionId::kMadOverTime, {1, kNan}, kNan},
      {FunctionId::kMadOverTime, {1, 2, 3, 4, kNan, 5}, kNan},
      {FunctionId::kDeriv, {0, 10, 20, 30}, 10},
      {FunctionId::kDeriv, {5, 5, 5}, 0},
      {FunctionId::kDeriv, {kInfinity, kInfinity}, kNan},
      // y = 10 t - 10 at evaluation time 10 s plus 5 s.
      {FunctionId::kPredictLinear, {0, 10, 20, 30}, 140, {5}},
      // Level 1, trend 2; then level (3 + (1+2))/2 = 3; then trend ((3-1) + 2)/2 = 2 and level
      // (8 + (3+2))/2.
      {FunctionId::kDoubleExponentialSmoothing, {1, 3, 8}, 6.5, {0.5, 0.5}},
  };
  for (const Row& row : rows) Check(row);
}

TEST(OverTimeTest, FunctionsOfFloatsIgnoreHistogramsBesideThem) {
  TestSeries mixed(1000, 1000, {1, 2});
  mixed.Add(5000, Make({.count = 1}));
  TestSeries histograms;
  histograms.Add(1000, Make({.count = 1})).Add(2000, Make({.count = 2}));
  for (const FunctionId id :
       {FunctionId::kMinOverTime, FunctionId::kMaxOverTime, FunctionId::kStddevOverTime,
        FunctionId::kStdvarOverTime, FunctionId::kQuantileOverTime, FunctionId::kMadOverTime,
        FunctionId::kTsOfMaxOverTime, FunctionId::kDeriv, FunctionId::kPredictLinear,
        FunctionId::kDoubleExponentialSmoothing}) {
    const Evaluated with_floats = Evaluate(id, mixed.Over(0, 10'000), {0.5, 0.5});
    EXPECT_EQ(with_floats.result.kind, WindowResult::Kind::kFloat);
    ASSERT_EQ(with_floats.annotations.size(), 1u);
    EXPECT_EQ(with_floats.annotations[0].kind, AnnotationKind::kHistogramIgnoredInMixedRange);
    const Evaluated without = Evaluate(id, histograms.Over(0, 10'000), {0.5, 0.5});
    EXPECT_EQ(without.result.kind, WindowResult::Kind::kNone);
    EXPECT_TRUE(without.annotations.empty());
  }
}

TEST(OverTimeTest, SumAndAverageOfHistograms) {
  TestSeries series;
  series.Add(1000, Make({.count = 4, .sum = 6, .positive = {0, {4}}}))
      .Add(2000, Make({.count = 2, .sum = 8, .positive = {1, {2}}}));
  const Evaluated sum = Evaluate(FunctionId::kSumOverTime, series.Over(0, 10'000));
  ASSERT_EQ(sum.result.kind, WindowResult::Kind::kHistogram);
  EXPECT_EQ(sum.result.histogram->count, 6);
  EXPECT_EQ(sum.result.histogram->positive_counts, (std::vector<double>{4, 2}));
  const Evaluated mean = Evaluate(FunctionId::kAvgOverTime, series.Over(0, 10'000));
  EXPECT_EQ(mean.result.histogram->sum, 7);
  EXPECT_EQ(mean.result.histogram->positive_counts, (std::vector<double>{2, 1}));
}

TEST(OverTimeTest, SumDropsAMixOfKinds) {
  TestSeries mixed(1000, 1000, {1, 2});
  mixed.Add(5000, Make({.count = 1}));
  for (const FunctionId id : {FunctionId::kSumOverTime, FunctionId::kAvgOverTime}) {
    const Evaluated evaluated = Evaluate(id, mixed.Over(0, 10'000));
    EXPECT_EQ(evaluated.result.kind, WindowResult::Kind::kNone);
    ASSERT_EQ(evaluated.annotations.size(), 1u);
    EXPECT_EQ(evaluated.annotations[0].kind, AnnotationKind::kMixedFloatsHistograms);
  }
}

TEST(OverTimeTest, FirstAndLastTakeEitherKind) {
  TestSeries series(2000, 1000, {1, 2});
  series.Add(1000, Make({.count = 7})).Add(5000, Make({.count = 9}));
  const Window window = series.Over(0, 10'000);
  EXPECT_EQ(Evaluate(FunctionId::kFirstOverTime, window).result.histogram->count, 7);
  EXPECT_EQ(Evaluate(FunctionId::kLastOverTime, window).result.histogram->count, 9);
  EXPECT_EQ(Evaluate(FunctionId::kTsOfFirstOverTime, window).result.value, 1);
  EXPECT_EQ(Evaluate(FunctionId::kTsOfLastOverTime, window).result.value, 5);
  EXPECT_EQ(Evaluate(FunctionId::kCountOverTime, window).result.value, 4);
}

TEST(OverTimeTest, QuantileWarnsOfItsParameter) {
  const TestSeries series(1000, 1000, {1, 2});
  const Evaluated evaluated =
      Evaluate(FunctionId::kQuantileOverTime, series.Over(0, 10'000), {1.5});
  ASSERT_EQ(evaluated.annotations.size(), 1u);
  EXPECT_EQ(evaluated.annotations[0].kind, AnnotationKind::kInvalidQuantile);
  EXPECT_EQ(evaluated.annotations[0].number, 1.5);
}

TEST(OverTimeTest, SmoothingFactorsAreChecked) {
  const auto check = [](std::vector<double> params) {
    return std::string(Message(CheckWindowParams(FunctionId::kDoubleExponentialSmoothing, params)));
  };
  EXPECT_EQ(check({0.5, 0.5}), "");
  EXPECT_EQ(check({0, 0.5}), "invalid smoothing factor. Expected: 0 < sf < 1, got: 0.000000");
  EXPECT_EQ(check({0.5, 1}), "invalid trend factor. Expected: 0 < tf < 1, got: 1.000000");
}

TEST(OverTimeTest, CounterNames) {
  for (const char* name : {"a_total", "a_sum", "a_count", "a_bucket"}) {
    EXPECT_TRUE(LooksLikeCounterName(name));
  }
  EXPECT_FALSE(LooksLikeCounterName("a"));
  EXPECT_FALSE(LooksLikeCounterName("total"));
}

}  // namespace
}  // namespace lockstep::engine
