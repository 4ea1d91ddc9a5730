// Functions over windows with native histograms, alone and among floats.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "query/engine/kernels/kernel_testing.h"
#include "query/engine/kernels/windows/window_functions.h"

namespace lockstep::engine {
namespace {

using promql::FunctionId;
using promql::RangeEdges;
using ::testing::DoubleEq;
using ::testing::ElementsAre;
using ::testing::Pointwise;

using ResultKind = WindowResult::Kind;

// Buckets (0.5,1], (1,2], (2,4].
Histogram Units(double scale, CounterResetHint hint = CounterResetHint::kUnknown) {
  return Make({.count = 6 * scale,
               .sum = 10 * scale,
               .positive = {0, {1 * scale, 2 * scale, 3 * scale}},
               .hint = hint});
}

Histogram CustomBuckets(double count) {
  return Make({.schema = kCustomBucketsSchema,
               .count = count,
               .sum = count,
               .positive = {0, {count}},
               .custom_values = {5}});
}

// How many units a histogram has; NaN if it is not one of Units().
double UnitsOf(const WindowResult& result) {
  if (result.kind != ResultKind::kHistogram) return std::nan("");
  const Histogram& histogram = *result.histogram;
  const double units = histogram.count / 6;
  EXPECT_DOUBLE_EQ(histogram.sum, 10 * units);
  if (units != 0) {
    EXPECT_THAT(histogram.positive_counts, Pointwise(DoubleEq(), {units, 2 * units, 3 * units}));
  }
  return units;
}

std::vector<AnnotationKind> Kinds(const Evaluated& evaluated) {
  std::vector<AnnotationKind> kinds;
  for (const Annotation& annotation : evaluated.annotations) kinds.push_back(annotation.kind);
  return kinds;
}

// Histograms with the times at which their counters began.
class StartedHistograms {
 public:
  StartedHistograms& Add(int64_t start_ms, int64_t timestamp_ms, const Histogram& histogram) {
    samples_.push_back({timestamp_ms, std::make_shared<const Histogram>(histogram), start_ms});
    return *this;
  }
  Window Over(int64_t range_start_ms, int64_t range_end_ms) const {
    Window window;
    window.histograms = samples_;
    window.range_start_ms = range_start_ms;
    window.range_end_ms = range_end_ms;
    return window;
  }

 private:
  std::vector<HistogramSample> samples_;
};

TEST(InstantHistogramTest, TakesTheLastTwo) {
  TestSeries series;
  series.Add(0, Units(1)).Add(10'000, Units(2)).Add(20'000, Units(5));
  const Evaluated rate = Evaluate(FunctionId::kIrate, series.Over(-1, 20'000));
  EXPECT_DOUBLE_EQ(UnitsOf(rate.result), 0.3);
  EXPECT_EQ(rate.result.histogram->reset_hint, CounterResetHint::kGauge);
  EXPECT_THAT(Kinds(rate), ElementsAre());
  const Evaluated delta = Evaluate(FunctionId::kIdelta, series.Over(-1, 20'000));
  EXPECT_DOUBLE_EQ(UnitsOf(delta.result), 3);
  EXPECT_THAT(Kinds(delta), ElementsAre(AnnotationKind::kNativeHistogramNotGauge));
}

TEST(InstantHistogramTest, AResetCounterCountsFromZero) {
  TestSeries series;
  series.Add(0, Units(5)).Add(10'000, Units(2));
  EXPECT_DOUBLE_EQ(UnitsOf(Evaluate(FunctionId::kIrate, series.Over(-1, 20'000)).result), 0.2);
  EXPECT_DOUBLE_EQ(UnitsOf(Evaluate(FunctionId::kIdelta, series.Over(-1, 20'000)).result), -3);
  // Also one that only its start time tells of.
  StartedHistograms restarted;
  restarted.Add(-5'000, 0, Units(2)).Add(5'000, 10'000, Units(5));
  EXPECT_DOUBLE_EQ(UnitsOf(Evaluate(FunctionId::kIrate, restarted.Over(-1, 20'000)).result), 0.5);
}

TEST(InstantHistogramTest, SaysWhichKindIsMeant) {
  const Histogram gauge = Units(1, CounterResetHint::kGauge);
  TestSeries gauges;
  gauges.Add(0, gauge).Add(10'000, gauge);
  EXPECT_THAT(Kinds(Evaluate(FunctionId::kIrate, gauges.Over(-1, 20'000))),
              ElementsAre(AnnotationKind::kNativeHistogramNotCounter));
  EXPECT_THAT(Kinds(Evaluate(FunctionId::kIdelta, gauges.Over(-1, 20'000))), ElementsAre());
  TestSeries last_is_gauge;
  last_is_gauge.Add(0, Units(1)).Add(10'000, gauge);
  TestSeries first_is_gauge;
  first_is_gauge.Add(0, gauge).Add(10'000, Units(1));
  for (const TestSeries* series : {&last_is_gauge, &first_is_gauge}) {
    EXPECT_THAT(Kinds(Evaluate(FunctionId::kIrate, series->Over(-1, 20'000))),
                ElementsAre(AnnotationKind::kNativeHistogramNotCounter));
    EXPECT_THAT(Kinds(Evaluate(FunctionId::kIdelta, series->Over(-1, 20'000))),
                ElementsAre(AnnotationKind::kNativeHistogramNotGauge));
  }
}

TEST(InstantHistogramTest, BucketsOfTwoFamiliesHaveNoDifference) {
  TestSeries series;
  series.Add(0, CustomBuckets(1)).Add(10'000, Units(2));
  const Evaluated delta = Evaluate(FunctionId::kIdelta, series.Over(-1, 20'000));
  EXPECT_EQ(delta.result.kind, ResultKind::kNone);
  EXPECT_THAT(Kinds(delta), ElementsAre(AnnotationKind::kNativeHistogramNotGauge,
                                        AnnotationKind::kMixedExponentialCustomHistograms));
}

TEST(InstantHistogramTest, TheLastTwoAreOfOneKind) {
  TestSeries histograms_last(0, 10'000, {1, 2});
  histograms_last.Add(20'000, Units(1)).Add(30'000, Units(2));
  EXPECT_DOUBLE_EQ(UnitsOf(Evaluate(FunctionId::kIrate, histograms_last.Over(-1, 30'000)).result),
                   0.1);
  TestSeries floats_last(20'000, 10'000, {1, 2});
  floats_last.Add(0, Units(1)).Add(10'000, Units(2));
  EXPECT_EQ(Evaluate(FunctionId::kIdelta, floats_last.Over(-1, 30'000)).result.value, 1);
  // The last is a float, the one before a histogram.
  TestSeries mixed(0, 30'000, {1, 2});
  mixed.Add(10'000, Units(1)).Add(20'000, Units(2));
  const Evaluated none = Evaluate(FunctionId::kIrate, mixed.Over(-1, 30'000));
  EXPECT_EQ(none.result.kind, ResultKind::kNone);
  EXPECT_THAT(Kinds(none), ElementsAre(AnnotationKind::kMixedFloatsHistograms));
  // One of each is two.
  TestSeries one_of_each(0, 1, {1});
  one_of_each.Add(10'000, Units(1));
  EXPECT_THAT(Kinds(Evaluate(FunctionId::kIrate, one_of_each.Over(-1, 30'000))),
              ElementsAre(AnnotationKind::kMixedFloatsHistograms));
  // Nothing passes between two at one time.
  TestSeries at_once(0, 1, {1});
  at_once.Add(0, Units(1));
  const Evaluated nothing = Evaluate(FunctionId::kIrate, at_once.Over(-1, 30'000));
  EXPECT_EQ(nothing.result.kind, ResultKind::kNone);
  EXPECT_THAT(Kinds(nothing), ElementsAre());
}

double CountOf(FunctionId id, const Window& window) {
  const Evaluated evaluated = Evaluate(id, window);
  return evaluated.result.kind == ResultKind::kFloat ? evaluated.result.value : -1;
}

TEST(ChangesOfHistogramsTest, CompareNeighbours) {
  TestSeries series;
  series.Add(0, Units(1)).Add(10, Units(1)).Add(20, Units(3)).Add(30, Units(2));
  EXPECT_EQ(CountOf(FunctionId::kChanges, series.Over(-1, 100)), 2);
  EXPECT_EQ(CountOf(FunctionId::kResets, series.Over(-1, 100)), 1);
  // Floats between them: 1, histogram, 2, histogram.
  TestSeries mixed(0, 20, {1, 2});
  mixed.Add(10, Units(1)).Add(30, Units(1));
  EXPECT_EQ(CountOf(FunctionId::kChanges, mixed.Over(-1, 100)), 3);
  EXPECT_EQ(CountOf(FunctionId::kResets, mixed.Over(-1, 100)), 3);
  TestSeries one;
  one.Add(0, Units(1));
  EXPECT_EQ(CountOf(FunctionId::kChanges, one.Over(-1, 100)), 0);
  StartedHistograms restarted;
  restarted.Add(-50, 0, Units(1)).Add(5, 10, Units(2));
  EXPECT_EQ(CountOf(FunctionId::kResets, restarted.Over(-1, 100)), 1);
}

// The first to compare is the newest at or before the start of the range, of either kind.
TEST(ChangesOfHistogramsTest, AnAnchorIsOfEitherKind) {
  TestSeries histogram_anchor(0, 10, {1, 2});  // at 0, 10
  histogram_anchor.Add(20, Units(1)).Add(40, Units(1));
  const Window from_histogram = histogram_anchor.Over(30, 50, RangeEdges::kAnchored);
  EXPECT_EQ(CountOf(FunctionId::kChanges, from_histogram), 0);
  TestSeries float_anchor(10, 10, {1, 2});  // at 10, 20
  float_anchor.Add(0, Units(1)).Add(40, Units(1));
  const Window from_float = float_anchor.Over(30, 50, RangeEdges::kAnchored);
  EXPECT_EQ(CountOf(FunctionId::kChanges, from_float), 1);
  EXPECT_EQ(CountOf(FunctionId::kResets, from_float), 1);
  // One at the start is the anchor.
  const TestSeries at_start(20, 10, {1, 2, 3});  // at 20, 30, 40
  EXPECT_EQ(CountOf(FunctionId::kChanges, at_start.Over(30, 50, RangeEdges::kAnchored)), 1);
  EXPECT_EQ(CountOf(FunctionId::kChanges, at_start.Over(31, 50, RangeEdges::kAnchored)), 1);
  EXPECT_EQ(CountOf(FunctionId::kChanges, at_start.Over(29, 50, RangeEdges::kAnchored)), 2);
  // Nothing is before the range, or nothing is in it.
  EXPECT_EQ(CountOf(FunctionId::kChanges, at_start.Over(0, 50, RangeEdges::kAnchored)), 2);
  EXPECT_EQ(CountOf(FunctionId::kChanges, at_start.Over(40, 50, RangeEdges::kAnchored)), -1);
  TestSeries only_histograms;
  only_histograms.Add(0, Units(1)).Add(10, Units(2)).Add(20, Units(3));
  EXPECT_EQ(CountOf(FunctionId::kChanges, only_histograms.Over(10, 50, RangeEdges::kAnchored)), 1);
  EXPECT_EQ(CountOf(FunctionId::kChanges, only_histograms.Over(20, 50, RangeEdges::kAnchored)), -1);
}

TEST(SampleChoiceTest, TheFirstAndTheLastAreOfEitherKind) {
  TestSeries float_first(1'000, 1'000, {7});
  float_first.Add(2'000, Units(1));
  const Window first = float_first.Over(0, 5'000);
  EXPECT_EQ(Evaluate(FunctionId::kFirstOverTime, first).result.value, 7);
  EXPECT_DOUBLE_EQ(UnitsOf(Evaluate(FunctionId::kLastOverTime, first).result), 1);
  EXPECT_EQ(CountOf(FunctionId::kTsOfFirstOverTime, first), 1);
  EXPECT_EQ(CountOf(FunctionId::kTsOfLastOverTime, first), 2);
  EXPECT_EQ(CountOf(FunctionId::kCountOverTime, first), 2);
  TestSeries histogram_first(2'000, 1'000, {7});
  histogram_first.Add(1'000, Units(1));
  const Window second = histogram_first.Over(0, 5'000);
  EXPECT_DOUBLE_EQ(UnitsOf(Evaluate(FunctionId::kFirstOverTime, second).result), 1);
  EXPECT_EQ(Evaluate(FunctionId::kLastOverTime, second).result.value, 7);
  EXPECT_EQ(CountOf(FunctionId::kTsOfFirstOverTime, second), 1);
  EXPECT_EQ(CountOf(FunctionId::kTsOfLastOverTime, second), 2);
  TestSeries only_histograms;
  only_histograms.Add(1'000, Units(1)).Add(3'000, Units(2));
  const Window third = only_histograms.Over(0, 5'000);
  EXPECT_DOUBLE_EQ(UnitsOf(Evaluate(FunctionId::kFirstOverTime, third).result), 1);
  EXPECT_DOUBLE_EQ(UnitsOf(Evaluate(FunctionId::kLastOverTime, third).result), 2);
  EXPECT_EQ(CountOf(FunctionId::kTsOfLastOverTime, third), 3);
}

TEST(HistogramsOverTimeTest, AreAddedAndAveraged) {
  TestSeries series;
  series.Add(0, Units(1)).Add(10, Units(2)).Add(20, Units(6));
  EXPECT_DOUBLE_EQ(UnitsOf(Evaluate(FunctionId::kSumOverTime, series.Over(-1, 100)).result), 9);
  EXPECT_DOUBLE_EQ(UnitsOf(Evaluate(FunctionId::kAvgOverTime, series.Over(-1, 100)).result), 3);
  for (const FunctionId id :
       {FunctionId::kMinOverTime, FunctionId::kStdvarOverTime, FunctionId::kStddevOverTime,
        FunctionId::kMadOverTime, FunctionId::kTsOfMaxOverTime, FunctionId::kDeriv}) {
    const Evaluated none = Evaluate(id, series.Over(-1, 100));
    EXPECT_EQ(none.result.kind, ResultKind::kNone);
    EXPECT_THAT(Kinds(none), ElementsAre());
  }
  EXPECT_EQ(Evaluate(FunctionId::kQuantileOverTime, series.Over(-1, 100), {2}).result.kind,
            ResultKind::kNone);
  series.Add(30, CustomBuckets(1));
  for (const FunctionId id : {FunctionId::kSumOverTime, FunctionId::kAvgOverTime}) {
    const Evaluated none = Evaluate(id, series.Over(-1, 100));
    EXPECT_EQ(none.result.kind, ResultKind::kNone);
    EXPECT_THAT(Kinds(none), ElementsAre(AnnotationKind::kMixedExponentialCustomHistograms));
  }
}

TEST(TrendTest, NeedsTwoFloats) {
  TestSeries one(0, 1'000, {1});
  one.Add(1'000, Units(1)).Add(2'000, Units(1));
  TestSeries two(0, 1'000, {1, 3});
  two.Add(2'000, Units(1));
  for (const FunctionId id :
       {FunctionId::kDeriv, FunctionId::kPredictLinear, FunctionId::kDoubleExponentialSmoothing}) {
    const Evaluated none = Evaluate(id, one.Over(-1, 2'000), {0.5, 0.5});
    EXPECT_EQ(none.result.kind, ResultKind::kNone);
    EXPECT_THAT(Kinds(none), ElementsAre(AnnotationKind::kHistogramIgnoredInMixedRange));
    const Evaluated some = Evaluate(id, two.Over(-1, 2'000), {0.5, 0.5});
    EXPECT_EQ(some.result.kind, ResultKind::kFloat);
    EXPECT_THAT(Kinds(some), ElementsAre(AnnotationKind::kHistogramIgnoredInMixedRange));
  }
}

TEST(HistogramStartTest, OneSampleIsEnoughWithAStartInside) {
  StartedHistograms one;
  one.Add(5'000, 10'000, Units(2));
  EXPECT_DOUBLE_EQ(UnitsOf(Evaluate(FunctionId::kIncrease, one.Over(0, 20'000)).result), 2);
  // But not with one before the range, or for a gauge.
  EXPECT_EQ(Evaluate(FunctionId::kIncrease, one.Over(6'000, 20'000)).result.kind,
            ResultKind::kNone);
  EXPECT_EQ(Evaluate(FunctionId::kDelta, one.Over(0, 20'000)).result.kind, ResultKind::kNone);
  // What was counted before the first sample is new, too.
  StartedHistograms two;
  two.Add(5'000, 10'000, Units(2)).Add(5'000, 20'000, Units(3));
  EXPECT_DOUBLE_EQ(UnitsOf(Evaluate(FunctionId::kIncrease, two.Over(0, 20'000)).result), 3);
}

TEST(HistogramStartTest, StartsShowHiddenResetsAndOverlaps) {
  StartedHistograms restarted;
  restarted.Add(-100'000, 0, Units(2)).Add(5'000, 10'000, Units(3)).Add(5'000, 20'000, Units(4));
  EXPECT_DOUBLE_EQ(UnitsOf(Evaluate(FunctionId::kIncrease, restarted.Over(0, 20'000)).result), 4);
  StartedHistograms overlapping;
  overlapping.Add(-100'000, 0, Units(2)).Add(-50'000, 10'000, Units(3));
  EXPECT_THAT(Kinds(Evaluate(FunctionId::kIncrease, overlapping.Over(0, 10'000))),
              ElementsAre(AnnotationKind::kOverlappingStartTime));
}

// A reset right after the first sample: its buckets do not matter, nor does their family.
TEST(HistogramIncreaseTest, AResetAfterTheFirstForgetsIt) {
  TestSeries series;
  series.Add(0, CustomBuckets(9)).Add(10'000, Units(1, CounterResetHint::kReset));
  series.Add(20'000, Units(3));
  const Evaluated increase = Evaluate(FunctionId::kIncrease, series.Over(0, 20'000));
  EXPECT_DOUBLE_EQ(UnitsOf(increase.result), 3);
  EXPECT_THAT(Kinds(increase), ElementsAre());
}

TEST(HistogramIncreaseTest, InnerHistogramsOfAnotherFamilyMatterToCounters) {
  TestSeries series;
  series.Add(0, Units(1, CounterResetHint::kGauge)).Add(10'000, CustomBuckets(9));
  series.Add(20'000, Units(3, CounterResetHint::kGauge));
  EXPECT_EQ(Evaluate(FunctionId::kIncrease, series.Over(0, 20'000)).result.kind, ResultKind::kNone);
  const Evaluated delta = Evaluate(FunctionId::kDelta, series.Over(0, 20'000));
  EXPECT_DOUBLE_EQ(UnitsOf(delta.result), 2);
  EXPECT_THAT(Kinds(delta), ElementsAre());
}

// Two buckets of schema 1 are one of schema 0. A finer schema is a reset.
TEST(HistogramIncreaseTest, IsOfTheCoarsestSchema) {
  const auto fine = [](double scale) {
    const double a = scale / 2;
    return Make({.schema = 1,
                 .count = 6 * scale,
                 .sum = 10 * scale,
                 .positive = {-1, {a, a, 2 * a, 2 * a, 3 * a, 3 * a}}});
  };
  TestSeries series;
  series.Add(0, fine(1)).Add(10'000, Units(3));
  EXPECT_DOUBLE_EQ(UnitsOf(Evaluate(FunctionId::kIncrease, series.Over(0, 10'000)).result), 2);
  TestSeries inner;
  inner.Add(0, fine(1)).Add(10'000, Units(2)).Add(20'000, fine(3));
  const Evaluated increase = Evaluate(FunctionId::kIncrease, inner.Over(0, 20'000));
  EXPECT_DOUBLE_EQ(UnitsOf(increase.result), 4);
  EXPECT_EQ(increase.result.histogram->schema, 0);
}

TEST(ExtendedHistogramTest, MeasuresBetweenTheEdges) {
  TestSeries series;
  for (int i = 0; i < 5; ++i) series.Add(i * 10'000, Units(i + 1));
  const auto rate = [&](FunctionId id, RangeEdges edges) {
    return Evaluate(id, series.Over(15'000, 35'000, edges));
  };
  // From 2 units at 10 s to 5 at the end, or to 4.5 on the line.
  EXPECT_DOUBLE_EQ(UnitsOf(rate(FunctionId::kIncrease, RangeEdges::kAnchored).result), 3);
  EXPECT_DOUBLE_EQ(UnitsOf(rate(FunctionId::kIncrease, RangeEdges::kSmoothed).result), 2);
  EXPECT_DOUBLE_EQ(UnitsOf(rate(FunctionId::kRate, RangeEdges::kSmoothed).result), 0.1);
  const Evaluated delta = rate(FunctionId::kDelta, RangeEdges::kSmoothed);
  EXPECT_DOUBLE_EQ(UnitsOf(delta.result), 2);
  EXPECT_EQ(delta.result.histogram->reset_hint, CounterResetHint::kGauge);
  EXPECT_THAT(Kinds(delta), ElementsAre(AnnotationKind::kNativeHistogramNotGauge));
}

TEST(ExtendedHistogramTest, ResetsAreMadeGood) {
  TestSeries series;
  series.Add(0, Units(5)).Add(10'000, Units(6)).Add(20'000, Units(2)).Add(30'000, Units(3));
  // Of the anchor 6 nothing is left at 20 s: 2 and then 1 are new.
  EXPECT_DOUBLE_EQ(
      UnitsOf(Evaluate(FunctionId::kIncrease, series.Over(15'000, 35'000, RangeEdges::kAnchored))
                  .result),
      3);
  // At 15 s the counter is on its way from 0 to 2.
  EXPECT_DOUBLE_EQ(
      UnitsOf(Evaluate(FunctionId::kIncrease, series.Over(15'000, 30'000, RangeEdges::kSmoothed))
                  .result),
      2);
  EXPECT_EQ(Evaluate(FunctionId::kIncrease, series.Over(30'000, 40'000, RangeEdges::kAnchored))
                .result.kind,
            ResultKind::kNone);
}

}  // namespace
}  // namespace lockstep::engine
