#include "storage/db/write/rejection.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "model/tenant.h"

namespace lockstep {
namespace {

constexpr const char* kBadHistogram =
    "a histogram's spans and counts do not match, or it has more than 10000 numbers";

SeriesWrite WriteOf(Histogram histogram) {
  return {LabelSet::Of({{kMetricName, "m"}}),
          {},
          {{0, std::make_shared<const Histogram>(std::move(histogram))}}};
}

// A write of a series whose labels take this many bytes.
SeriesWrite WriteWithLabelBytes(size_t byte_count) {
  const auto of_length = [](size_t length) {
    return LabelSet::Of({{kMetricName, std::string(length, 'x')}});
  };
  const size_t overhead = of_length(byte_count).bytes().size() - byte_count;
  return {of_length(byte_count - overhead), {{0, 1}}, {}};
}

TEST(WhyUnstorable, LabelsHaveALimit) {
  EXPECT_EQ(WhyUnstorable(WriteWithLabelBytes(65'536)), "");
  EXPECT_EQ(WhyUnstorable(WriteWithLabelBytes(65'537)),
            "the labels take 65537 bytes, more than the limit of 65536");
  EXPECT_EQ(WhyUnstorable({LabelSet(), {{0, 1}}, {}}), "the series has no labels");
}

TEST(WhyUnstorable, ThereIsAStartForEachSampleOrNone) {
  SeriesWrite write{LabelSet::Of({{kMetricName, "m"}}), {{0, 1}, {1, 1}}, {}};
  EXPECT_EQ(WhyUnstorable(write), "");
  write.start_timestamps_ms = {5, 5};
  EXPECT_EQ(WhyUnstorable(write), "");
  write.start_timestamps_ms = {5, 5, 5};
  EXPECT_EQ(WhyUnstorable(write), "there are 3 start timestamps for 2 samples");
}

TEST(WhyUnstorable, AHistogramHasACountForEachBucketOfItsSpans) {
  Histogram histogram;
  histogram.positive_spans = {{0, 2}, {5, 1}};
  histogram.positive_counts = {1, 2, 3};
  histogram.negative_spans = {{0, 1}};
  histogram.negative_counts = {1};
  EXPECT_EQ(WhyUnstorable(WriteOf(histogram)), "");
  Histogram changed = histogram;
  changed.positive_counts.pop_back();
  EXPECT_EQ(WhyUnstorable(WriteOf(changed)), kBadHistogram);
  changed = histogram;
  changed.negative_counts.push_back(1);
  EXPECT_EQ(WhyUnstorable(WriteOf(changed)), kBadHistogram);
  EXPECT_EQ(WhyUnstorable({LabelSet::Of({{kMetricName, "m"}}), {}, {{0, nullptr}}}), kBadHistogram);
  // The second one counts too.
  SeriesWrite two = WriteOf(histogram);
  two.histograms.push_back(WriteOf(changed).histograms[0]);
  EXPECT_EQ(WhyUnstorable(two), kBadHistogram);
}

// A span takes two numbers, everything else one.
TEST(WhyUnstorable, AHistogramHasTenThousandNumbersAtMost) {
  const auto why = [](uint32_t positive, uint32_t negative, size_t custom) {
    Histogram histogram;
    if (positive > 0) histogram.positive_spans = {{0, positive}};
    histogram.positive_counts.resize(positive);
    if (negative > 0) histogram.negative_spans = {{0, negative}};
    histogram.negative_counts.resize(negative);
    histogram.custom_values.resize(custom);
    return WhyUnstorable(WriteOf(std::move(histogram)));
  };
  EXPECT_EQ(why(9'998, 0, 0), "");
  EXPECT_EQ(why(9'999, 0, 0), kBadHistogram);
  EXPECT_EQ(why(0, 9'998, 0), "");
  EXPECT_EQ(why(0, 9'999, 0), kBadHistogram);
  EXPECT_EQ(why(0, 0, 10'000), "");
  EXPECT_EQ(why(0, 0, 10'001), kBadHistogram);
  EXPECT_EQ(why(4'000, 3'000, 2'996), "");
  EXPECT_EQ(why(4'000, 3'000, 2'997), kBadHistogram);
}

constexpr int64_t kSecondMs = 1000;

TEST(WhyRejected, DurationsAreInTheLargestUnitThatDividesThem) {
  const SeriesLimit limit;
  const auto retention = [&limit](int64_t keep_ms) {
    SliceCounts counts;
    counts.too_old = 1;
    return WhyRejected(counts, keep_ms, LabelSet(), limit);
  };
  EXPECT_EQ(retention(15 * 24 * 3600 * kSecondMs), "1 sample is older than the retention of 15d");
  EXPECT_EQ(retention(36 * 3600 * kSecondMs), "1 sample is older than the retention of 36h");
  EXPECT_EQ(retention(90 * 60 * kSecondMs), "1 sample is older than the retention of 90m");
  EXPECT_EQ(retention(90 * kSecondMs), "1 sample is older than the retention of 90s");
  EXPECT_EQ(retention(1500), "1 sample is older than the retention of 1500ms");
}

TEST(WhyRejected, AllReasonsAreNamed) {
  const SeriesLimit limit({.max_series = 7});
  SliceCounts counts;
  EXPECT_EQ(WhyRejected(counts, kSecondMs, LabelSet(), limit), "");
  counts.too_old = 3;
  counts.too_new = 2;
  EXPECT_EQ(WhyRejected(counts, kSecondMs, LabelSet(), limit),
            "3 samples are older than the retention of 1s, 2 samples are more than 1d in the "
            "future");
  counts = {};
  counts.over_series_limit = 1;
  counts.which_limit = SeriesLimit::Answer::kStoreIsFull;
  EXPECT_EQ(WhyRejected(counts, kSecondMs, LabelSet(), limit),
            "the series is new, and the store has reached its limit of 7 series "
            "(--storage.max-series)");
}

TEST(WhyRejected, TheLimitThatWasReachedIsNamed) {
  MemoryBudget memory(uint64_t{64} << 20);
  SeriesLimits limits{.max_series_per_job = 5};
  limits.by_tenant = {{Matcher::Equal("tenant", "acme"), 9}, {{}, 4}};
  const SeriesLimit limit(limits, memory);
  const LabelSet series = LabelSet::Of({{kMetricName, "m"}, {"job", "train"}});
  const auto why = [&](SeriesLimit::Answer which, const LabelSet& labels) {
    SliceCounts counts;
    counts.over_series_limit = 1;
    counts.which_limit = which;
    return WhyRejected(counts, kSecondMs, labels, limit);
  };
  EXPECT_EQ(why(SeriesLimit::Answer::kTenantIsFull, WithTenant("acme", series)),
            "the series is new, and the tenant \"acme\" has reached its limit of 9 series "
            "(tenants.limits)");
  EXPECT_EQ(why(SeriesLimit::Answer::kTenantIsFull, series),
            "the series is new, and the tenant \"default\" has reached its limit of 4 series "
            "(tenants.limits)");
  EXPECT_EQ(why(SeriesLimit::Answer::kJobIsFull, series),
            "the series is new, and the job \"train\" has reached its limit of 5 series "
            "(--ingest.max-series-per-job)");
  // Half of all memory is for series.
  EXPECT_EQ(why(SeriesLimit::Answer::kNoMemory, series),
            "the series is new, and the memory for series is used up; the limit is 32 MiB "
            "(--memory-limit)");
}

}  // namespace
}  // namespace lockstep
