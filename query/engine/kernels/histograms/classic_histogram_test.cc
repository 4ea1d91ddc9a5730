#include "query/engine/kernels/histograms/classic_histogram.h"
#include "query/engine/kernels/numbers/constants.h"

#include <gtest/gtest.h>

#include <cmath>

namespace lockstep::engine {
namespace {

ClassicQuantile QuantileOf(double q, std::vector<ClassicBucket> buckets) {
  return BucketQuantile(q, buckets);
}

double FractionOf(double lower, double upper, std::vector<ClassicBucket> buckets) {
  return BucketFraction(lower, upper, buckets);
}

const std::vector<ClassicBucket> kBuckets = {{kInfinity, 10}, {1, 4}, {2, 8}};  // unsorted

TEST(ClassicHistogramTest, QuantileIsLinear) {
  EXPECT_DOUBLE_EQ(QuantileOf(0.2, kBuckets).value, 0.5);  // rank 2 of 4 in (0, 1]
  EXPECT_DOUBLE_EQ(QuantileOf(0.6, kBuckets).value, 1.5);
  EXPECT_DOUBLE_EQ(QuantileOf(0.9, kBuckets).value, 2);  // above the last finite bound
  EXPECT_EQ(QuantileOf(-1, kBuckets).value, -kInfinity);
  EXPECT_EQ(QuantileOf(2, kBuckets).value, kInfinity);
  EXPECT_TRUE(std::isnan(QuantileOf(std::nan(""), kBuckets).value));
}

TEST(ClassicHistogramTest, LowestBucketBelowZeroHasNoLowerEdge) {
  EXPECT_DOUBLE_EQ(QuantileOf(0.1, {{-5, 4}, {0, 8}, {kInfinity, 10}}).value, -5);
}

TEST(ClassicHistogramTest, NeedsAnInfiniteBucketAndObservations) {
  EXPECT_TRUE(std::isnan(QuantileOf(0.5, {{1, 4}, {2, 8}}).value));
  EXPECT_TRUE(std::isnan(QuantileOf(0.5, {{kInfinity, 8}}).value));
  EXPECT_TRUE(std::isnan(QuantileOf(0.5, {{1, 0}, {kInfinity, 0}}).value));
}

TEST(ClassicHistogramTest, EqualBoundsAreAddedUp) {
  EXPECT_DOUBLE_EQ(QuantileOf(0.5, {{1, 2}, {1, 2}, {kInfinity, 4}, {kInfinity, 4}}).value, 1);
}

TEST(ClassicHistogramTest, FallingCountsAreLiftedAndReported) {
  const ClassicQuantile quantile =
      QuantileOf(0.5, {{1, 4}, {2, 10}, {4, 7}, {8, 9}, {kInfinity, 12}});
  EXPECT_DOUBLE_EQ(quantile.value, 1 + 2.0 / 6);
  ASSERT_TRUE(quantile.fix.has_value());
  EXPECT_EQ(quantile.fix->min_bound, 4);
  EXPECT_EQ(quantile.fix->max_bound, 8);
  EXPECT_EQ(quantile.fix->max_diff, 3);
}

TEST(ClassicHistogramTest, RoundingDifferencesAreEvenedOutSilently) {
  const double almost = 10 * (1 - 1e-13);
  EXPECT_FALSE(QuantileOf(0.5, {{1, 10}, {2, almost}, {kInfinity, 12}}).fix.has_value());
  EXPECT_FALSE(QuantileOf(0.5, {{1, almost}, {2, 10}, {kInfinity, 10}}).fix.has_value());
}

TEST(ClassicHistogramTest, FractionIsLinear) {
  EXPECT_DOUBLE_EQ(FractionOf(0, 0.5, kBuckets), 0.2);
  EXPECT_DOUBLE_EQ(FractionOf(0.5, 1.5, kBuckets), 0.4);
  EXPECT_DOUBLE_EQ(FractionOf(-kInfinity, kInfinity, kBuckets), 1);
  EXPECT_DOUBLE_EQ(FractionOf(2, 1000, kBuckets), 0);  // the last bucket's distribution is unknown
  EXPECT_DOUBLE_EQ(FractionOf(2, kInfinity, kBuckets), 0.2);
  EXPECT_DOUBLE_EQ(FractionOf(3, 1, kBuckets), 0);
  EXPECT_TRUE(std::isnan(FractionOf(0, 1, {{1, 5}})));
  EXPECT_TRUE(std::isnan(FractionOf(0, 1, {{1, 0}, {kInfinity, 0}})));
}

TEST(ClassicHistogramTest, ReadsBounds) {
  const struct {
    const char* text;
    std::optional<double> bound;
  } rows[] = {
      {"0.1", 0.1},
      {".2", 0.2},
      {"1e0", 1},
      {"-0.25", -0.25},
      {"+Inf", kInfinity},
      {"+inf", kInfinity},
      {"-Inf", -kInfinity},
      {"Infinity", kInfinity},
      {"1.", 1},
      {"+5", 5},
      {"0x1p3", 8},
      {"1e-400", 0},
      {"", {}},
      {"Hello World", {}},
      {"1 ", {}},
      {" 1", {}},
      {"--1", {}},
      {"1e400", {}},
      {"0x10", {}},
      {"infi", {}},
      {"1e", {}},
      {"e5", {}},
      {"+-1", {}},
      {"1_0", {}},
  };
  for (const auto& row : rows) EXPECT_EQ(ParseBucketBound(row.text), row.bound) << row.text;
  EXPECT_TRUE(std::isnan(ParseBucketBound("NaN").value()));
}

}  // namespace
}  // namespace lockstep::engine
