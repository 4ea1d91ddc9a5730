#include "ingest/histogram/histogram_check.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "base/status.h"

namespace lockstep {
namespace {

std::string Flaw(const Histogram& h) { return std::string(Message(CheckHistogramLayout(h))); }

Histogram WithPositive(std::vector<BucketSpan> spans, size_t bucket_count) {
  Histogram h;
  h.positive_spans = std::move(spans);
  h.positive_counts.resize(bucket_count);
  return h;
}

TEST(HistogramCheckTest, SpansAndBucketsAgreeOnEachSide) {
  EXPECT_EQ(Flaw(Histogram()), "");
  EXPECT_EQ(Flaw(WithPositive({{-5, 2}, {0, 1}}, 3)), "");
  EXPECT_EQ(Flaw(WithPositive({{-5, 2}, {-1, 1}}, 3)),
            "span number 2 with offset -1: histogram has a span whose offset is negative");
  const std::string other =
      "spans need 2 buckets, have 3 buckets: histogram spans specify different number of buckets "
      "than provided";
  EXPECT_EQ(Flaw(WithPositive({{0, 2}}, 3)), other);
  Histogram h = WithPositive({{0, 2}}, 3);
  std::swap(h.positive_spans, h.negative_spans);
  std::swap(h.positive_counts, h.negative_counts);
  EXPECT_EQ(Flaw(h), other);
}

TEST(HistogramCheckTest, IndicesHaveThirtyTwoBits) {
  constexpr int32_t kMax = std::numeric_limits<int32_t>::max();
  EXPECT_EQ(Flaw(WithPositive({{kMax - 1, 1}}, 1)), "");
  EXPECT_EQ(Flaw(WithPositive({{kMax, 1}}, 1)), "histogram has a bucket index beyond 32 bits");
  EXPECT_EQ(Flaw(WithPositive({{kMax - 2, 1}, {0, 1}}, 2)), "");
  EXPECT_EQ(Flaw(WithPositive({{kMax - 2, 1}, {1, 1}}, 2)),
            "histogram has a bucket index beyond 32 bits");
}

TEST(HistogramCheckTest, Schemas) {
  Histogram h;
  for (const int32_t schema : {-4, 0, 8}) {
    h.schema = schema;
    EXPECT_EQ(Flaw(h), "") << schema;
  }
  h.schema = 9;
  EXPECT_EQ(Flaw(h), "histogram has an invalid schema 9, which must be between -4 and 8 or -53");
  h.schema = -5;
  EXPECT_EQ(Flaw(h), "histogram has an invalid schema -5, which must be between -4 and 8 or -53");
  h.schema = 0;
  h.custom_values = {1};
  EXPECT_EQ(Flaw(h), "histogram with exponential schema must not have custom bounds");
}

TEST(HistogramCheckTest, TheZeroThresholdIsNotNegative) {
  Histogram h;
  const std::string flaw = "histogram has a zero threshold that is negative or not a number";
  h.zero_threshold = -1e-9;
  EXPECT_EQ(Flaw(h), flaw);
  h.zero_threshold = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(Flaw(h), flaw);
  h.zero_threshold = 1;
  EXPECT_EQ(Flaw(h), "");
}

Histogram Custom(std::vector<double> bounds, std::vector<BucketSpan> spans, size_t bucket_count) {
  Histogram h = WithPositive(std::move(spans), bucket_count);
  h.schema = kCustomBucketsSchema;
  h.custom_values = std::move(bounds);
  return h;
}

TEST(HistogramCheckTest, CustomBucketsHaveOneMoreThanBounds) {
  EXPECT_EQ(Flaw(Custom({}, {}, 0)), "");
  EXPECT_EQ(Flaw(Custom({}, {{0, 1}}, 1)), "");
  EXPECT_EQ(Flaw(Custom({1, 2}, {{0, 3}}, 3)), "");
  EXPECT_EQ(Flaw(Custom({1, 2}, {{1, 1}, {0, 1}}, 2)), "");
  EXPECT_EQ(Flaw(Custom({1, 2}, {{0, 4}}, 4)),
            "only 2 custom bounds defined which is insufficient to cover total span length of 4: "
            "histogram custom bounds are too few");
  EXPECT_EQ(Flaw(Custom({1, 2}, {{2, 1}, {1, 1}}, 2)),
            "only 2 custom bounds defined which is insufficient to cover total span length of 5: "
            "histogram custom bounds are too few");
  EXPECT_EQ(Flaw(Custom({1, 2}, {{-1, 1}}, 1)), "histogram has a span whose offset is negative");
}

TEST(HistogramCheckTest, CustomBoundsIncrease) {
  const double infinity = std::numeric_limits<double>::infinity();
  const std::string order = "histogram custom bounds must be in strictly increasing order";
  EXPECT_EQ(Flaw(Custom({-infinity, 0}, {}, 0)), "");
  EXPECT_EQ(Flaw(Custom({1, 1}, {}, 0)), order);
  EXPECT_EQ(Flaw(Custom({-infinity, -infinity}, {}, 0)), order);
  EXPECT_EQ(Flaw(Custom({2, 1}, {}, 0)), order);
  EXPECT_EQ(Flaw(Custom({std::numeric_limits<double>::quiet_NaN()}, {}, 0)), order);
  EXPECT_EQ(Flaw(Custom({1, infinity}, {}, 0)), "histogram custom bounds must be finite");
  EXPECT_EQ(Flaw(Custom({-infinity}, {}, 0)), "");
}

TEST(HistogramCheckTest, CustomBucketsHaveOnlyOneSide) {
  Histogram h = Custom({1}, {}, 0);
  h.zero_count = 1;
  EXPECT_EQ(Flaw(h), "custom buckets: must have zero count of 0");
  h = Custom({1}, {}, 0);
  h.zero_threshold = 1;
  EXPECT_EQ(Flaw(h), "custom buckets: must have zero threshold of 0");
  h = Custom({1}, {}, 0);
  h.negative_spans = {{0, 0}};
  EXPECT_EQ(Flaw(h), "custom buckets: must not have negative spans");
}

}  // namespace
}  // namespace lockstep
