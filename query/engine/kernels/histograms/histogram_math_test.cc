#include "query/engine/kernels/histograms/histogram_math.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "query/engine/kernels/histograms/histogram_accumulator.h"
#include "query/engine/kernels/kernel_testing.h"

namespace lockstep::engine {
namespace {

using testing::ElementsAre;

MATCHER_P2(Span, offset, length, "") {
  return arg.offset == offset && arg.length == static_cast<uint32_t>(length);
}

Histogram WithBounds(std::vector<double> bounds, std::vector<double> counts) {
  double count = 0;
  for (const double c : counts) count += c;
  return Make({.schema = kCustomBucketsSchema,
               .count = count,
               .sum = count,
               .positive = {0, std::move(counts)},
               .custom_values = std::move(bounds)});
}

TEST(HistogramAddTest, UnitesBuckets) {
  Histogram a = Make({.count = 3, .sum = 5, .positive = {0, {1, 2}}, .negative = {3, {7}}});
  Add(a, Make({.count = 9, .sum = 4, .positive = {1, {3, 4, 5}}, .negative = {2, {1, 1}}}));
  EXPECT_EQ(a.count, 12);
  EXPECT_EQ(a.sum, 9);
  EXPECT_THAT(a.positive_spans, ElementsAre(Span(0, 4)));
  EXPECT_THAT(a.positive_counts, ElementsAre(1, 5, 4, 5));
  EXPECT_THAT(a.negative_spans, ElementsAre(Span(2, 2)));
  EXPECT_THAT(a.negative_counts, ElementsAre(1, 8));
}

TEST(HistogramAddTest, LeavesGapsBetweenSpans) {
  Histogram a = Make({.positive = {0, {1}}});
  Add(a, Make({.positive = {5, {2}}}));
  EXPECT_THAT(a.positive_spans, ElementsAre(Span(0, 1), Span(4, 1)));
}

TEST(HistogramAddTest, TakesTheCoarserSchema) {
  // Schema 1 buckets 1..4 are the halves of schema 0 buckets 1 and 2.
  const Histogram fine = Make({.schema = 1, .positive = {1, {1, 2, 3, 4}}});
  const Histogram coarse = Make({.schema = 0, .positive = {1, {10, 20}}});
  for (const bool fine_first : {true, false}) {
    Histogram sum = fine_first ? fine : coarse;
    Add(sum, fine_first ? coarse : fine);
    EXPECT_EQ(sum.schema, 0);
    EXPECT_THAT(sum.positive_spans, ElementsAre(Span(1, 2)));
    EXPECT_THAT(sum.positive_counts, ElementsAre(13, 27));
  }
}

TEST(HistogramAddTest, TakesTheWiderZeroBucket) {
  // A zero bucket up to 1 includes bucket 0, (0.5, 1], of the other operand.
  const Histogram narrow = Make(
      {.zero_threshold = 0.25, .zero_count = 1, .positive = {0, {2, 3}}, .negative = {0, {4}}});
  const Histogram wide = Make({.zero_threshold = 1, .zero_count = 10, .positive = {1, {5}}});
  for (const bool narrow_first : {true, false}) {
    Histogram sum = narrow_first ? narrow : wide;
    Add(sum, narrow_first ? wide : narrow);
    EXPECT_EQ(sum.zero_threshold, 1);
    EXPECT_EQ(sum.zero_count, 17);
    EXPECT_THAT(sum.positive_counts, ElementsAre(8));
    EXPECT_TRUE(sum.negative_counts.empty());
  }
}

TEST(HistogramAddTest, WidensTheZeroBucketToABucketBound) {
  // 0.75 is inside the populated bucket (0.5, 1], so the threshold moves out to 1.
  Histogram a = Make({.zero_threshold = 0.75, .zero_count = 1});
  Add(a, Make({.zero_threshold = 0.5, .zero_count = 2, .positive = {0, {4, 8}}}));
  EXPECT_EQ(a.zero_threshold, 1);
  EXPECT_EQ(a.zero_count, 7);
  EXPECT_THAT(a.positive_counts, ElementsAre(8));
}

TEST(HistogramAddTest, ReconcilesCustomBoundsToTheCommonOnes) {
  Histogram a = WithBounds({1, 2, 4}, {1, 2, 3, 4});
  EXPECT_FALSE(Add(a, WithBounds({1, 2, 4}, {1, 1, 1, 1})).bounds_reconciled);
  EXPECT_THAT(a.positive_counts, ElementsAre(2, 3, 4, 5));
  // Common bound 2: (-Inf, 2] has 2 + 3 and 10 + 20, the rest 4 + 5 and 30.
  EXPECT_TRUE(Add(a, WithBounds({0.5, 2}, {10, 20, 30})).bounds_reconciled);
  EXPECT_THAT(a.custom_values, ElementsAre(2));
  EXPECT_THAT(a.positive_counts, ElementsAre(35, 39));
}

TEST(HistogramAddTest, CustomBoundsMayHaveNothingInCommon) {
  Histogram a = WithBounds({1}, {1, 2});
  EXPECT_TRUE(Subtract(a, WithBounds({2}, {1, 1})).bounds_reconciled);
  EXPECT_TRUE(a.custom_values.empty());
  EXPECT_THAT(a.positive_counts, ElementsAre(1));
}

// Prometheus rounds after every count, and the results are the same to the bit.
TEST(HistogramAddTest, RoundsAfterEachCountOfACustomBucket) {
  const Histogram three = WithBounds({1, 2, 3}, {0.1, 0.2, 0.3, 4});
  Histogram sum = three;
  Add(sum, WithBounds({3}, {0, 1}));
  EXPECT_THAT(sum.positive_counts, ElementsAre(0.6000000000000001, 5));
  Histogram difference = WithBounds({3}, {1, 4});
  Subtract(difference, three);
  EXPECT_THAT(difference.positive_counts, ElementsAre(0.39999999999999997));
}

TEST(HistogramAddTest, RoundsAfterEachCountThatTheZeroBucketTakes) {
  const Histogram narrow =
      Make({.zero_threshold = 0.25, .zero_count = 0.1, .positive = {-1, {0.2, 0.3}}});
  const Histogram wide = Make({.zero_threshold = 1, .zero_count = 0});
  for (const bool narrow_first : {true, false}) {
    Histogram sum = narrow_first ? narrow : wide;
    Add(sum, narrow_first ? wide : narrow);
    EXPECT_EQ(sum.zero_count, 0.6000000000000001);
  }
}

TEST(HistogramAddTest, RoundsAfterEachCountOfAFinerSchema) {
  const Histogram fine = Make({.schema = 2, .positive = {1, {0.1, 0.2, 0.3}}});
  const Histogram coarse = Make({.schema = 0, .positive = {1, {0}}});
  for (const bool fine_first : {true, false}) {
    Histogram sum = fine_first ? fine : coarse;
    Add(sum, fine_first ? coarse : fine);
    EXPECT_THAT(sum.positive_counts, ElementsAre(0.6000000000000001));
  }
}

TEST(HistogramAddTest, Hints) {
  using enum CounterResetHint;
  const struct {
    CounterResetHint a, b, sum;
    bool conflict;
  } rows[] = {
      {kUnknown, kUnknown, kUnknown, false},    {kGauge, kReset, kGauge, false},
      {kNotReset, kGauge, kGauge, false},       {kUnknown, kReset, kUnknown, false},
      {kNotReset, kUnknown, kUnknown, false},   {kReset, kNotReset, kUnknown, true},
      {kNotReset, kNotReset, kNotReset, false}, {kReset, kReset, kReset, false},
  };
  for (const auto& row : rows) {
    Histogram a = Make({.hint = row.a});
    EXPECT_EQ(Add(a, Make({.hint = row.b})).conflicting_resets, row.conflict);
    EXPECT_EQ(a.reset_hint, row.sum);
  }
}

TEST(HistogramScaleTest, ScalesEveryCountAndTheSum) {
  Histogram h = Make({.count = 4, .sum = 6, .zero_count = 1, .positive = {0, {3}}});
  Scale(h, 2);
  EXPECT_EQ(h.count, 8);
  EXPECT_EQ(h.sum, 12);
  EXPECT_EQ(h.zero_count, 2);
  EXPECT_THAT(h.positive_counts, ElementsAre(6));
  EXPECT_EQ(h.reset_hint, CounterResetHint::kUnknown);
  Divide(h, -2);
  EXPECT_EQ(h.count, -4);
  EXPECT_EQ(h.reset_hint, CounterResetHint::kGauge);
  Divide(h, 0);
  EXPECT_TRUE(std::isinf(h.count));
  EXPECT_TRUE(h.positive_spans.empty());
}

TEST(HistogramCompactTest, DropsEmptyBucketsAndJoinsSpans) {
  Histogram h;
  h.positive_spans = {{-1, 3}, {0, 2}, {4, 0}, {1, 1}};
  h.positive_counts = {0, 1, 0, 0, 2, 3};
  Compact(h);
  EXPECT_THAT(h.positive_spans, ElementsAre(Span(0, 1), Span(2, 1), Span(5, 1)));
  EXPECT_THAT(h.positive_counts, ElementsAre(1, 2, 3));
}

TEST(HistogramEqualTest, ComparesLayoutAndBits) {
  const Histogram a = Make({.count = 3, .sum = 1, .positive = {0, {1, 2}}});
  Histogram b = a;
  EXPECT_TRUE(HistogramsEqual(a, b));
  b.positive_spans = {{0, 1}, {0, 1}};  // the same buckets in two spans
  EXPECT_TRUE(HistogramsEqual(a, b));
  b.positive_spans = {{0, 1}, {1, 1}};
  EXPECT_FALSE(HistogramsEqual(a, b));
  b = a;
  b.reset_hint = CounterResetHint::kGauge;
  EXPECT_TRUE(HistogramsEqual(a, b));
  b.sum = std::nan("");
  Histogram c = b;
  EXPECT_TRUE(HistogramsEqual(b, c));
  EXPECT_FALSE(HistogramsEqual(a, b));
}

TEST(DetectResetTest, ByHint) {
  const Histogram many = Make({.count = 9, .positive = {0, {9}}});
  Histogram few = Make({.count = 1, .positive = {0, {1}}});
  EXPECT_TRUE(DetectReset(few, many));
  EXPECT_FALSE(DetectReset(many, few));
  few.reset_hint = CounterResetHint::kNotReset;
  EXPECT_FALSE(DetectReset(few, many));
  Histogram same = many;
  same.reset_hint = CounterResetHint::kReset;
  EXPECT_TRUE(DetectReset(same, many));
}

TEST(DetectResetTest, ByContent) {
  const HistogramSpec before{
      .schema = 1, .count = 10, .zero_threshold = 0.25, .zero_count = 2, .positive = {0, {4, 4}}};
  const auto reset = [&before](auto change) {
    HistogramSpec now = before;
    now.count = 20;
    change(now);
    return DetectReset(Make(now), Make(before));
  };
  EXPECT_FALSE(reset([](HistogramSpec&) {}));
  EXPECT_TRUE(reset([](HistogramSpec& h) { h.zero_count = 1; }));
  EXPECT_TRUE(reset([](HistogramSpec& h) { h.positive = {0, {5, 3}}; }));
  EXPECT_TRUE(reset([](HistogramSpec& h) { h.positive = {0, {5}}; }));
  EXPECT_TRUE(reset([](HistogramSpec& h) { h.schema = 2; }));
  EXPECT_TRUE(reset([](HistogramSpec& h) { h.zero_threshold = 0.125; }));
  // Schema 0: buckets 0 and 1 of schema 1 become 0 and 1 there.
  EXPECT_FALSE(reset([](HistogramSpec& h) { h.schema = 0; }));
  // The zero bucket may grow to the bound of a bucket whose count it includes, but not into a
  // bucket.
  EXPECT_FALSE(reset([](HistogramSpec& h) {
    h.zero_threshold = 1;
    h.zero_count = 6;
    h.positive = {1, {4}};
  }));
  EXPECT_TRUE(reset([](HistogramSpec& h) {
    h.zero_threshold = 1;
    h.zero_count = 5;
    h.positive = {1, {4}};
  }));
  EXPECT_TRUE(reset([](HistogramSpec& h) { h.zero_threshold = 0.75; }));
}

TEST(DetectResetTest, RoundsAfterEachCountThatTheZeroBucketTakes) {
  const Histogram before =
      Make({.zero_threshold = 0.25, .zero_count = 0.1, .positive = {-1, {0.2, 0.3}}});
  EXPECT_TRUE(DetectReset(Make({.zero_threshold = 1, .zero_count = 0.6}), before));
  EXPECT_FALSE(DetectReset(Make({.zero_threshold = 1, .zero_count = 0.6000000000000001}), before));
}

TEST(DetectResetTest, CustomBounds) {
  EXPECT_FALSE(DetectReset(WithBounds({1, 2}, {1, 2, 3}), WithBounds({1, 2}, {1, 2, 3})));
  // With the common bound 2: 3 and 3 versus 2 and 4.
  EXPECT_TRUE(DetectReset(WithBounds({1, 2}, {1, 2, 3}), WithBounds({2}, {2, 4})));
  EXPECT_FALSE(DetectReset(WithBounds({1, 2}, {1, 2, 4}), WithBounds({2}, {2, 4})));
  EXPECT_TRUE(DetectReset(WithBounds({1}, {1, 20}), Make({.count = 1, .positive = {0, {1}}})));
}

TEST(TrimTest, CutsExponentialBucketsLogarithmically) {
  // (1,2] and (2,4] with 4 each; 2^1.5 is the logarithmic midpoint of the second.
  const Histogram h = Make({.count = 8, .sum = 20, .positive = {1, {4, 4}}});
  const double middle = std::exp2(1.5);
  const Histogram below = TrimUpper(h, middle);
  EXPECT_DOUBLE_EQ(below.count, 6);
  EXPECT_THAT(below.positive_counts, testing::Pointwise(testing::DoubleEq(), {4.0, 2.0}));
  // Geometric midpoints: sqrt(1*2) and sqrt(2*middle).
  EXPECT_DOUBLE_EQ(below.sum, 4 * std::sqrt(2.0) + 2 * std::sqrt(2 * middle));
  const Histogram above = TrimLower(h, middle);
  EXPECT_DOUBLE_EQ(above.count, 2);
  EXPECT_DOUBLE_EQ(above.sum, 2 * std::sqrt(middle * 4));
}

TEST(TrimTest, LeavesAHistogramAloneThatLosesNothing) {
  const Histogram h = Make({.count = 8, .sum = 20, .positive = {1, {4, 4}}});
  EXPECT_TRUE(HistogramsEqual(TrimUpper(h, 4), h));
  EXPECT_TRUE(HistogramsEqual(TrimLower(h, 1), h));
  EXPECT_EQ(TrimUpper(h, 1).count, 0);
  EXPECT_TRUE(TrimUpper(h, 1).positive_spans.empty());
}

TEST(TrimTest, CutsZeroBucketsLinearlyOnTheirSide) {
  // With positive buckets only, the zero bucket is [0, 1]: a quarter of it is below 0.25.
  const Histogram h =
      Make({.count = 12, .sum = 9, .zero_threshold = 1, .zero_count = 8, .positive = {1, {4}}});
  const Histogram below = TrimUpper(h, 0.25);
  EXPECT_DOUBLE_EQ(below.count, 2);
  EXPECT_DOUBLE_EQ(below.sum, 2 * 0.125);
}

TEST(TrimTest, CustomBucketsOfInfiniteWidth) {
  const double infinity = std::numeric_limits<double>::infinity();
  const Histogram h = WithBounds({10, 20}, {5, 4, 3});  // (-Inf,10] is assumed to start at 0
  EXPECT_DOUBLE_EQ(TrimUpper(h, 5).count, 2.5);
  EXPECT_DOUBLE_EQ(TrimUpper(h, 15).count, 7);
  EXPECT_DOUBLE_EQ(TrimUpper(h, 30).count, 9);  // the bucket above 20 is removed as a whole
  EXPECT_DOUBLE_EQ(TrimLower(h, 5).count, 9.5);
  EXPECT_DOUBLE_EQ(TrimLower(h, 30).count, 3);
  EXPECT_DOUBLE_EQ(TrimLower(h, -infinity).count, 12);
  EXPECT_DOUBLE_EQ(TrimUpper(h, infinity).count, 12);
  EXPECT_DOUBLE_EQ(TrimUpper(h, -infinity).count, 0);
}

// The sum of what is kept of a bucket is its count times its middle. The lowest is assumed to start
// at 0 if it ends above, and otherwise kept or lost as a whole, at its finite end.
TEST(TrimTest, SumsOfCustomBuckets) {
  const Histogram above = WithBounds({10, 20}, {5, 4, 3});
  const Histogram below = WithBounds({-10, 20}, {5, 4, 3});
  const struct {
    const Histogram& histogram;
    bool is_upper;
    double limit;
    double count;
    double sum;
  } rows[] = {
      {above, true, 5, 2.5, 2.5 * 2.5},
      {above, true, 2, 1, 1 * 1},
      {above, true, 15, 7, 5 * 5 + 2 * 12.5},
      {above, true, -1, 0, 0},
      {above, false, 5, 9.5, 2.5 * 7.5 + 4 * 15 + 3 * 20},
      {above, false, 2, 11, 4 * 6 + 4 * 15 + 3 * 20},
      {above, false, 15, 5, 2 * 17.5 + 3 * 20},
      {above, false, 30, 3, 3 * 30},
      {below, true, -20, 5, 5 * -20.0},
      {below, true, 5, 7, 5 * -10.0 + 2 * -2.5},
      {below, false, 5, 5, 2 * 12.5 + 3 * 20},
  };
  for (const auto& row : rows) {
    const Histogram trimmed =
        row.is_upper ? TrimUpper(row.histogram, row.limit) : TrimLower(row.histogram, row.limit);
    EXPECT_DOUBLE_EQ(trimmed.count, row.count) << "row " << &row - rows;
    EXPECT_DOUBLE_EQ(trimmed.sum, row.sum) << "row " << &row - rows;
  }
}

TEST(HistogramAccumulatorTest, CompensatesEveryField) {
  AnnotationSink sink;
  HistogramAccumulator sum(HistogramFold::kSum);
  for (const double v : {1e100, 1.0, -1e100}) {
    sum.Add(Make({.count = v, .sum = v, .zero_count = v, .positive = {0, {v}}}), sink);
  }
  const Histogram total = *sum.Finish(sink);
  EXPECT_EQ(total.count, 1);
  EXPECT_EQ(total.sum, 1);
  EXPECT_EQ(total.zero_count, 1);
  EXPECT_THAT(total.positive_counts, ElementsAre(1));
  EXPECT_TRUE(sink.empty());
}

// 0.5 + 1 + 1e16 - 1e16, where 1 and 1e16 are counts of one histogram that become one count.
TEST(HistogramAccumulatorTest, CompensatesCountsThatBecomeOne) {
  const auto sum_of = [](const Histogram& first, const Histogram& joined, const Histogram& last) {
    AnnotationSink sink;
    HistogramAccumulator sum(HistogramFold::kSum);
    sum.Add(first, sink);
    sum.Add(joined, sink);
    sum.Add(last, sink);
    return *sum.Finish(sink);
  };
  EXPECT_THAT(sum_of(WithBounds({3}, {0.5, 0}), WithBounds({1, 3}, {1, 1e16, 0}),
                     WithBounds({3}, {-1e16, 0}))
                  .positive_counts,
              ElementsAre(1.5));
  EXPECT_THAT(sum_of(Make({.schema = 0, .positive = {1, {0.5}}}),
                     Make({.schema = 1, .positive = {1, {1, 1e16}}}),
                     Make({.schema = 0, .positive = {1, {-1e16}}}))
                  .positive_counts,
              ElementsAre(1.5));
  EXPECT_EQ(sum_of(Make({.zero_threshold = 1, .zero_count = 0.5}),
                   Make({.zero_threshold = 0.5, .zero_count = 1, .positive = {0, {1e16}}}),
                   Make({.zero_threshold = 1, .zero_count = -1e16}))
                .zero_count,
            1.5);
}

TEST(HistogramAccumulatorTest, AveragesBeyondTheLargestDouble) {
  const double max = std::numeric_limits<double>::max();
  AnnotationSink sink;
  HistogramAccumulator mean(HistogramFold::kMean);
  for (int i = 0; i < 3; ++i) {
    mean.Add(Make({.count = max, .sum = max, .positive = {0, {max}}}), sink);
  }
  const Histogram average = *mean.Finish(sink);
  EXPECT_DOUBLE_EQ(average.sum, max);
  EXPECT_DOUBLE_EQ(average.positive_counts[0], max);
}

TEST(HistogramAccumulatorTest, NotesContradictionsAndMixes) {
  AnnotationSink sink;
  HistogramAccumulator sum(HistogramFold::kSum);
  sum.Add(Make({.hint = CounterResetHint::kReset}), sink);
  sum.Add(Make({.hint = CounterResetHint::kUnknown}), sink);
  sum.Add(Make({.hint = CounterResetHint::kNotReset}), sink);
  EXPECT_TRUE(sum.Finish(sink).has_value());
  EXPECT_EQ(sink.Take().at(0).kind, AnnotationKind::kConflictingCounterResets);

  HistogramAccumulator mixed(HistogramFold::kMean);
  mixed.Add(Make({.count = 1}), sink);
  mixed.Add(WithBounds({1}, {1}), sink);
  EXPECT_FALSE(mixed.Finish(sink).has_value());
  EXPECT_EQ(sink.Take().at(0).kind, AnnotationKind::kMixedExponentialCustomHistograms);
}

}  // namespace
}  // namespace lockstep::engine
