// rate, increase, delta, irate, idelta, resets, changes. Expectations are computed by hand from the
// rule in each name.
#include "query/engine/kernels/windows/counter_rate.h"

#include <gmock/gmock.h>

#include <cmath>

#include "query/engine/kernels/kernel_testing.h"

namespace lockstep::engine {
namespace {

using promql::FunctionId;
using promql::RangeEdges;

double Value(FunctionId id, const Window& window) {
  const Evaluated evaluated = Evaluate(id, window);
  EXPECT_EQ(evaluated.result.kind, WindowResult::Kind::kFloat);
  return evaluated.result.value;
}

TEST(CounterRateTest, ReachesBothEdgesWhenSamplesAreNear) {
  // 0, 10, .. 100 every 10 s in (0, 100 s]: the first sample in the window is at 10 s.
  const TestSeries series(10'000, 10'000, {10, 20, 30, 40, 50, 60, 70, 80, 90, 100});
  EXPECT_DOUBLE_EQ(Value(FunctionId::kIncrease, series.Over(0, 100'000)), 100);
  EXPECT_DOUBLE_EQ(Value(FunctionId::kRate, series.Over(0, 100'000)), 1);
  EXPECT_DOUBLE_EQ(Value(FunctionId::kDelta, series.Over(0, 100'000)), 100);
}

TEST(CounterRateTest, GoesHalfAnIntervalWhenTheEdgeIsFar) {
  // Samples at 50, 60 s: 10 s apart, 50 s and 40 s from the edges; 5 s are added at both.
  const TestSeries series(50'000, 10'000, {1000, 1010});
  EXPECT_DOUBLE_EQ(Value(FunctionId::kIncrease, series.Over(0, 100'000)), 20);
  // The same for a gauge; the zero rule does not apply this far from 0.
  EXPECT_DOUBLE_EQ(Value(FunctionId::kDelta, series.Over(0, 100'000)), 20);
}

TEST(CounterRateTest, StopsWhereTheCounterWouldBeZero) {
  // At 1 per second the counter was 0 only 2 s before the first sample.
  const TestSeries series(50'000, 10'000, {2, 12});
  EXPECT_DOUBLE_EQ(Value(FunctionId::kIncrease, series.Over(0, 60'000)), 12);
  EXPECT_DOUBLE_EQ(Value(FunctionId::kDelta, series.Over(0, 60'000)), 15);
}

TEST(CounterRateTest, MakesResetsGood) {
  // Increases of 10, 10, 5 (after the reset to 5) and 10; no extrapolation.
  const TestSeries series(0, 10'000, {100, 110, 120, 5, 15});
  EXPECT_DOUBLE_EQ(Value(FunctionId::kIncrease, series.Over(0, 40'000)), 35);
  EXPECT_DOUBLE_EQ(Value(FunctionId::kDelta, series.Over(0, 40'000)), -85);
  EXPECT_DOUBLE_EQ(Value(FunctionId::kResets, series.Over(0, 40'000)), 1);
  EXPECT_DOUBLE_EQ(Value(FunctionId::kChanges, series.Over(0, 40'000)), 4);
}

TEST(CounterRateTest, NeedsTwoSamplesOfOneKind) {
  const TestSeries one(10'000, 1, {5});
  EXPECT_EQ(Evaluate(FunctionId::kRate, one.Over(0, 20'000)).result.kind,
            WindowResult::Kind::kNone);
  TestSeries mixed(10'000, 1000, {5, 6});
  mixed.Add(15'000, Make({.count = 1}));
  const Evaluated evaluated = Evaluate(FunctionId::kRate, mixed.Over(0, 20'000));
  EXPECT_EQ(evaluated.result.kind, WindowResult::Kind::kNone);
  ASSERT_EQ(evaluated.annotations.size(), 1u);
  EXPECT_EQ(evaluated.annotations[0].kind, AnnotationKind::kMixedFloatsHistograms);
}

TEST(CounterRateTest, StartTimestampsShowHiddenResets) {
  const TestSeries series(10'000, 10'000, {5, 8});
  Window window = series.Over(0, 20'000);
  // Both are from one run that started long ago: 3 over 10 s, and 10 s to the left edge, which the
  // zero rule allows.
  const std::vector<int64_t> one_run = {-100'000, -100'000};
  window.start_timestamps_ms = one_run;
  EXPECT_DOUBLE_EQ(Value(FunctionId::kIncrease, window), 6);
  // The second sample's run began after the first sample, so all of its 8 are new.
  const std::vector<int64_t> two_runs = {-100'000, 15'000};
  window.start_timestamps_ms = two_runs;
  EXPECT_DOUBLE_EQ(Value(FunctionId::kIrate, window), 0.8);
  EXPECT_DOUBLE_EQ(Value(FunctionId::kResets, window), 1);
  // A run that starts inside the window starts from 0 there, so there is no extrapolation to the
  // left.
  const std::vector<int64_t> inside = {4'000, 4'000};
  window.start_timestamps_ms = inside;
  EXPECT_DOUBLE_EQ(Value(FunctionId::kIncrease, window), 8);
}

TEST(CounterRateTest, OneSampleIsEnoughWithAStartInside) {
  const TestSeries series(10'000, 1, {5});
  Window window = series.Over(0, 20'000);
  const std::vector<int64_t> starts = {5'000};
  window.start_timestamps_ms = starts;
  EXPECT_DOUBLE_EQ(Value(FunctionId::kIncrease, window), 5);
}

TEST(CounterRateTest, OverlappingStartsAreReported) {
  const TestSeries series(10'000, 10'000, {5, 8});
  Window window = series.Over(0, 20'000);
  const std::vector<int64_t> starts = {2'000, 4'000};
  window.start_timestamps_ms = starts;
  const Evaluated evaluated = Evaluate(FunctionId::kRate, window);
  ASSERT_EQ(evaluated.annotations.size(), 1u);
  EXPECT_EQ(evaluated.annotations[0].kind, AnnotationKind::kOverlappingStartTime);
}

TEST(CounterRateTest, StartTimeRules) {
  EXPECT_FALSE(RestartedByStartTime({0, 100}, {0, 200}));    // unknown
  EXPECT_FALSE(RestartedByStartTime({0, 100}, {200, 200}));  // at the sample itself
  EXPECT_FALSE(RestartedByStartTime({50, 100}, {50, 200}));  // one run
  EXPECT_TRUE(RestartedByStartTime({50, 100}, {150, 200}));  // a later run
  EXPECT_TRUE(RestartedByStartTime({50, 100}, {100, 200}));  // deltas
  EXPECT_FALSE(RestartedByStartTime({0, 100}, {100, 200}));  // cumulative, start unknown
  EXPECT_FALSE(RestartedByStartTime({100, 100}, {100, 200}));
}

TEST(InstantRateTest, TakesTheLastTwoSamples) {
  const TestSeries series(0, 10'000, {100, 1, 31});
  EXPECT_DOUBLE_EQ(Value(FunctionId::kIrate, series.Over(-1, 20'000)), 3);
  EXPECT_DOUBLE_EQ(Value(FunctionId::kIdelta, series.Over(-1, 20'000)), 30);
  const TestSeries reset(0, 10'000, {100, 40});
  EXPECT_DOUBLE_EQ(Value(FunctionId::kIrate, reset.Over(-1, 20'000)), 4);
  EXPECT_DOUBLE_EQ(Value(FunctionId::kIdelta, reset.Over(-1, 20'000)), -60);
}

TEST(InstantRateTest, ReportsAMixOfKinds) {
  TestSeries series(0, 10'000, {1, 2});
  series.Add(15'000, Make({.count = 1}));
  const Evaluated evaluated = Evaluate(FunctionId::kIrate, series.Over(-1, 20'000));
  EXPECT_EQ(evaluated.result.kind, WindowResult::Kind::kNone);
  ASSERT_EQ(evaluated.annotations.size(), 1u);
  EXPECT_EQ(evaluated.annotations[0].kind, AnnotationKind::kMixedFloatsHistograms);
}

TEST(ChangesTest, NanIsEqualToNanAndKindsDiffer) {
  const double nan = std::nan("");
  TestSeries series(0, 1000, {1, nan, nan, 1});
  series.Add(10'000, Make({.count = 1}));
  EXPECT_DOUBLE_EQ(Value(FunctionId::kChanges, series.Over(-1, 20'000)), 3);
  EXPECT_DOUBLE_EQ(Value(FunctionId::kResets, series.Over(-1, 20'000)), 1);
}

TEST(ExtendedEdgesTest, AnchoredMeasuresFromTheSampleBeforeTheRange) {
  // 0 10 20 30 40 at 0 10 20 30 40 s, range (15 s, 35 s]: from 10 (at 10 s) to 30 (at 30 s).
  const TestSeries series(0, 10'000, {0, 10, 20, 30});
  const Window window = series.Over(15'000, 35'000, RangeEdges::kAnchored);
  EXPECT_DOUBLE_EQ(Value(FunctionId::kIncrease, window), 20);
  EXPECT_DOUBLE_EQ(Value(FunctionId::kRate, window), 1);
  EXPECT_DOUBLE_EQ(Value(FunctionId::kChanges, window), 2);
}

TEST(ExtendedEdgesTest, AnchoredCountsResets) {
  const TestSeries series(0, 10'000, {50, 60, 5, 7});
  const Window window = series.Over(15'000, 35'000, RangeEdges::kAnchored);
  EXPECT_DOUBLE_EQ(Value(FunctionId::kIncrease, window), 7);
  EXPECT_DOUBLE_EQ(Value(FunctionId::kDelta, window), -53);
  EXPECT_DOUBLE_EQ(Value(FunctionId::kResets, window), 1);
}

TEST(ExtendedEdgesTest, SmoothedDrawsLinesAtTheEdges) {
  // At 15 s the line is at 15, at 35 s at 35.
  const TestSeries series(0, 10'000, {0, 10, 20, 30, 40});
  EXPECT_DOUBLE_EQ(Value(FunctionId::kIncrease, series.Over(15'000, 35'000, RangeEdges::kSmoothed)),
                   20);
  // Across a reset at the left edge the line starts from 0: 2 at 15 s, then 4, 14, and 19 at 35 s.
  const TestSeries reset(0, 10'000, {50, 60, 4, 14, 24});
  EXPECT_DOUBLE_EQ(Value(FunctionId::kIncrease, reset.Over(15'000, 35'000, RangeEdges::kSmoothed)),
                   17);
}

TEST(ExtendedEdgesTest, NothingWithoutASampleInside) {
  const TestSeries series(0, 10'000, {1, 2});
  for (const RangeEdges edges : {RangeEdges::kAnchored, RangeEdges::kSmoothed}) {
    EXPECT_EQ(Evaluate(FunctionId::kRate, series.Over(20'000, 30'000, edges)).result.kind,
              WindowResult::Kind::kNone);
  }
}

// A series whose custom bounds changed inside the range; the result is Prometheus' to the bit.
TEST(ExtendedEdgesTest, SmoothedRoundsHistogramsAfterEachCount) {
  const auto with_bounds = [](std::vector<double> bounds, std::vector<double> counts) {
    return Make({.schema = kCustomBucketsSchema,
                 .positive = {0, std::move(counts)},
                 .custom_values = std::move(bounds)});
  };
  TestSeries series;
  series.Add(1'800'137, with_bounds({-1, 0, 1, 5}, {202, 68.25, 55.75, 32.5, 68.25}))
      .Add(1'830'137, with_bounds({-1, 0, 1, 5}, {204.25, 68.25, 56.25, 32.5, 68.25}))
      .Add(2'100'137, with_bounds({1}, {192.75, 199.5}))
      .Add(2'130'137, with_bounds({1}, {196.5, 199.5}));
  const Evaluated delta =
      Evaluate(FunctionId::kDelta, series.Over(1'820'000, 2'120'000, RangeEdges::kSmoothed));
  ASSERT_EQ(delta.result.kind, WindowResult::Kind::kHistogram);
  EXPECT_THAT(delta.result.histogram->positive_counts, testing::ElementsAre(-132.5879, 98.75));
}

// Buckets (0.5,1], (1,2], (2,4].
Histogram Counter(double scale) {
  return Make({.schema = 0,
               .count = 6 * scale,
               .sum = 10 * scale,
               .positive = {0, {1 * scale, 2 * scale, 3 * scale}}});
}

TEST(HistogramRateTest, EveryFieldIsExtrapolatedAlike) {
  TestSeries series;
  for (int i = 1; i <= 10; ++i) series.Add(i * 10'000, Counter(i));
  const Evaluated evaluated = Evaluate(FunctionId::kRate, series.Over(0, 100'000));
  ASSERT_EQ(evaluated.result.kind, WindowResult::Kind::kHistogram);
  const Histogram& rate = *evaluated.result.histogram;
  EXPECT_EQ(rate.reset_hint, CounterResetHint::kGauge);
  EXPECT_DOUBLE_EQ(rate.count, 0.6);
  EXPECT_DOUBLE_EQ(rate.sum, 1.0);
  EXPECT_THAT(rate.positive_counts, testing::Pointwise(testing::DoubleEq(), {0.1, 0.2, 0.3}));
  EXPECT_TRUE(evaluated.annotations.empty());
}

TEST(HistogramRateTest, ResetsAreMadeGood) {
  TestSeries series;
  series.Add(0, Counter(4)).Add(10'000, Counter(6)).Add(20'000, Counter(1));
  const Evaluated evaluated = Evaluate(FunctionId::kIncrease, series.Over(0, 20'000));
  ASSERT_EQ(evaluated.result.kind, WindowResult::Kind::kHistogram);
  EXPECT_DOUBLE_EQ(evaluated.result.histogram->count, 18);  // 2 + 1 units of 6
}

TEST(HistogramRateTest, GaugesAndBucketFamiliesAreReported) {
  TestSeries gauges;
  Histogram gauge = Counter(1);
  gauge.reset_hint = CounterResetHint::kGauge;
  gauges.Add(0, gauge).Add(10'000, gauge);
  EXPECT_EQ(Evaluate(FunctionId::kRate, gauges.Over(0, 10'000)).annotations.at(0).kind,
            AnnotationKind::kNativeHistogramNotCounter);
  EXPECT_TRUE(Evaluate(FunctionId::kDelta, gauges.Over(0, 10'000)).annotations.empty());

  TestSeries counters;
  counters.Add(0, Counter(1)).Add(10'000, Counter(2));
  EXPECT_EQ(Evaluate(FunctionId::kDelta, counters.Over(0, 10'000)).annotations.at(0).kind,
            AnnotationKind::kNativeHistogramNotGauge);

  TestSeries families;
  families.Add(0, gauge).Add(10'000, Make({.schema = kCustomBucketsSchema,
                                           .count = 9,
                                           .sum = 1,
                                           .positive = {0, {9}},
                                           .custom_values = {5},
                                           .hint = CounterResetHint::kNotReset}));
  const Evaluated evaluated = Evaluate(FunctionId::kDelta, families.Over(0, 10'000));
  EXPECT_EQ(evaluated.result.kind, WindowResult::Kind::kNone);
  EXPECT_EQ(evaluated.annotations.at(0).kind, AnnotationKind::kMixedExponentialCustomHistograms);
}

}  // namespace
}  // namespace lockstep::engine
