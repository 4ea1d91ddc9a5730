// Instant queries that are range vectors, and the order and names of results.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "query/engine/engine_testing.h"

namespace lockstep::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::shared_ptr<const Histogram> ZeroBucket(double count, CounterResetHint hint = {}) {
  Histogram histogram;
  histogram.count = histogram.zero_count = count;
  histogram.reset_hint = hint;
  return std::make_shared<const Histogram>(histogram);
}

class RangeVectorTest : public EngineFixture {
 protected:
  std::vector<std::string> Samples(std::string_view text, int64_t time_ms) {
    const auto result = Instant(text, time_ms);
    if (!result.ok()) return {std::string(Message(result.status()))};
    return Lines(std::get<MatrixResult>(result->value));
  }
};

TEST_F(RangeVectorTest, WindowsAreLeftOpen) {
  Load({{"__name__", "m"}, {"i", "0"}}, {10, 20, 30, 40, 50});
  Load({{"__name__", "m"}, {"i", "1"}}, {1, StaleNan(), 3});
  EXPECT_THAT(Samples("m[2m]", 3 * kMinute),
              ElementsAre("m{i=\"0\"} 30@120 40@180", "m{i=\"1\"} 3@120"));
  EXPECT_THAT(Samples("m[2m]", 4 * kMinute), ElementsAre("m{i=\"0\"} 40@180 50@240"));
  EXPECT_THAT(Samples("m[2m] offset 1m", 3 * kMinute),
              ElementsAre("m{i=\"0\"} 20@60 30@120", "m{i=\"1\"} 3@120"));
  EXPECT_THAT(Samples("(m[1m] @ 60)", 3 * kMinute), ElementsAre("m{i=\"0\"} 20@60"));
  EXPECT_THAT(Samples("m[1m]", 9 * kMinute), IsEmpty());
}

TEST_F(RangeVectorTest, HistogramsAreReturnedAsTheyAre) {
  const LabelSet labels = LabelSet::Of({{"__name__", "h"}});
  storage_.Append(labels, 0, ZeroBucket(1));
  storage_.Append(labels, kMinute, ZeroBucket(2));
  storage_.Append(labels, 2 * kMinute, 7.0);
  storage_.Append(labels, 3 * kMinute, ZeroBucket(3));
  const auto result = Instant("h[3m]", 3 * kMinute);
  ASSERT_TRUE(result.ok()) << result.status();
  const auto& matrix = std::get<MatrixResult>(result->value);
  ASSERT_EQ(matrix.size(), 1u);
  EXPECT_THAT(matrix[0].samples.values, ElementsAre(7));
  ASSERT_EQ(matrix[0].samples.histograms.size(), 2u);
  EXPECT_EQ(matrix[0].samples.histograms[0].timestamp_ms, kMinute);
  EXPECT_EQ(matrix[0].samples.histograms[0].histogram->count, 2);
  EXPECT_EQ(matrix[0].samples.histograms[1].histogram->count, 3);
}

// An anchored range begins with the newest sample at or before its start, at its start, and ends
// with the last sample in it, at its end.
TEST_F(RangeVectorTest, AnchoredRangesHaveSamplesAtTheirEdges) {
  Load({{"__name__", "m"}}, {10, 20, 30, 40, 50});
  EXPECT_THAT(Samples("m[2m] anchored", 210'000), ElementsAre("m 20@90 30@120 40@180 40@210"));
  EXPECT_THAT(Samples("m[2m] anchored", 3 * kMinute), ElementsAre("m 20@60 30@120 40@180"));
  // Nothing is before it.
  EXPECT_THAT(Samples("m[10m] anchored", 2 * kMinute), ElementsAre("m 10@-480 10@0 20@60 30@120"));
  EXPECT_THAT(Samples("m[1m] anchored", 6 * kMinute), IsEmpty());
  EXPECT_THAT(Samples("m[1m] anchored", 330'000), IsEmpty());
  EXPECT_THAT(Samples("m[1m] anchored", 5 * kMinute), IsEmpty());
  EXPECT_THAT(Samples("m[2m] anchored", 330'000), ElementsAre("m 40@210 50@240 50@330"));
}

// A smoothed range has values between its neighbours at its edges.
TEST_F(RangeVectorTest, SmoothedRangesAreInterpolatedAtTheirEdges) {
  Load({{"__name__", "m"}}, {10, 20, 30, 40, 50});
  EXPECT_THAT(Samples("m[2m] smoothed", 210'000), ElementsAre("m 25@90 30@120 40@180 45@210"));
  EXPECT_THAT(Samples("m[2m] smoothed", 195'000), ElementsAre("m 22.5@75 30@120 40@180 42.5@195"));
  EXPECT_THAT(Samples("m[2m] smoothed", 3 * kMinute), ElementsAre("m 20@60 30@120 40@180"));
  EXPECT_THAT(Samples("m[10m] smoothed", 2 * kMinute), ElementsAre("m 10@-480 10@0 20@60 30@120"));
  // Nothing is behind it.
  EXPECT_THAT(Samples("m[2m] smoothed", 330'000), ElementsAre("m 45@210 50@240 50@330"));
  EXPECT_THAT(Samples("m[1m] smoothed", 6 * kMinute), IsEmpty());
  // All samples are behind it.
  storage_.Append(LabelSet::Of({{"__name__", "late"}}), 10 * kMinute, 7.0);
  EXPECT_THAT(Samples("late[1m] smoothed", 8 * kMinute), ElementsAre("late 7@420 7@480"));
  EXPECT_THAT(Samples("late[1m] smoothed", 5 * kMinute - 1), IsEmpty());
  // Between two samples, without one inside.
  EXPECT_THAT(Samples("m[12s] smoothed", 90'000), ElementsAre("m 23@78 25@90"));
}

TEST_F(RangeVectorTest, EdgesOfHistogramsAreNotMade) {
  storage_.Append(LabelSet::Of({{"__name__", "h"}}), 0, ZeroBucket(1));
  EXPECT_THAT(Samples("h[1m] anchored", 0),
              ElementsAre("anchored modifier is not supported with histograms"));
  EXPECT_THAT(Samples("h[1m] smoothed", 0),
              ElementsAre("smoothed modifier is not supported with histograms"));
}

TEST_F(RangeVectorTest, OnlySomeFunctionsTakeEdges) {
  Load({{"__name__", "m_total"}}, {10, 20, 30, 40, 50});
  EXPECT_THAT(InstantLines("sum_over_time(m_total[2m] anchored)"),
              ElementsAre("anchored modifier can only be used with: changes, delta, increase, "
                          "rate, resets - not with sum_over_time"));
  EXPECT_THAT(InstantLines("changes((m_total[2m] smoothed))"),
              ElementsAre("smoothed modifier can only be used with: delta, increase, rate - not "
                          "with changes"));
  EXPECT_THAT(InstantLines("increase(m_total[2m] anchored)", 3 * kMinute), ElementsAre("{} 20"));
  EXPECT_THAT(InstantLines("changes(m_total[2m] anchored)", 3 * kMinute), ElementsAre("{} 2"));
  EXPECT_THAT(InstantLines("resets(m_total[2m] anchored)", 3 * kMinute), ElementsAre("{} 0"));
  EXPECT_THAT(InstantLines("delta(m_total[2m] smoothed)", 210'000), ElementsAre("{} 20"));
}

TEST_F(RangeVectorTest, SubqueriesDropNames) {
  Load({{"__name__", "a"}, {"x", "1"}}, {1, 2, 3});
  EXPECT_THAT(Samples("abs(a)[2m:1m]", 2 * kMinute), ElementsAre("{x=\"1\"} 2@60 3@120"));
  EXPECT_THAT(Samples("a[2m:30s]", 2 * kMinute), ElementsAre("a{x=\"1\"} 1@30 2@60 2@90 3@120"));
  // Without a step, the engine's minute.
  EXPECT_THAT(Samples("a[2m:]", 2 * kMinute), ElementsAre("a{x=\"1\"} 2@60 3@120"));
  // Steps are multiples of the step, also before the epoch.
  EXPECT_THAT(Samples("vector(1)[2m:50s]", 2 * kMinute), ElementsAre("{} 1@50 1@100"));
  EXPECT_THAT(Samples("vector(1)[2m:50s]", kMinute), ElementsAre("{} 1@-50 1@0 1@50"));
  Load({{"__name__", "b"}, {"x", "1"}}, {1, 2, 3});
  EXPECT_THAT(Samples("abs({x=\"1\"})[2m:1m]", 2 * kMinute),
              ElementsAre("vector cannot contain metrics with the same labelset"));
}

// A hint is about the sample before, which another step may not have.
TEST_F(RangeVectorTest, SubqueriesForgetResetHints) {
  const auto hint_of = [&](CounterResetHint hint) {
    storage_.Clear();
    storage_.Append(LabelSet::Of({{"__name__", "h"}}), 0, ZeroBucket(1, hint));
    const auto result = Instant("last_over_time(h[1m:1m])");
    return std::get<VectorResult>(result->value).at(0).histogram->reset_hint;
  };
  EXPECT_EQ(hint_of(CounterResetHint::kReset), CounterResetHint::kUnknown);
  EXPECT_EQ(hint_of(CounterResetHint::kNotReset), CounterResetHint::kUnknown);
  EXPECT_EQ(hint_of(CounterResetHint::kUnknown), CounterResetHint::kUnknown);
  EXPECT_EQ(hint_of(CounterResetHint::kGauge), CounterResetHint::kGauge);
}

TEST_F(RangeVectorTest, SeriesOfARangeAreSortedByLabels) {
  Load({{"__name__", "m"}, {"i", "1"}, {"k", "b"}}, {1, 2});
  Load({{"__name__", "m"}, {"i", "2"}, {"k", "a"}}, {3, 4});
  EXPECT_THAT(RangeLines("label_del(m, \"i\")", 0, kMinute),
              ElementsAre("m{k=\"a\"} 3@0 4@60", "m{k=\"b\"} 1@0 2@60"));
  EXPECT_THAT(InstantLines("label_del(m, \"i\")"), ElementsAre("m{k=\"b\"} 1", "m{k=\"a\"} 3"));
  EXPECT_THAT(Samples("label_del(m, \"i\")[1m:1m]", kMinute),
              ElementsAre("m{k=\"a\"} 4@60", "m{k=\"b\"} 2@60"));
}

TEST_F(RangeVectorTest, InstantVectorsHaveHistograms) {
  storage_.Append(LabelSet::Of({{"__name__", "h"}}), 0, ZeroBucket(4));
  const auto result = Instant("h", 5'000);
  ASSERT_TRUE(result.ok()) << result.status();
  const auto& vector = std::get<VectorResult>(result->value);
  ASSERT_EQ(vector.size(), 1u);
  EXPECT_EQ(vector[0].timestamp_ms, 5'000);
  ASSERT_NE(vector[0].histogram, nullptr);
  EXPECT_EQ(vector[0].histogram->count, 4);
  const auto negated = Instant("-h");
  EXPECT_EQ(std::get<VectorResult>(negated->value).at(0).histogram->count, -4);
}

TEST_F(RangeVectorTest, AHistogramOfARangeReplacesAnOlderFloat) {
  const LabelSet labels = LabelSet::Of({{"__name__", "h"}});
  storage_.Append(labels, 0, 5.0);
  storage_.Append(labels, kMinute, ZeroBucket(2));
  storage_.Append(labels, 3 * kMinute, 6.0);
  const auto result = Range("h", 0, 3 * kMinute);
  ASSERT_TRUE(result.ok()) << result.status();
  const auto& samples = std::get<MatrixResult>(result->value).at(0).samples;
  EXPECT_THAT(samples.timestamps_ms, ElementsAre(0, 3 * kMinute));
  EXPECT_THAT(samples.values, ElementsAre(5, 6));
  ASSERT_EQ(samples.histograms.size(), 2u);
  EXPECT_EQ(samples.histograms[0].timestamp_ms, kMinute);
  EXPECT_EQ(samples.histograms[1].timestamp_ms, 2 * kMinute);
}

// Between two histograms as between two floats.
TEST_F(RangeVectorTest, SmoothedHistogramsAreInterpolated) {
  const LabelSet labels = LabelSet::Of({{"__name__", "h"}});
  storage_.Append(labels, kMinute, ZeroBucket(2, CounterResetHint::kNotReset));
  storage_.Append(labels, 2 * kMinute, ZeroBucket(6, CounterResetHint::kNotReset));
  const auto at = [&](int64_t time_ms) -> std::shared_ptr<const Histogram> {
    const auto result = Instant("h smoothed", time_ms);
    const auto& vector = std::get<VectorResult>(result->value);
    return vector.empty() ? nullptr : vector[0].histogram;
  };
  EXPECT_EQ(at(30'000), nullptr);
  EXPECT_EQ(at(60'000)->count, 2);
  EXPECT_EQ(at(60'000)->reset_hint, CounterResetHint::kNotReset);
  EXPECT_EQ(at(75'000)->count, 3);
  EXPECT_EQ(at(120'000)->count, 6);
  EXPECT_EQ(at(150'000)->count, 6);
  EXPECT_EQ(at(150'000)->reset_hint, CounterResetHint::kUnknown);
  // The lookback is five minutes.
  EXPECT_NE(at(7 * kMinute - 1), nullptr);
  EXPECT_EQ(at(7 * kMinute), nullptr);
}

TEST_F(RangeVectorTest, SmoothedFloatsAreInterpolated) {
  Load({{"__name__", "m"}}, {10, 20});
  storage_.Append(LabelSet::Of({{"__name__", "far"}}), 0, 10.0);
  storage_.Append(LabelSet::Of({{"__name__", "far"}}), 5 * kMinute, 20.0);
  storage_.Append(LabelSet::Of({{"__name__", "far"}}), 15 * kMinute, 30.0);
  EXPECT_THAT(InstantLines("m smoothed", 15'000), ElementsAre("m 12.5"));
  EXPECT_THAT(InstantLines("m smoothed", kMinute), ElementsAre("m 20"));
  EXPECT_THAT(InstantLines("m smoothed", 2 * kMinute), ElementsAre("m 20"));
  EXPECT_THAT(InstantLines("m smoothed", -1), IsEmpty());
  EXPECT_THAT(InstantLines("m smoothed", 6 * kMinute), IsEmpty());
  EXPECT_THAT(InstantLines("far smoothed", kMinute), ElementsAre("far 12"));
  // The next one is a lookback away at ten minutes, but then the one before is too old.
  EXPECT_THAT(InstantLines("far smoothed", 10 * kMinute - 1), ElementsAre("far 20"));
  EXPECT_THAT(InstantLines("far smoothed", 10 * kMinute), IsEmpty());
}

}  // namespace
}  // namespace lockstep::engine
