#include "ingest/otlp/translate/delta_totals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace lockstep::otlp {
namespace {

using testing::ElementsAre;

NumberPoint DeltaOf(double value, uint64_t start_ns, uint64_t time_ns) {
  NumberPoint point;
  point.value = value;
  point.start_ns = start_ns;
  point.time_ns = time_ns;
  return point;
}

// "value since start" for each delta, added in order, or the error.
std::vector<std::string> Added(std::vector<NumberPoint> deltas) {
  DeltaTotal total;
  std::vector<std::string> rows;
  for (NumberPoint& delta : deltas) {
    const absl::Status status = AddUp(delta, total);
    rows.push_back(status.ok() ? std::to_string(static_cast<int>(delta.value)) + " since " +
                                     std::to_string(delta.start_ns)
                               : std::string(Message(status)));
  }
  return rows;
}

std::vector<NumberPoint> Points(NumberPoint a, NumberPoint b, NumberPoint c) {
  std::vector<NumberPoint> points;
  points.push_back(std::move(a));
  points.push_back(std::move(b));
  points.push_back(std::move(c));
  return points;
}

TEST(DeltaTotal, CountsFromTheFirstDelta) {
  EXPECT_THAT(Added(Points(DeltaOf(5, 10, 20), DeltaOf(7, 20, 30), DeltaOf(-2, 30, 40))),
              ElementsAre("5 since 10", "12 since 10", "10 since 10"));
  // A gap is not a reset: nothing indicates a loss.
  EXPECT_THAT(Added(Points(DeltaOf(5, 10, 20), DeltaOf(7, 500, 600), DeltaOf(1, 600, 700))),
              ElementsAre("5 since 10", "12 since 10", "13 since 10"));
}

TEST(DeltaTotal, WhatIsSentAgainIsNotAddedAgain) {
  EXPECT_THAT(Added(Points(DeltaOf(5, 10, 20), DeltaOf(5, 10, 20), DeltaOf(7, 20, 30))),
              ElementsAre("5 since 10", "5 since 10", "12 since 10"));
  EXPECT_THAT(
      Added(Points(DeltaOf(5, 0, 4'000'000), DeltaOf(5, 0, 1'000'000), DeltaOf(7, 0, 5'000'000))),
      ElementsAre("5 since 0",
                  "the delta is 3 ms older than the last of its series and cannot be added",
                  "12 since 0"));
}

HistogramPoint HistogramOf(std::vector<uint64_t> counts, std::vector<double> bounds,
                           uint64_t time_ns) {
  HistogramPoint point;
  point.start_ns = time_ns - 10;
  point.time_ns = time_ns;
  point.sum = 0.5;
  for (const uint64_t count : counts) point.count += count;
  point.bucket_counts = std::move(counts);
  point.bounds = std::move(bounds);
  return point;
}

TEST(DeltaTotal, HistogramsOfTheSameBounds) {
  DeltaTotal total;
  HistogramPoint first = HistogramOf({1, 2}, {0.5}, 20);
  HistogramPoint second = HistogramOf({3, 4}, {0.5}, 30);
  ASSERT_TRUE(AddUp(first, total).ok());
  ASSERT_TRUE(AddUp(second, total).ok());
  EXPECT_EQ(second.start_ns, 10u);
  EXPECT_EQ(second.count, 10u);
  EXPECT_EQ(second.sum, 1.0);
  EXPECT_THAT(second.bucket_counts, ElementsAre(4, 6));
  // Points that cannot be added restart the total, with a new start.
  HistogramPoint other = HistogramOf({1, 1, 1}, {0.5, 1}, 40);
  ASSERT_TRUE(AddUp(other, total).ok());
  EXPECT_EQ(other.start_ns, 30u);
  EXPECT_EQ(other.count, 3u);
}

ExponentialHistogramPoint Exponential(int32_t scale, int32_t offset, std::vector<uint64_t> counts,
                                      uint64_t time_ns) {
  ExponentialHistogramPoint point;
  point.start_ns = time_ns - 10;
  point.time_ns = time_ns;
  point.scale = scale;
  point.zero_count = 1;
  point.count = 1;
  for (const uint64_t count : counts) point.count += count;
  point.positive = {offset, std::move(counts)};
  return point;
}

TEST(DeltaTotal, ExponentialHistogramsTakeTheCoarserScale) {
  DeltaTotal total;
  ExponentialHistogramPoint first = Exponential(1, 2, {1, 2, 3, 4}, 20);
  ExponentialHistogramPoint second = Exponential(0, -1, {10, 20}, 30);
  ASSERT_TRUE(AddUp(first, total).ok());
  ASSERT_TRUE(AddUp(second, total).ok());
  EXPECT_EQ(second.scale, 0);
  EXPECT_EQ(second.count, 42u);
  EXPECT_EQ(second.zero_count, 2u);
  // Indices 2 to 5 of scale 1 are 1, 1, 2 and 2 of scale 0; -1 and 0 were there already.
  EXPECT_EQ(second.positive.offset, -1);
  EXPECT_THAT(second.positive.counts, ElementsAre(10, 20, 3, 7));
  EXPECT_TRUE(second.negative.counts.empty());
}

TEST(DeltaTotal, ExponentialHistogramsStaySmall) {
  DeltaTotal total;
  ExponentialHistogramPoint first = Exponential(8, -2'000'000'000, {1}, 20);
  ExponentialHistogramPoint second = Exponential(8, 2'000'000'000, {1}, 30);
  ASSERT_TRUE(AddUp(first, total).ok());
  ASSERT_TRUE(AddUp(second, total).ok());
  EXPECT_LE(second.positive.counts.size(), static_cast<size_t>(kMaxTotalBuckets));
  EXPECT_EQ(second.positive.counts.front() + second.positive.counts.back(), 2u);
  // 4 * 10^9 buckets merge into 119 of 2^25 each.
  EXPECT_EQ(second.scale, 8 - 25);
}

TEST(DeltaTotal, APointOfAnotherKindBeginsAnew) {
  DeltaTotal total;
  NumberPoint number = DeltaOf(5, 10, 20);
  ASSERT_TRUE(AddUp(number, total).ok());
  HistogramPoint histogram = HistogramOf({1, 2}, {0.5}, 30);
  ASSERT_TRUE(AddUp(histogram, total).ok());
  EXPECT_EQ(histogram.count, 3u);
  EXPECT_EQ(histogram.start_ns, 20u);
}

TEST(DeltaTotal, ASumThatOneOfThemLacksIsNotKnown) {
  for (const bool is_first : {true, false}) {
    DeltaTotal total;
    HistogramPoint first = HistogramOf({1, 2}, {0.5}, 20);
    HistogramPoint second = HistogramOf({3, 4}, {0.5}, 30);
    HistogramPoint third = HistogramOf({1, 0}, {0.5}, 40);
    (is_first ? first : second).sum.reset();
    for (HistogramPoint* point : {&first, &second, &third}) ASSERT_TRUE(AddUp(*point, total).ok());
    EXPECT_EQ(first.sum.has_value(), !is_first);
    EXPECT_EQ(second.sum, std::nullopt) << is_first;
    EXPECT_EQ(third.sum, std::nullopt) << is_first;
    EXPECT_EQ(third.count, 11u);
  }
}

TEST(DeltaTotal, HistogramsOfOtherSizeBeginAnew) {
  DeltaTotal total;
  HistogramPoint first = HistogramOf({1, 2}, {0.5}, 20);
  HistogramPoint second = HistogramOf({3}, {0.5}, 30);
  ASSERT_TRUE(AddUp(first, total).ok());
  ASSERT_TRUE(AddUp(second, total).ok());
  EXPECT_EQ(second.start_ns, 20u);
  EXPECT_THAT(second.bucket_counts, ElementsAre(3));
}

TEST(DeltaTotal, ExponentialHistogramsHaveTwoSidesAndASum) {
  DeltaTotal total;
  ExponentialHistogramPoint first = Exponential(0, 0, {1}, 20);
  ExponentialHistogramPoint second = Exponential(0, 1, {2}, 30);
  first.negative = {3, {4, 5}};
  second.negative = {4, {6}};
  first.sum = -1;
  second.sum = 2.5;
  ASSERT_TRUE(AddUp(first, total).ok());
  ASSERT_TRUE(AddUp(second, total).ok());
  EXPECT_EQ(second.sum, 1.5);
  EXPECT_EQ(second.positive.offset, 0);
  EXPECT_THAT(second.positive.counts, ElementsAre(1, 2));
  EXPECT_EQ(second.negative.offset, 3);
  EXPECT_THAT(second.negative.counts, ElementsAre(4, 11));
  // What counts as zero is another question in each.
  ExponentialHistogramPoint other = Exponential(0, 0, {7}, 40);
  other.zero_threshold = 0.5;
  ASSERT_TRUE(AddUp(other, total).ok());
  EXPECT_EQ(other.start_ns, 30u);
  EXPECT_THAT(other.positive.counts, ElementsAre(7));
}

TEST(DeltaTotal, SoManyBucketsKeepTheirScaleAndOneMoreDoesNot) {
  for (const bool is_negative : {false, true}) {
    for (const int32_t more : {0, 1}) {
      DeltaTotal total;
      const auto last = static_cast<int32_t>(kMaxTotalBuckets) - 1 + more;
      ExponentialHistogramPoint first = Exponential(3, 0, {1}, 20);
      ExponentialHistogramPoint second = Exponential(3, last, {1}, 30);
      if (is_negative) {
        std::swap(first.positive, first.negative);
        std::swap(second.positive, second.negative);
      }
      ASSERT_TRUE(AddUp(first, total).ok());
      ASSERT_TRUE(AddUp(second, total).ok());
      EXPECT_EQ(second.scale, 3 - more) << is_negative;
      const ExponentialBuckets& side = is_negative ? second.negative : second.positive;
      // Two buckets become one: 0 to 160 are 0 to 80.
      EXPECT_EQ(side.counts.size(), more == 0 ? size_t{160} : size_t{81});
    }
  }
}

// Adds one to the series and returns its total.
double AddOne(DeltaTotals::Change& change, uint64_t series, uint64_t time_ns) {
  NumberPoint point;
  point.value = 1;
  point.time_ns = time_ns;
  EXPECT_TRUE(AddUp(point, change.Of({0, series})).ok());
  return point.value;
}

TEST(DeltaTotals, ChangesCountWhenTheyAreCommitted) {
  DeltaTotals totals;
  {
    DeltaTotals::Change change(totals);
    EXPECT_EQ(AddOne(change, 7, 10), 1);
    EXPECT_EQ(AddOne(change, 7, 20), 2);
  }
  EXPECT_EQ(totals.size(), 0u);
  DeltaTotals::Change change(totals);
  EXPECT_EQ(AddOne(change, 7, 10), 1);
  EXPECT_EQ(AddOne(change, 7, 20), 2);
  change.Commit();
  EXPECT_EQ(AddOne(change, 7, 30), 3);
  EXPECT_EQ(AddOne(change, 8, 30), 1);
  change.Commit();
  EXPECT_EQ(totals.size(), 2u);
}

TEST(DeltaTotals, ForgetsTheSilentOnesWhenFull) {
  DeltaTotals totals(8);
  DeltaTotals::Change change(totals);
  for (uint64_t series = 0; series < 8; ++series) AddOne(change, series, 10 + series);
  change.Commit();
  AddOne(change, 0, 100);
  change.Commit();
  EXPECT_EQ(totals.size(), 7u);
  // The two longest-silent series are gone, the others continue.
  EXPECT_EQ(AddOne(change, 1, 101), 1);
  EXPECT_EQ(AddOne(change, 2, 101), 2);
  EXPECT_EQ(AddOne(change, 7, 101), 2);
}

}  // namespace

}  // namespace lockstep::otlp
