#include "query/engine/kernels/histograms/histogram_functions.h"
#include "query/engine/kernels/numbers/constants.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "query/engine/kernels/histograms/histogram_buckets.h"
#include "query/engine/kernels/kernel_testing.h"

namespace lockstep::engine {
namespace {

double QuantileOf(double q, const Histogram& histogram) {
  AnnotationSink sink;
  return HistogramQuantile(q, histogram, sink);
}

double FractionOf(double lower, double upper, const Histogram& histogram) {
  AnnotationSink sink;
  return HistogramFraction(lower, upper, histogram, sink);
}

Histogram Custom(std::vector<double> bounds, std::vector<double> counts) {
  double count = 0;
  for (const double c : counts) count += c;
  return Make({.schema = kCustomBucketsSchema,
               .count = count,
               .sum = count,
               .positive = {0, std::move(counts)},
               .custom_values = std::move(bounds)});
}

TEST(BucketBoundTest, IsTheOneThatPrometheusPrints) {
  EXPECT_EQ(BucketUpperBound(0, 0, {}), 1);
  EXPECT_EQ(BucketUpperBound(3, 0, {}), 8);
  EXPECT_EQ(BucketUpperBound(-1, 0, {}), 0.5);
  EXPECT_EQ(BucketUpperBound(1, -2, {}), 16);
  // Prometheus' table has this value for the square root of one half, one step below the nearest.
  EXPECT_EQ(BucketUpperBound(-1, 1, {}), 0.7071067811865475);
  EXPECT_EQ(BucketUpperBound(-1, 3, {}), 0.9170040432046711);
  EXPECT_EQ(BucketUpperBound(-255, 8, {}), 0.5013556375251013);
  // The last bucket of finite observations ends at the largest double.
  EXPECT_EQ(BucketUpperBound(1024, 0, {}), std::numeric_limits<double>::max());
  EXPECT_EQ(BucketUpperBound(1025, 0, {}), kInfinity);
  EXPECT_EQ(BucketUpperBound(64, -4, {}), std::numeric_limits<double>::max());
  const std::vector<double> bounds = {1, 2};
  EXPECT_EQ(BucketUpperBound(-1, kCustomBucketsSchema, bounds), -kInfinity);
  EXPECT_EQ(BucketUpperBound(1, kCustomBucketsSchema, bounds), 2);
  EXPECT_EQ(BucketUpperBound(2, kCustomBucketsSchema, bounds), kInfinity);
}

TEST(BucketListTest, AnyIndexHasABound) {
  for (const int32_t index :
       {std::numeric_limits<int32_t>::min(), -5000, 5000, std::numeric_limits<int32_t>::max()}) {
    for (const int32_t schema : {-4, 0, 8, kCustomBucketsSchema}) {
      EXPECT_FALSE(std::isnan(BucketUpperBound(index, schema, {})));
      const Histogram h = Make({.schema = schema, .positive = {index, {1}}});
      EXPECT_EQ(PositiveBuckets(h).size(), 1u);
    }
  }
}

TEST(BucketListTest, RunsFromLowestToHighest) {
  const Histogram h = Make({.count = 12,
                            .sum = 1,
                            .zero_threshold = 0.5,
                            .zero_count = 2,
                            .positive = {1, {3, 0, 4}},
                            .negative = {0, {1, 2}}});
  const std::vector<ListedBucket> listed = ListBuckets(h);
  ASSERT_EQ(listed.size(), 5u);
  const ListedBucket expected[] = {
      {1, -2, -1, 2}, {1, -1, -0.5, 1}, {3, -0.5, 0.5, 2}, {0, 1, 2, 3}, {0, 4, 8, 4}};
  for (size_t i = 0; i < listed.size(); ++i) {
    EXPECT_EQ(listed[i].boundary_rule, expected[i].boundary_rule);
    EXPECT_EQ(listed[i].lower, expected[i].lower);
    EXPECT_EQ(listed[i].upper, expected[i].upper);
    EXPECT_EQ(listed[i].count, expected[i].count);
  }
  EXPECT_EQ(HistogramText(h),
            "{count:12, sum:1, [-2,-1):2, [-1,-0.5):1, [-0.5,0.5]:2, (1,2]:3, (4,8]:4}");
}

TEST(BucketListTest, CustomBuckets) {
  EXPECT_EQ(HistogramText(Custom({5, 10}, {1, 4, 3})),
            "{count:8, sum:8, [-Inf,5]:1, (5,10]:4, (10,+Inf]:3}");
}

TEST(BucketListTest, SurvivesSpansWithoutCounts) {
  Histogram h;
  h.positive_spans = {{0, 1000000}};
  h.positive_counts = {1};
  EXPECT_EQ(PositiveBuckets(h).size(), 1u);
}

TEST(HistogramQuantileTest, InterpolatesLogarithmically) {
  const Histogram h = Make({.count = 8, .sum = 20, .positive = {1, {4, 4}}});  // (1,2] (2,4]
  EXPECT_DOUBLE_EQ(QuantileOf(0, h), 1);
  EXPECT_DOUBLE_EQ(QuantileOf(0.25, h), std::sqrt(2.0));
  EXPECT_DOUBLE_EQ(QuantileOf(0.5, h), 2);
  EXPECT_DOUBLE_EQ(QuantileOf(0.75, h), 2 * std::sqrt(2.0));
  EXPECT_DOUBLE_EQ(QuantileOf(1, h), 4);
  EXPECT_EQ(QuantileOf(-0.1, h), -kInfinity);
  EXPECT_EQ(QuantileOf(1.1, h), kInfinity);
  EXPECT_TRUE(std::isnan(QuantileOf(kNan, h)));
  EXPECT_TRUE(std::isnan(QuantileOf(0.5, Make({}))));
}

TEST(HistogramQuantileTest, MirrorsNegativeBuckets) {
  const Histogram h = Make({.count = 8, .sum = -20, .negative = {1, {4, 4}}});
  EXPECT_DOUBLE_EQ(QuantileOf(0.25, h), -2 * std::sqrt(2.0));
  EXPECT_DOUBLE_EQ(QuantileOf(0.75, h), -std::sqrt(2.0));
}

TEST(HistogramQuantileTest, ZeroBucketIsLinearAndOneSided) {
  const HistogramSpec both{.count = 4, .sum = 0, .zero_threshold = 1, .zero_count = 4};
  EXPECT_DOUBLE_EQ(QuantileOf(0.25, Make(both)), -0.5);
  HistogramSpec positive = both;
  positive.count = 5;
  positive.positive = {1, {1}};
  EXPECT_DOUBLE_EQ(QuantileOf(0.2, Make(positive)), 0.25);  // rank 1 of 4 in [0, 1]
}

TEST(HistogramQuantileTest, CustomBucketsAreLinearWithOpenEnds) {
  const Histogram h = Custom({10, 20}, {4, 4, 2});
  EXPECT_DOUBLE_EQ(QuantileOf(0.2, h), 5);
  EXPECT_DOUBLE_EQ(QuantileOf(0.6, h), 15);
  EXPECT_DOUBLE_EQ(QuantileOf(0.95, h), 20);
  EXPECT_DOUBLE_EQ(QuantileOf(0.1, Custom({-5}, {4, 4})), -5);
}

TEST(HistogramQuantileTest, NanObservationsAreReported) {
  // 2 of 10 observations were NaN: they are in no bucket.
  const Histogram h = Make({.count = 10, .sum = kNan, .positive = {1, {4, 4}}});
  AnnotationSink sink;
  EXPECT_DOUBLE_EQ(HistogramQuantile(0.4, h, sink), 2);
  EXPECT_EQ(sink.Take().at(0).kind, AnnotationKind::kQuantileNanSkew);
  EXPECT_TRUE(std::isnan(HistogramQuantile(0.9, h, sink)));
  EXPECT_EQ(sink.Take().at(0).kind, AnnotationKind::kQuantileNanResult);
  EXPECT_DOUBLE_EQ(HistogramFraction(-kInfinity, kInfinity, h, sink), 0.8);
  EXPECT_EQ(sink.Take().at(0).kind, AnnotationKind::kFractionNanObservations);
}

TEST(HistogramFractionTest, IsTheInverseOfTheQuantile) {
  const Histogram h = Make({.count = 16,
                            .sum = 3,
                            .zero_threshold = 0.5,
                            .zero_count = 2,
                            .positive = {1, {3, 4}},
                            .negative = {0, {2, 5}}});
  for (const double q : {0.05, 0.3, 0.45, 0.5, 0.6, 0.8, 0.99}) {
    EXPECT_NEAR(FractionOf(-kInfinity, QuantileOf(q, h), h), q, 1e-12);
  }
  EXPECT_EQ(FractionOf(-kInfinity, kInfinity, h), 1);
  EXPECT_EQ(FractionOf(1, 1, h), 0);
  EXPECT_TRUE(std::isnan(FractionOf(kNan, 1, h)));
  EXPECT_TRUE(std::isnan(FractionOf(0, 1, Make({}))));
}

TEST(HistogramMomentsTest, AverageAndVariance) {
  // One observation in (1,4] of schema -1, one in (-4,-1]: values at +2 and -2, mean 0.
  const Histogram h =
      Make({.schema = -1, .count = 2, .sum = 0, .positive = {1, {1}}, .negative = {1, {1}}});
  EXPECT_EQ(HistogramAverage(h), 0);
  EXPECT_DOUBLE_EQ(HistogramVariance(h), 4);
  EXPECT_DOUBLE_EQ(HistogramStddev(h), 2);
  // Arithmetic means 5 and 15 around the mean of 10.
  Histogram custom = Custom({0, 10, 20}, {0, 1, 1});
  custom.sum = 20;
  EXPECT_DOUBLE_EQ(HistogramVariance(custom), 25);
}

}  // namespace
}  // namespace lockstep::engine
