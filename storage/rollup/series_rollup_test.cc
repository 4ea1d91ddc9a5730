#include "storage/rollup/series_rollup.h"

#include <gtest/gtest.h>

#include <limits>

namespace lockstep {
namespace {

constexpr int64_t kFirstBegin = kRollupWindowMs * 100;
constexpr int64_t kBucket = kThinningBucketMs;

SampleColumns Columns(const std::vector<Sample>& samples) {
  SampleColumns columns;
  for (const Sample& sample : samples)
    columns.Append(kFirstBegin + sample.timestamp_ms, sample.value);
  return columns;
}

SeriesRollup RolledUp(const std::vector<Sample>& samples) {
  SeriesRollup rollup;
  EXPECT_TRUE(RollUp(Columns(samples), kFirstBegin, rollup));
  return rollup;
}

TEST(SeriesRollup, BucketsAreLeftOpen) {
  const SeriesRollup rollup =
      RolledUp({{0, 1}, {1, 2}, {kBucket, 3}, {kBucket + 1, 4}, {kRollupWindowMs - 1, 5}});
  EXPECT_EQ(rollup.times.buckets, 0b111u | uint64_t{1} << 48);
  EXPECT_EQ(rollup.times.counts, (std::vector<int64_t>{1, 2, 1, 1}));
  EXPECT_EQ(rollup.times.firsts, (std::vector<int64_t>{0, kBucket - 1, kBucket - 1, 1}));
  EXPECT_EQ(rollup.times.lasts, (std::vector<int64_t>{0, 0, kBucket - 1, 1}));
  EXPECT_EQ(rollup.lows, (std::vector<double>{1, 2, 4, 5}));
  EXPECT_EQ(rollup.highs, (std::vector<double>{1, 3, 4, 5}));
  EXPECT_TRUE(rollup.ascends);
  EXPECT_TRUE(rollup.lasts.empty());
}

TEST(SeriesRollup, AFallInsideABucketIsNoAscent) {
  const SeriesRollup rollup = RolledUp({{1, 5}, {2, 9}, {3, 2}, {4, 7}});
  EXPECT_FALSE(rollup.ascends);
  EXPECT_EQ(rollup.lows, (std::vector<double>{2}));
  EXPECT_EQ(rollup.highs, (std::vector<double>{9}));
  EXPECT_EQ(rollup.lasts, (std::vector<double>{7}));
  // A fall between buckets does not count.
  EXPECT_TRUE(RolledUp({{1, 5}, {kBucket + 1, 2}}).ascends);
}

TEST(SeriesRollup, OfEqualValuesTheFirstStays) {
  const SeriesRollup rollup = RolledUp({{1, 0.0}, {2, -0.0}, {3, 0.0}});
  EXPECT_FALSE(std::signbit(rollup.lows[0]));
  EXPECT_FALSE(std::signbit(rollup.highs[0]));
  EXPECT_TRUE(rollup.ascends);
  // The highest value is not the last one to the bit.
  EXPECT_FALSE(RolledUp({{1, 0.0}, {2, -0.0}}).ascends);
}

TEST(SeriesRollup, StaleMarkersAreLeftOut) {
  const SeriesRollup rollup = RolledUp({{1, StaleNan()}, {2, 3}, {3, StaleNan()}, {4, 4}});
  EXPECT_EQ(rollup.times.counts, (std::vector<int64_t>{2}));
  EXPECT_EQ(rollup.times.firsts, (std::vector<int64_t>{kBucket - 2}));
  EXPECT_EQ(RolledUp({{1, StaleNan()}}).times.buckets, 0u);
}

TEST(SeriesRollup, NansAndHistogramsCannotBeSummedUp) {
  SeriesRollup rollup;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(RollUp(Columns({{1, nan}}), kFirstBegin, rollup));
  EXPECT_FALSE(RollUp(Columns({{1, 1}, {2, nan}}), kFirstBegin, rollup));
  SampleColumns columns = Columns({{1, 1}});
  columns.histograms.push_back({kFirstBegin + 2, std::make_shared<Histogram>()});
  EXPECT_FALSE(RollUp(columns, kFirstBegin, rollup));
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(RollUp(Columns({{1, infinity}, {2, -infinity}}), kFirstBegin, rollup));
}

TEST(SeriesRollup, SamplesLieInTheWindow) {
  SeriesRollup rollup;
  EXPECT_TRUE(RollUp(Columns({{0, 1}, {kRollupWindowMs - 1, 1}}), kFirstBegin, rollup));
  EXPECT_FALSE(RollUp(Columns({{-1, 1}, {5, 1}}), kFirstBegin, rollup));
  EXPECT_FALSE(RollUp(Columns({{5, 1}, {kRollupWindowMs, 1}}), kFirstBegin, rollup));
  EXPECT_TRUE(RollUp(Columns({}), kFirstBegin, rollup));
  EXPECT_EQ(rollup.times.buckets, 0u);
}

TEST(SeriesRollup, AKnownStartCannotBeSummedUp) {
  SeriesRollup rollup;
  SampleColumns columns = Columns({{1, 1}, {2, 2}});
  columns.start_timestamps_ms = {0, 0};
  EXPECT_TRUE(RollUp(columns, kFirstBegin, rollup));
  columns.start_timestamps_ms = {0, 5};
  EXPECT_FALSE(RollUp(columns, kFirstBegin, rollup));
}

TEST(SeriesRollup, NothingIsLeftOfTheSeriesBefore) {
  SeriesRollup rollup;
  ASSERT_TRUE(RollUp(Columns({{1, 5}, {2, 3}, {kBucket + 1, 7}}), kFirstBegin, rollup));
  EXPECT_FALSE(rollup.ascends);
  EXPECT_EQ(rollup.lasts.size(), 2u);
  ASSERT_TRUE(RollUp(Columns({{1, 5}}), kFirstBegin, rollup));
  EXPECT_EQ(rollup.times.buckets, 0b10u);
  EXPECT_EQ(rollup.times.counts, std::vector<int64_t>{1});
  EXPECT_EQ(rollup.times.firsts.size(), 1u);
  EXPECT_EQ(rollup.times.lasts.size(), 1u);
  EXPECT_EQ(rollup.lows, std::vector<double>{5});
  EXPECT_EQ(rollup.highs, std::vector<double>{5});
  EXPECT_TRUE(rollup.ascends);
  EXPECT_TRUE(rollup.lasts.empty());
}

}  // namespace
}  // namespace lockstep
