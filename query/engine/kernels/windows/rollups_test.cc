#include "query/engine/kernels/windows/rollups.h"

#include <gtest/gtest.h>

#include <cmath>

#include "query/engine/kernels/kernel_testing.h"

namespace lockstep::engine {
namespace {

using promql::FunctionId;

// A counter that restarts at the fourth sample, 1.5 s after the third.
TestSeries Counter() { return TestSeries(1000, 1000, {10, 14, 15}).Add(4500, 3).Add(5500, 3); }

double Rolled(FunctionId id, RollupStatistic statistic, const TestSeries& series) {
  AnnotationSink sink;
  const WindowFunction function = FindRollupFunction(id, statistic);
  const WindowResult result = function(series.Over(0, 6000), {{}, 6000, &sink});
  return result.kind == WindowResult::Kind::kFloat ? result.value : std::nan("");
}

struct Expected {
  FunctionId id;
  double min, max, avg;
};

TEST(RollupsTest, LowestHighestAndMean) {
  constexpr Expected kRows[] = {
      {FunctionId::kRollup, 3, 15, 9},                                // 10 14 15 3 3
      {FunctionId::kRollupDelta, -12, 4, -7.0 / 4},                   // 4 1 -12 0
      {FunctionId::kRollupIncrease, 0, 4, 2},                         // 4 1 3 0
      {FunctionId::kRollupDeriv, -8, 4, -3.0 / 4},                    // 4 1 -8 0
      {FunctionId::kRollupRate, 0, 4, (4 + 1 + 3 / 1.5 + 0.0) / 4}};  // 4 1 2 0
  for (const Expected& row : kRows) {
    EXPECT_DOUBLE_EQ(Rolled(row.id, RollupStatistic::kMin, Counter()), row.min);
    EXPECT_DOUBLE_EQ(Rolled(row.id, RollupStatistic::kMax, Counter()), row.max);
    EXPECT_DOUBLE_EQ(Rolled(row.id, RollupStatistic::kAvg, Counter()), row.avg);
  }
}

TEST(RollupsTest, OneSampleHasNoChange) {
  const TestSeries one(1000, 1000, {7});
  EXPECT_EQ(Rolled(FunctionId::kRollup, RollupStatistic::kMax, one), 7);
  EXPECT_TRUE(std::isnan(Rolled(FunctionId::kRollupDelta, RollupStatistic::kMax, one)));
  EXPECT_TRUE(std::isnan(Rolled(FunctionId::kRollupRate, RollupStatistic::kAvg, one)));
}

TEST(RollupsTest, ExtremesAreNaNOnlyIfNothingElseIs) {
  const TestSeries series(1000, 1000, {std::nan(""), 2, std::nan(""), 1});
  EXPECT_EQ(Rolled(FunctionId::kRollup, RollupStatistic::kMin, series), 1);
  EXPECT_EQ(Rolled(FunctionId::kRollup, RollupStatistic::kMax, series), 2);
}

TEST(RollupsTest, HistogramsAreLeftOutWithAnInfo) {
  TestSeries series(1000, 1000, {1, 2});
  series.Add(3000, Make({.count = 1}));
  AnnotationSink sink;
  const auto result = FindRollupFunction(FunctionId::kRollup, RollupStatistic::kMax)(
      series.Over(0, 6000), {{}, 6000, &sink});
  EXPECT_EQ(result.value, 2);
  ASSERT_FALSE(sink.empty());
  EXPECT_EQ(sink.Take().front().kind, AnnotationKind::kHistogramIgnoredInMixedRange);
}

double Increased(const TestSeries& series, int64_t start_ms, int64_t end_ms) {
  return Evaluate(FunctionId::kIncreasePure,
                  series.Over(start_ms, end_ms, promql::RangeEdges::kAnchored))
      .result.value;
}

TEST(RollupsTest, IncreasePure) {
  // From the sample at the start, across the restart.
  EXPECT_EQ(Increased(Counter(), 2000, 6000), 1 + 3);
  // Without an earlier sample: from 0.
  EXPECT_EQ(Increased(Counter(), 0, 6000), 15 + 3);
  // Nothing new in the range.
  EXPECT_EQ(Increased(Counter(), 6000, 7000), 0);
}

}  // namespace
}  // namespace lockstep::engine
