#include "ingest/otlp/translate/native_histogram.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "model/sample.h"

namespace lockstep::otlp {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

ExponentialHistogramPoint Exponential(int32_t scale, ExponentialBuckets positive,
                                      ExponentialBuckets negative = {}) {
  ExponentialHistogramPoint point;
  point.scale = scale;
  for (const ExponentialBuckets& side : {positive, negative}) {
    for (const uint64_t count : side.counts) point.count += count;
  }
  point.positive = std::move(positive);
  point.negative = std::move(negative);
  return point;
}

Histogram Native(const ExponentialHistogramPoint& point) {
  const auto h = NativeHistogramOf(point);
  EXPECT_TRUE(h.ok()) << h.status();
  return h.ok() ? *h : Histogram();
}

HistogramPoint Explicit(std::vector<double> bounds, std::vector<uint64_t> counts) {
  HistogramPoint point;
  for (const uint64_t count : counts) point.count += count;
  point.bounds = std::move(bounds);
  point.bucket_counts = std::move(counts);
  return point;
}

TEST(NativeHistogram, BucketsMoveByOne) {
  // Scale 0: base 2. OTLP's bucket 0 is (1, 2], number 1 in native histograms.
  const Histogram h = Native(Exponential(0, {0, {1, 2, 3}}, {-2, {4, 0, 5}}));
  EXPECT_EQ(h.schema, 0);
  EXPECT_EQ(h.count, 15);
  EXPECT_EQ(h.zero_threshold, 1e-128);
  EXPECT_THAT(h.positive_spans, ElementsAre(BucketSpan{1, 3}));
  EXPECT_THAT(h.positive_counts, ElementsAre(1, 2, 3));
  EXPECT_THAT(h.negative_spans, ElementsAre(BucketSpan{-1, 3}));
  EXPECT_THAT(h.negative_counts, ElementsAre(4, 0, 5));
}

TEST(NativeHistogram, WideGapsBeginASpan) {
  const Histogram h = Native(Exponential(2, {0, {0, 7, 0, 0, 1, 0, 0, 0, 2, 0}}));
  // The first and last bucket are empty; a gap of two is filled, one of three is not.
  EXPECT_THAT(h.positive_spans, ElementsAre(BucketSpan{2, 4}, BucketSpan{3, 1}));
  EXPECT_THAT(h.positive_counts, ElementsAre(7, 0, 0, 1, 2));
  EXPECT_THAT(Native(Exponential(2, {5, {0, 0}})).positive_spans, IsEmpty());
}

TEST(NativeHistogram, ScalesAboveEightMergeNeighbours) {
  // One scale lower: buckets 2k and 2k + 1 become k. From -3: (-3) | -2 -1 | 0 1 | 2.
  Histogram h = Native(Exponential(9, {-3, {1, 2, 3, 4, 5, 6}}));
  EXPECT_EQ(h.schema, 8);
  EXPECT_THAT(h.positive_spans, ElementsAre(BucketSpan{-1, 4}));
  EXPECT_THAT(h.positive_counts, ElementsAre(1, 5, 9, 6));
  // Two scales lower, in fours: -3..-1 | 0..2.
  h = Native(Exponential(10, {-3, {1, 2, 3, 4, 5, 6}}));
  EXPECT_THAT(h.positive_spans, ElementsAre(BucketSpan{0, 2}));
  EXPECT_THAT(h.positive_counts, ElementsAre(6, 15));
  // Low enough that no bits of the index remain: below 1 and above.
  h = Native(Exponential(std::numeric_limits<int32_t>::max(), {-1, {1, 2}}));
  EXPECT_THAT(h.positive_spans, ElementsAre(BucketSpan{0, 2}));
  EXPECT_THAT(h.positive_counts, ElementsAre(1, 2));
}

TEST(NativeHistogram, ZeroBucketAndSum) {
  ExponentialHistogramPoint point = Exponential(3, {0, {1}});
  point.zero_count = 4;
  point.count = 5;
  point.sum = 1.25;
  point.zero_threshold = 0.001;
  const Histogram h = Native(point);
  EXPECT_EQ(h.zero_count, 4);
  EXPECT_EQ(h.zero_threshold, 0.001);
  EXPECT_EQ(h.sum, 1.25);
  EXPECT_EQ(h.count, 5);
}

TEST(NativeHistogram, WhatCannotBeIsRefused) {
  constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max();
  const auto why = [](const ExponentialHistogramPoint& point) {
    return std::string(Message(NativeHistogramOf(point).status()));
  };
  EXPECT_THAT(why(Exponential(-5, {0, {1}})), HasSubstr("the scale -5 is below the minimum of -4"));
  ExponentialHistogramPoint miscounted = Exponential(0, {0, {1, 2}});
  miscounted.count = 4;
  EXPECT_EQ(why(miscounted), "3 observations are in the buckets, but the count is 4");
  // NaN observations are in no bucket.
  miscounted.sum = std::nan("");
  EXPECT_EQ(why(miscounted), "");
  EXPECT_THAT(why(Exponential(0, {std::numeric_limits<int32_t>::max(), {1}})),
              HasSubstr("exceeds 32 bits"));
  EXPECT_THAT(why(Exponential(0, {0, {kMost, 2}})), HasSubstr("more than 2^64"));
}

TEST(NativeHistogram, ExplicitBoundsBecomeCustomBuckets) {
  HistogramPoint point = Explicit({0.1, 1, 10}, {0, 3, 0, 1});
  point.sum = 14.5;
  const auto h = NativeHistogramOf(point);
  ASSERT_TRUE(h.ok()) << h.status();
  EXPECT_EQ(h->schema, kCustomBucketsSchema);
  EXPECT_THAT(h->custom_values, ElementsAre(0.1, 1, 10));
  EXPECT_THAT(h->positive_spans, ElementsAre(BucketSpan{1, 3}));
  EXPECT_THAT(h->positive_counts, ElementsAre(3, 0, 1));
  EXPECT_EQ(h->count, 4);
  EXPECT_EQ(h->sum, 14.5);
  EXPECT_EQ(h->zero_threshold, 0);
}

TEST(NativeHistogram, APointMayHaveNoBuckets) {
  HistogramPoint point = Explicit({}, {});
  point.count = 9;
  const auto h = NativeHistogramOf(point);
  ASSERT_TRUE(h.ok()) << h.status();
  EXPECT_THAT(h->custom_values, IsEmpty());
  EXPECT_THAT(h->positive_spans, ElementsAre(BucketSpan{0, 1}));
  EXPECT_THAT(h->positive_counts, ElementsAre(9));
}

TEST(NativeHistogram, BoundsAscend) {
  EXPECT_FALSE(NativeHistogramOf(Explicit({1, 1}, {0, 1, 0})).ok());
  EXPECT_FALSE(NativeHistogramOf(Explicit({std::nan("")}, {0, 1})).ok());
  EXPECT_FALSE(NativeHistogramOf(Explicit({1}, {0, 0, 1})).ok());
}

TEST(NativeHistogram, PointsWithoutAValueAreStale) {
  ExponentialHistogramPoint exponential = Exponential(20, {0, {1}});
  exponential.has_no_value = true;
  EXPECT_TRUE(IsStaleNan(Native(exponential).sum));
  EXPECT_EQ(Native(exponential).schema, 8);
  HistogramPoint point = Explicit({1}, {0, 1});
  point.has_no_value = true;
  EXPECT_TRUE(IsStaleNan(NativeHistogramOf(point)->sum));
}

}  // namespace
}  // namespace lockstep::otlp
