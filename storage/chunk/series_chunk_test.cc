#include "storage/chunk/series_chunk.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "base/coding.h"
#include "storage/chunk/codec_test_support.h"
#include "storage/chunk/merge_columns.h"
#include "tests/support/format_page.h"

namespace lockstep {
namespace {

constexpr int64_t kMinTime = std::numeric_limits<int64_t>::min();
constexpr int64_t kMaxTime = std::numeric_limits<int64_t>::max();

HistogramSample HistogramAt(int64_t timestamp_ms, double sum) {
  auto h = std::make_shared<Histogram>();
  h->sum = sum;
  h->count = 7;
  h->positive_spans = {{2, 1}, {1, 2}};
  h->positive_counts = {1, 2, 4};
  return {timestamp_ms, std::move(h)};
}

SampleColumns Columns(std::vector<Sample> samples, std::vector<HistogramSample> histograms = {}) {
  SampleColumns columns;
  SortIntoColumns(samples, histograms, columns);
  return columns;
}

std::string Encode(const SampleColumns& columns) {
  std::string bytes;
  EncodeSeriesChunk(bytes, columns);
  return bytes;
}

absl::Status Decode(std::string_view in) {
  SampleColumns columns;
  return DecodeSeriesChunk(in, columns);
}

void ExpectSame(const SampleColumns& a, const SampleColumns& b) {
  EXPECT_EQ(a.timestamps_ms, b.timestamps_ms);
  ASSERT_EQ(a.values.size(), b.values.size());
  for (size_t i = 0; i < a.values.size(); ++i) EXPECT_TRUE(SameBits(a.values[i], b.values[i])) << i;
  ASSERT_EQ(a.histograms.size(), b.histograms.size());
  for (size_t i = 0; i < a.histograms.size(); ++i) {
    EXPECT_EQ(a.histograms[i].timestamp_ms, b.histograms[i].timestamp_ms);
    EXPECT_TRUE(SameBits(*a.histograms[i].histogram, *b.histograms[i].histogram)) << i;
  }
}

std::vector<SampleColumns> Cases() {
  return {
      Columns({{0, 1}}),
      Columns({{kMinTime, 1}, {kMaxTime, StaleNan()}}),
      Columns({{60000, 3}, {75000, 5}, {90000, 4}}),
      Columns({{60000, 0.1}, {75001, -0.0}, {89999, StaleNan()}}),
      Columns({}, {HistogramAt(5, 1.5)}),
      Columns({}, {HistogramAt(kMinTime, 1.5), HistogramAt(kMaxTime, StaleNan())}),
      Columns({{2, 1}, {4, 1}}, {HistogramAt(1, 1.5), HistogramAt(3, 2), HistogramAt(5, 2)}),
  };
}

TEST(SeriesChunk, RoundTripsAndLeavesTheRest) {
  for (const SampleColumns& columns : Cases()) {
    const std::string bytes = Encode(columns) + "rest";
    std::string_view in = bytes;
    SampleColumns decoded;
    const absl::Status status = DecodeSeriesChunk(in, decoded);
    ASSERT_TRUE(status.ok()) << status;
    ExpectSame(decoded, columns);
    EXPECT_EQ(in, "rest");
  }
}

TEST(SeriesChunk, HeaderSaysTimesCountsAndSize) {
  const SampleColumns columns =
      Columns({{20, 1}, {40, 1}}, {HistogramAt(10, 1), HistogramAt(30, 2), HistogramAt(50, 2)});
  const std::string bytes = Encode(columns);
  const absl::StatusOr<ChunkHeader> header = ReadChunkHeader(bytes + "rest");
  ASSERT_TRUE(header.ok()) << header.status();
  EXPECT_EQ(header->float_count, 2u);
  EXPECT_EQ(header->histogram_count, 3u);
  EXPECT_EQ(header->sample_count(), 5u);
  EXPECT_EQ(header->range.min_ms, 10);
  EXPECT_EQ(header->range.max_ms, 50);
  EXPECT_EQ(header->chunk_bytes(), bytes.size());
}

TEST(SeriesChunk, ChunksInARowAreReadOneAfterTheOther) {
  std::string bytes;
  SampleColumns all;
  for (int64_t i = 0; i < 5; ++i) {
    const SampleColumns columns = Columns({{10 * i, 1.5}, {10 * i + 5, 2}});
    EncodeSeriesChunk(bytes, columns);
    AppendInRange(columns, {kMinTime, kMaxTime}, all);
  }
  SampleColumns decoded;
  std::string_view in = bytes;
  while (!in.empty()) ASSERT_TRUE(DecodeSeriesChunk(in, decoded).ok());
  ExpectSame(decoded, all);
}

TEST(SeriesChunk, RoundTripsRandomWalks) {
  std::mt19937_64 random(12);
  for (int round = 0; round < 200; ++round) {
    SampleColumns columns;
    int64_t t = static_cast<int64_t>(random() >> 2);
    double value = 0;
    for (size_t i = 1 + random() % 300; i > 0; --i) {
      t += 15000 + static_cast<int64_t>(random() % (1 + round % 7));
      value += static_cast<double>(random() % 100) / (round % 2 == 0 ? 10 : 7);
      if (random() % 50 == 0) {
        columns.histograms.push_back(HistogramAt(t, value));
      } else {
        columns.Append(t, random() % 50 == 0 ? StaleNan() : value);
      }
    }
    std::string bytes = Encode(columns);
    std::string_view in = bytes;
    SampleColumns decoded;
    ASSERT_TRUE(DecodeSeriesChunk(in, decoded).ok());
    ExpectSame(decoded, columns);
  }
}

TEST(SeriesChunk, TheLargestChunkRoundTrips) {
  SampleColumns columns;
  for (size_t i = 0; i < kMaxChunkSamples; ++i) columns.Append(static_cast<int64_t>(i), 1);
  std::string bytes = Encode(columns);
  EXPECT_LT(bytes.size(), 40u);
  std::string_view in = bytes;
  SampleColumns decoded;
  ASSERT_TRUE(DecodeSeriesChunk(in, decoded).ok());
  ExpectSame(decoded, columns);
}

TEST(SeriesChunk, DamageIsAStatusAndChangesNothing) {
  for (const SampleColumns& columns : Cases()) {
    ExpectEveryTruncationFails(Encode(columns), Decode);
    ExpectDamageIsSurvived(Encode(columns), [](std::string_view in) {
      SampleColumns decoded = Columns({{-5, 5}}, {HistogramAt(-4, 4)});
      const absl::Status status = DecodeSeriesChunk(in, decoded);
      if (!status.ok()) ExpectSame(decoded, Columns({{-5, 5}}, {HistogramAt(-4, 4)}));
      return status;
    });
  }
}

// Builds a chunk around a body, with whatever the header is to claim.
std::string Claiming(uint64_t float_count, uint64_t histogram_count, int64_t min_ms,
                     uint64_t duration_ms, std::string_view body) {
  std::string bytes = "\x01";
  PutVarint64(bytes, float_count);
  PutVarint64(bytes, histogram_count);
  PutVarintSigned64(bytes, min_ms);
  PutVarint64(bytes, duration_ms);
  PutLengthPrefixed(bytes, body);
  return bytes;
}

TEST(SeriesChunk, HeadersThatLieAreRefused) {
  // Two floats, at 0 and 15 ms, both 0: timestamps, then a constant.
  const std::string body = std::string("\xbf\x00\x1e", 3) + '\x01' + std::string(8, '\0');
  ASSERT_TRUE(Decode(Claiming(2, 0, 0, 15, body)).ok());
  const std::string lies[] = {
      Claiming(0, 0, 0, 15, body),
      Claiming(3, 0, 0, 15, body),  // the third time is 30
      Claiming(2, 0, 0, 14, body),
      Claiming(2, 1, 0, 15, body),
      Claiming(2, 0, 0, 15, body + '\0'),
      Claiming(2, 0, 0, uint64_t{1} << 63, body),
      Claiming(kMaxChunkSamples + 1, 0, 0, 15, body),
      Claiming(0, kMaxChunkSamples + 1, 0, 15, body),
      Claiming(~uint64_t{0}, 2, 0, 15, body),
      "\x02" + Claiming(2, 0, 0, 15, body).substr(1),
  };
  for (size_t i = 0; i < std::size(lies); ++i) {
    EXPECT_EQ(Decode(lies[i]).code(), absl::StatusCode::kDataLoss) << i;
  }
}

TEST(SeriesChunk, ATimeInBothKindsIsRefused) {
  const std::string histogram_body = Encode(Columns({}, {HistogramAt(0, 1)})).substr(6);
  const std::string float_body = Encode(Columns({{0, 1}})).substr(6);
  EXPECT_EQ(Message(Decode(Claiming(1, 1, 0, 0, float_body + histogram_body))),
            "chunk: a time comes twice");
}

TEST(SeriesChunk, AgreesWithTheFormatPage) {
  const auto expect = [](const char* example, const SampleColumns& columns) {
    const std::string page = FormatPageExample("chunk.md", example);
    EXPECT_EQ(Encode(columns), page) << example;
    std::string_view in = page;
    SampleColumns decoded;
    ASSERT_TRUE(DecodeSeriesChunk(in, decoded).ok());
    ExpectSame(decoded, columns);
  };
  expect("floats", Columns({{60000, 3}, {75000, 5}, {90000, 4}}));

  Histogram first;
  first.count = 3;
  first.sum = 4.5;
  first.positive_spans = {{0, 2}};
  first.positive_counts = {2, 1};
  Histogram second = first;
  second.count = 5;
  second.sum = 9;
  second.positive_counts = {3, 2};
  expect("histograms", Columns({}, {{60000, std::make_shared<const Histogram>(first)},
                                    {75000, std::make_shared<const Histogram>(second)}}));
}

}  // namespace
}  // namespace lockstep
