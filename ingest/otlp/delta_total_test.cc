#include "ingest/otlp/delta_total.h"

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

// "value since start" of each, added up one after the other, or the error.
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
  // A gap is no reset: nobody says that something was lost.
  EXPECT_THAT(Added(Points(DeltaOf(5, 10, 20), DeltaOf(7, 500, 600), DeltaOf(1, 600, 700))),
              ElementsAre("5 since 10", "12 since 10", "13 since 10"));
}

TEST(DeltaTotal, WhatIsSentAgainIsNotAddedAgain) {
  EXPECT_THAT(Added(Points(DeltaOf(5, 10, 20), DeltaOf(5, 10, 20), DeltaOf(7, 20, 30))),
              ElementsAre("5 since 10", "5 since 10", "12 since 10"));
  EXPECT_THAT(
      Added(Points(DeltaOf(5, 0, 4'000'000), DeltaOf(5, 0, 1'000'000), DeltaOf(7, 0, 5'000'000))),
      ElementsAre("5 since 0",
                  "the delta is 3 ms older than the last of its series, which are added up as they "
                  "come",
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
  // Others begin anew, which their start tells.
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
  // Numbers 2 to 5 of scale 1 are 1, 1, 2 and 2 of scale 0; -1 and 0 were there.
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
  // 4 * 10^9 buckets are 119 of 2^25.
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

}  // namespace
}  // namespace lockstep::otlp
