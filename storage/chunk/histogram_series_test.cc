#include "storage/chunk/histogram_series.h"

#include <gtest/gtest.h>

#include "base/coding.h"
#include "storage/chunk/codec_testing.h"
#include "tests/support/format_page.h"

namespace lockstep {
namespace {

HistogramSample At(int64_t timestamp_ms, double count, double sum, std::vector<double> counts) {
  Histogram h;
  h.count = count;
  h.sum = sum;
  h.positive_spans = {{0, static_cast<uint32_t>(counts.size())}};
  h.positive_counts = std::move(counts);
  return {timestamp_ms, std::make_shared<const Histogram>(std::move(h))};
}

std::string EncodeSeries(const std::vector<HistogramSample>& samples) {
  std::string bytes;
  EncodeHistogramSeries(bytes, samples);
  return bytes;
}

absl::Status DecodeSeries(std::string_view in) {
  std::vector<HistogramSample> samples;
  return DecodeHistogramSeries(in, samples);
}

TEST(HistogramSeries, ComesBackBehindWhatIsThere) {
  const std::vector<std::vector<HistogramSample>> cases = {
      {At(5, 1, 2, {1})},
      {At(kMin, 1, 2, {1}), At(-1, 2, 2, {1, 1}), At(0, 2, 2, {2, 0}), At(kMax, 3, 3, {3})},
  };
  for (const std::vector<HistogramSample>& samples : cases) {
    const std::string bytes = EncodeSeries(samples) + "rest";
    std::string_view in = bytes;
    SampleColumns read, expected;
    read.histograms = {At(7, 1, 1, {1})};
    expected.histograms = read.histograms;
    expected.histograms.insert(expected.histograms.end(), samples.begin(), samples.end());
    const absl::Status status = DecodeHistogramSeries(in, read.histograms);
    ASSERT_TRUE(status.ok()) << status;
    EXPECT_EQ(in, "rest");
    ExpectSameColumns(read, expected);
    const auto range = HistogramSeriesRange(bytes);
    ASSERT_TRUE(range.ok());
    EXPECT_EQ(range->min_ms, samples.front().timestamp_ms);
    EXPECT_EQ(range->max_ms, samples.back().timestamp_ms);
  }
}

TEST(HistogramSeries, DamageIsAStatus) {
  const std::string bytes =
      EncodeSeries({At(5, 1, 2, {1}), At(9, 2, 2, {1, 1}), At(20, 2, 2, {2, 1})});
  ExpectEveryTruncationFails(bytes, DecodeSeries);
  ExpectDamageIsSurvived(bytes, DecodeSeries);
}

TEST(HistogramSeries, TimesThatDoNotAscendAreRefused) {
  const auto claim = [](uint64_t duration_ms, uint64_t step_ms) {
    std::string bytes;
    PutVarint64(bytes, 2);
    PutVarintSigned64(bytes, 10);
    PutVarint64(bytes, duration_ms);
    PutVarint64(bytes, step_ms);
    return DecodeSeries(bytes + EncodeSeries({At(0, 1, 1, {1}), At(1, 1, 1, {1})}).substr(4))
        .code();
  };
  EXPECT_EQ(claim(5, 5), absl::StatusCode::kOk);
  EXPECT_EQ(claim(0, 0), absl::StatusCode::kDataLoss);
  EXPECT_EQ(claim(5, 4), absl::StatusCode::kDataLoss);
  EXPECT_EQ(claim(~uint64_t{0}, ~uint64_t{0}), absl::StatusCode::kDataLoss);
}

TEST(HistogramSeries, AgreesWithTheFormatPage) {
  EXPECT_EQ(EncodeSeries({At(60'000, 3, 4.5, {2, 1}), At(75'000, 5, 9, {3, 2})}),
            FormatPageExample("chunk.md", "histograms"));
}

TEST(HistogramSeries, AHeaderThatCannotBeIsRefused) {
  const auto range = [](uint64_t count, int64_t first_ms, uint64_t duration_ms, size_t rest) {
    std::string bytes;
    PutVarint64(bytes, count);
    PutVarintSigned64(bytes, first_ms);
    PutVarint64(bytes, duration_ms);
    return HistogramSeriesRange(bytes + std::string(rest, 'x')).ok();
  };
  EXPECT_TRUE(range(3, 10, 5, 3));
  EXPECT_FALSE(range(0, 10, 5, 3));
  EXPECT_FALSE(range(4, 10, 5, 3));
  EXPECT_TRUE(range(1, kMax, 0, 3));
  EXPECT_FALSE(range(1, kMax, 1, 3));
  EXPECT_TRUE(range(1, kMin, ~uint64_t{0}, 3));
}

}  // namespace
}  // namespace lockstep
