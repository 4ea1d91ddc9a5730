// `</` and `>/` on native histograms. In an exponential bucket observations are spread evenly over
// the logarithm, in a custom one over the values; the sum is that of the buckets' middles.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "query/engine/kernels/histograms/histogram_math.h"
#include "query/engine/kernels/kernel_testing.h"

namespace lockstep::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const double kRoot2 = std::sqrt(2);

// [-2, -1): 4, [-0.5, 0.5]: 2, (1, 2]: 4, (2, 4]: 6.
Histogram BothSides() {
  return Make({.count = 16,
               .sum = 100,
               .zero_threshold = 0.5,
               .zero_count = 2,
               .positive = {1, {4, 6}},
               .negative = {1, {4}}});
}

// (-Inf, 5]: 4, (5, 10]: 6, (10, +Inf): 8.
Histogram Custom() {
  return Make({.schema = kCustomBucketsSchema,
               .count = 18,
               .sum = 100,
               .positive = {0, {4, 6, 8}},
               .custom_values = {5, 10}});
}

void CheckTotals(const Histogram& histogram, double count, double sum) {
  EXPECT_DOUBLE_EQ(histogram.count, count);
  EXPECT_DOUBLE_EQ(histogram.sum, sum);
}

TEST(HistogramTrimTest, WholeBucketsAreKeptOrDropped) {
  const Histogram below = TrimUpper(BothSides(), 2);
  EXPECT_THAT(below.positive_counts, ElementsAre(4));
  EXPECT_THAT(below.negative_counts, ElementsAre(4));
  EXPECT_EQ(below.zero_count, 2);
  CheckTotals(below, 10, 0);
  const Histogram above = TrimLower(BothSides(), 2);
  EXPECT_THAT(above.positive_counts, ElementsAre(6));
  EXPECT_EQ(above.positive_spans[0].offset, 2);
  EXPECT_THAT(above.negative_counts, IsEmpty());
  EXPECT_EQ(above.zero_count, 0);
  CheckTotals(above, 6, 6 * std::sqrt(8));
  const Histogram not_negative = TrimLower(BothSides(), -1);
  EXPECT_THAT(not_negative.negative_counts, IsEmpty());
  EXPECT_EQ(not_negative.zero_count, 2);
  CheckTotals(not_negative, 12, 4 * kRoot2 + 6 * std::sqrt(8));
  const Histogram negative = TrimUpper(BothSides(), -1);
  EXPECT_THAT(negative.negative_counts, ElementsAre(4));
  CheckTotals(negative, 4, -4 * kRoot2);
}

TEST(HistogramTrimTest, WhatLosesNothingStaysAsItIs) {
  EXPECT_EQ(TrimUpper(BothSides(), 4).sum, 100);
  EXPECT_EQ(TrimLower(BothSides(), -2).sum, 100);
  EXPECT_EQ(TrimUpper(BothSides(), 4).count, 16);
}

// The logarithmic middle of (2, 4] is the root of 8.
TEST(HistogramTrimTest, ExponentialBucketsAreCutByTheLogarithm) {
  const double middle = std::sqrt(8);
  const Histogram below = TrimUpper(BothSides(), middle);
  EXPECT_THAT(below.positive_counts, ElementsAre(4, 3));
  CheckTotals(below, 13, 3 * std::sqrt(2 * middle));
  const Histogram above = TrimLower(BothSides(), middle);
  EXPECT_THAT(above.positive_counts, ElementsAre(3));
  CheckTotals(above, 3, 3 * std::sqrt(middle * 4));
  // And that of [-2, -1) is the negative root of 2.
  const Histogram negative = TrimUpper(BothSides(), -kRoot2);
  ASSERT_EQ(negative.negative_counts.size(), 1u);
  EXPECT_DOUBLE_EQ(negative.negative_counts[0], 2);
  CheckTotals(negative, 2, -2 * std::sqrt(2 * kRoot2));
}

TEST(HistogramTrimTest, TheZeroBucketIsCutEvenly) {
  const Histogram above = TrimLower(BothSides(), 0);
  EXPECT_EQ(above.zero_count, 1);
  CheckTotals(above, 11, 0.25 + 4 * kRoot2 + 6 * std::sqrt(8));
  const Histogram below = TrimUpper(BothSides(), -0.25);
  EXPECT_EQ(below.zero_count, 0.5);
  CheckTotals(below, 4.5, 0.5 * -0.375 - 4 * kRoot2);
  EXPECT_EQ(TrimUpper(BothSides(), 0.5).zero_count, 2);
  EXPECT_EQ(TrimUpper(BothSides(), -0.5).zero_count, 0);
  EXPECT_EQ(TrimLower(BothSides(), 0.5).zero_count, 0);
  EXPECT_EQ(TrimLower(BothSides(), -0.5).zero_count, 2);
}

// With observations on one side only, those near zero are taken to be on that side.
TEST(HistogramTrimTest, TheZeroBucketBelongsToTheOnlySide) {
  const Histogram positive =
      Make({.count = 6, .sum = 9, .zero_threshold = 0.5, .zero_count = 2, .positive = {1, {4}}});
  const Histogram below = TrimUpper(positive, 0.25);
  EXPECT_EQ(below.zero_count, 1);
  CheckTotals(below, 1, 0.125);
  const Histogram above = TrimLower(positive, 0.25);
  EXPECT_EQ(above.zero_count, 1);
  CheckTotals(above, 5, 0.375 + 4 * kRoot2);
  EXPECT_EQ(TrimUpper(positive, 0).zero_count, 0);
  const Histogram negative =
      Make({.count = 6, .sum = -9, .zero_threshold = 0.5, .zero_count = 2, .negative = {1, {4}}});
  const Histogram lowest = TrimUpper(negative, -0.25);
  EXPECT_EQ(lowest.zero_count, 1);
  CheckTotals(lowest, 5, -0.375 - 4 * kRoot2);
  EXPECT_EQ(TrimLower(negative, 0).zero_count, 0);
}

TEST(HistogramTrimTest, CustomBucketsAreCutEvenly) {
  const Histogram below = TrimUpper(Custom(), 7.5);
  EXPECT_THAT(below.positive_counts, ElementsAre(4, 3));
  CheckTotals(below, 7, 4 * 2.5 + 3 * 6.25);
  const Histogram above = TrimLower(Custom(), 7.5);
  EXPECT_THAT(above.positive_counts, ElementsAre(3, 8));
  CheckTotals(above, 11, 3 * 8.75 + 8 * 10);
}

// The first bucket is taken to begin at zero.
TEST(HistogramTrimTest, TheLowestCustomBucketBeginsAtZero) {
  const Histogram below = TrimUpper(Custom(), 2.5);
  EXPECT_THAT(below.positive_counts, ElementsAre(2));
  CheckTotals(below, 2, 2 * 1.25);
  const Histogram above = TrimLower(Custom(), 2.5);
  EXPECT_THAT(above.positive_counts, ElementsAre(2, 6, 8));
  CheckTotals(above, 16, 2 * 3.75 + 6 * 7.5 + 8 * 10);
  CheckTotals(TrimUpper(Custom(), 0), 0, 0);
  CheckTotals(TrimUpper(Custom(), 5), 4, 4 * 2.5);
  CheckTotals(TrimLower(Custom(), 5), 14, 6 * 7.5 + 8 * 10);
}

// Where no bound is above zero, all of its observations may be below the limit.
TEST(HistogramTrimTest, ALowestBucketBelowZeroIsNotCut) {
  const Histogram negative = Make({.schema = kCustomBucketsSchema,
                                   .count = 10,
                                   .sum = -50,
                                   .positive = {0, {4, 6}},
                                   .custom_values = {-5, 5}});
  CheckTotals(TrimUpper(negative, -7), 4, 4 * -7);
  CheckTotals(TrimUpper(negative, -5), 4, 4 * -5);
  CheckTotals(TrimLower(negative, -5), 6, 0);
}

TEST(HistogramTrimTest, TheHighestCustomBucketIsKeptAboveItsLowerBound) {
  const Histogram above = TrimLower(Custom(), 20);
  EXPECT_THAT(above.positive_counts, ElementsAre(8));
  CheckTotals(above, 8, 8 * 20);
  const Histogram below = TrimUpper(Custom(), 20);
  EXPECT_THAT(below.positive_counts, ElementsAre(4, 6));
  CheckTotals(below, 10, 4 * 2.5 + 6 * 7.5);
  CheckTotals(TrimLower(Custom(), 10), 8, 8 * 10);
}

TEST(HistogramTrimTest, EmptyBucketsAreLeftOut) {
  const Histogram sparse = Make({.count = 3, .sum = 3, .positive = {1, {0, 3}}});
  const Histogram below = TrimUpper(sparse, 1.5);
  EXPECT_THAT(below.positive_counts, IsEmpty());
  EXPECT_THAT(below.positive_spans, IsEmpty());
  CheckTotals(below, 0, 0);
}

}  // namespace
}  // namespace lockstep::engine
