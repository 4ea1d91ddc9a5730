#include "import/tsdb_blocks/chunk_reader.h"

#include <gtest/gtest.h>

#include <charconv>
#include <cmath>
#include <limits>
#include <memory>
#include <random>

#include "export/float_chunk.h"
#include "export/histogram_chunk.h"
#include "export/msb_bits.h"
#include "import/tsdb_blocks/blocks_testing.h"
#include "import/tsdb_blocks/msb_bit_reader.h"

namespace lockstep::tsdb_blocks {
namespace {

TEST(MsbBitReaderTest, ReadsWhatTheWriterPuts) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 200; ++round) {
    std::vector<int64_t> numbers(50);
    for (int64_t& number : numbers)
      number = static_cast<int64_t>(random() >> random() % 64) * (random() % 2 == 0 ? 1 : -1);
    std::string bytes;
    MsbBits out(bytes);
    for (const int64_t number : numbers) {
      out.PutVarbit(number);
      out.PutUnsignedVarbit(static_cast<uint64_t>(number));
      out.Put(5, 3);
    }
    MsbBitReader in(bytes);
    for (const int64_t number : numbers) {
      ASSERT_EQ(in.GetVarbit(), number);
      ASSERT_EQ(in.GetUnsignedVarbit(), static_cast<uint64_t>(number));
      ASSERT_EQ(in.Get(3), 5u);
    }
    EXPECT_TRUE(in.is_good());
    EXPECT_LT(in.bits_left(), 8u);
    in.Get(8);
    EXPECT_FALSE(in.is_good());
  }
}

SampleColumns RandomFloats(std::mt19937_64& random) {
  SampleColumns samples;
  int64_t timestamp_ms = static_cast<int64_t>(random() % 4'000'000'000'000);
  double value = 1;
  const size_t count = 1 + random() % 200;
  for (size_t i = 0; i < count; ++i) {
    timestamp_ms +=
        random() % 3 == 0 ? static_cast<int64_t>(random() >> (30 + random() % 30)) + 1 : 15'000;
    if (random() % 2 == 0)
      value = random() % 5 == 0 ? std::bit_cast<double>(random()) : value + 0.5;
    samples.Append(timestamp_ms, value);
  }
  return samples;
}

TEST(ChunkReaderTest, ReadsFloatsBack) {
  std::mt19937_64 random(4);
  for (int round = 0; round < 300; ++round) {
    const SampleColumns samples = RandomFloats(random);
    std::string data;
    AppendFloatChunk(samples.timestamps_ms, samples.values, data);
    SampleColumns read;
    ASSERT_TRUE(ReadChunk(1, data, read).ok());
    ASSERT_EQ(DescribeFloats(read), DescribeFloats(samples));
    // Only padding bits in the last byte may be missing.
    for (size_t size = 0; size + 1 < data.size(); size += 17) {
      SampleColumns torn;
      ASSERT_FALSE(ReadChunk(1, std::string_view(data).substr(0, size), torn).ok());
      ASSERT_EQ(torn.size(), 0u);
    }
  }
}

std::string BytesOfHex(std::string_view hex) {
  std::string bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2) {
    unsigned char byte = 0;
    std::from_chars(hex.data() + i, hex.data() + i + 2, byte, 16);
    bytes += static_cast<char>(byte);
  }
  return bytes;
}

// Written by Prometheus 3.5.
TEST(ChunkReaderTest, ReadsAChunkOfPrometheus) {
  const std::string data = BytesOfHex(
      "0012a4a3fcf4be633ff0000000000000a575400d6137ffb7f4a8068c06c00e006b07d7c57c8791000eb3d"
      "f984039fc8791000eb3c0416cce000000000000c00d61fbff8000000000001bfcca00490fdaa22168c804"
      "1802610fdaa22168c801a5fabc000200000000000405b4000e000000000005fb24000300000000000402"
      "761fff2bf705f4136b4af80000000003390b75f814b82fa09b5a57ffffffffffe68aa6a0018000000000"
      "0000");
  SampleColumns read;
  ASSERT_TRUE(ReadChunk(1, data, read).ok());
  ASSERT_EQ(read.values.size(), 18u);
  EXPECT_EQ(read.timestamps_ms[0], 1709251200000 + 1234);
  EXPECT_EQ(read.timestamps_ms[17], 1709251200000 + 7'100'000);
  EXPECT_EQ(read.values[2], 2.5);
  EXPECT_TRUE(IsStaleNan(read.values[7]));
  EXPECT_EQ(read.values[9], 3.141592653589793);
  EXPECT_EQ(read.values[17], 6);
}

Histogram RandomHistogram(std::mt19937_64& random, bool is_custom) {
  Histogram h;
  h.schema = is_custom ? kCustomBucketsSchema : static_cast<int32_t>(random() % 13) - 4;
  h.zero_threshold = is_custom ? 0 : (random() % 2 == 0 ? std::ldexp(1.0, -128) : 1e-7);
  h.positive_spans = {{static_cast<int32_t>(random() % 9) - 4, 2}, {3, 1}};
  h.positive_counts.resize(3);
  if (is_custom) {
    h.custom_values = {0.005, 1.5, 100.0 / 3};
  } else {
    h.negative_spans = {{0, 2}};
    h.negative_counts.resize(2);
  }
  return h;
}

// A successor of `before` with the same layout and increased counts.
std::shared_ptr<const Histogram> Risen(const Histogram& before, std::mt19937_64& random) {
  auto next = std::make_shared<Histogram>(before);
  for (auto* counts : {&next->positive_counts, &next->negative_counts}) {
    for (double& count : *counts) {
      const auto more = static_cast<double>(random() % 1000);
      count += more;
      next->count += more;
    }
  }
  next->sum += 0.25 * static_cast<double>(random() % 100);
  return next;
}

std::vector<HistogramSample> RandomHistograms(std::mt19937_64& random) {
  std::vector<HistogramSample> samples;
  auto histogram = std::make_shared<const Histogram>(RandomHistogram(random, random() % 3 == 0));
  int64_t timestamp_ms = 1'700'000'000'000;
  const size_t count = 1 + random() % 100;
  for (size_t i = 0; i < count; ++i) {
    histogram = Risen(*histogram, random);
    samples.push_back({timestamp_ms, histogram});
    timestamp_ms += 1 + static_cast<int64_t>(random() % 20'000);
  }
  return samples;
}

void CheckHistograms(const SampleColumns& read, const std::vector<HistogramSample>& expected) {
  ASSERT_EQ(read.histograms.size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    const Histogram& a = *read.histograms[i].histogram;
    const Histogram& b = *expected[i].histogram;
    ASSERT_EQ(read.histograms[i].timestamp_ms, expected[i].timestamp_ms);
    ASSERT_EQ(a.schema, b.schema);
    ASSERT_EQ(a.zero_threshold, b.zero_threshold);
    ASSERT_EQ(a.zero_count, b.zero_count);
    ASSERT_EQ(a.count, b.count);
    ASSERT_EQ(a.sum, b.sum);
    ASSERT_EQ(a.positive_spans, b.positive_spans);
    ASSERT_EQ(a.positive_counts, b.positive_counts);
    ASSERT_EQ(a.negative_spans, b.negative_spans);
    ASSERT_EQ(a.negative_counts, b.negative_counts);
    ASSERT_EQ(a.custom_values, b.custom_values);
    ASSERT_EQ(a.reset_hint, i == 0 ? CounterResetHint::kUnknown : CounterResetHint::kNotReset);
  }
}

TEST(ChunkReaderTest, ReadsFloatHistogramsBack) {
  std::mt19937_64 random(5);
  for (int round = 0; round < 200; ++round) {
    const auto samples = RandomHistograms(random);
    std::string data;
    AppendHistogramChunk(samples, data);
    SampleColumns read;
    ASSERT_TRUE(ReadChunk(3, data, read).ok());
    CheckHistograms(read, samples);
  }
}

// Three samples of two positive buckets and a negative one, bit by bit as in Prometheus'
// tsdb/docs/format/chunks.md.
std::string IntegerHistograms(unsigned flags) {
  std::string data;
  MsbBits bits(data);
  bits.Put(3, 16);
  bits.Put(flags, 8);
  bits.Put(244, 8);  // the zero threshold: 2^0
  bits.PutVarbit(3);
  bits.PutUnsignedVarbit(1);
  bits.PutUnsignedVarbit(2);
  bits.PutVarbit(1);
  bits.PutUnsignedVarbit(1);
  bits.PutUnsignedVarbit(1);
  bits.PutVarbit(0);
  // Time, count, zero count, sum and buckets, each bucket as the difference from the one before.
  bits.PutVarbit(1000);
  bits.PutUnsignedVarbit(10);
  bits.PutUnsignedVarbit(2);
  bits.PutDouble(5.5);
  for (const int bucket : {3, 1, 1}) bits.PutVarbit(bucket);
  // Differences from the first sample.
  XorSequence sums(5.5);
  for (const int difference : {10, 4, 0}) bits.PutVarbit(difference);
  sums.Put(7.5, bits);
  for (const int difference : {2, -1, 1}) bits.PutVarbit(difference);
  // Differences of the differences.
  for (const int difference : {10, 1, 1}) bits.PutVarbit(difference);
  sums.Put(7.5, bits);
  for (const int difference : {1, 3, 0}) bits.PutVarbit(difference);
  return data;
}

TEST(ChunkReaderTest, ReadsIntegerHistograms) {
  SampleColumns read;
  const absl::Status status = ReadChunk(2, IntegerHistograms(0), read);
  ASSERT_TRUE(status.ok()) << status;
  ASSERT_EQ(read.histograms.size(), 3u);
  struct Row {
    int64_t timestamp_ms;
    double count, zero_count, sum;
    std::vector<double> positive, negative;
  };
  const Row rows[] = {{1000, 10, 2, 5.5, {3, 4}, {1}},
                      {1010, 14, 2, 7.5, {5, 5}, {2}},
                      {1030, 19, 3, 7.5, {8, 10}, {3}}};
  for (size_t i = 0; i < 3; ++i) {
    const Histogram& h = *read.histograms[i].histogram;
    EXPECT_EQ(read.histograms[i].timestamp_ms, rows[i].timestamp_ms);
    EXPECT_EQ(h.count, rows[i].count);
    EXPECT_EQ(h.zero_count, rows[i].zero_count);
    EXPECT_EQ(h.sum, rows[i].sum);
    EXPECT_EQ(h.positive_counts, rows[i].positive);
    EXPECT_EQ(h.negative_counts, rows[i].negative);
    EXPECT_EQ(h.schema, 3);
    EXPECT_EQ(h.zero_threshold, 1);
    EXPECT_EQ(h.positive_spans, (std::vector<BucketSpan>{{1, 2}}));
    EXPECT_EQ(h.negative_spans, (std::vector<BucketSpan>{{0, 1}}));
  }
}

TEST(ChunkReaderTest, TheFlagsOfAChunkAreOfItsFirstSample) {
  const auto hints = [](unsigned flags) {
    SampleColumns read;
    EXPECT_TRUE(ReadChunk(2, IntegerHistograms(flags), read).ok());
    return std::pair(read.histograms[0].histogram->reset_hint,
                     read.histograms[2].histogram->reset_hint);
  };
  using enum CounterResetHint;
  EXPECT_EQ(hints(0x00), std::pair(kUnknown, kNotReset));
  EXPECT_EQ(hints(0x40), std::pair(kNotReset, kNotReset));
  EXPECT_EQ(hints(0x80), std::pair(kReset, kNotReset));
  EXPECT_EQ(hints(0xc0), std::pair(kGauge, kGauge));
}

TEST(ChunkReaderTest, ATornChunkOfHistogramsIsAnError) {
  const std::string whole = IntegerHistograms(0);
  for (size_t size = 0; size < whole.size(); ++size) {
    SampleColumns read;
    EXPECT_EQ(ReadChunk(2, whole.substr(0, size), read).code(), absl::StatusCode::kDataLoss)
        << size;
  }
}

TEST(ChunkReaderTest, RefusesWhatIsNoChunk) {
  SampleColumns read;
  EXPECT_EQ(ReadChunk(9, "", read).code(), absl::StatusCode::kUnimplemented);
  for (const uint8_t encoding : {1, 2, 3}) {
    EXPECT_EQ(ReadChunk(encoding, "", read).code(), absl::StatusCode::kDataLoss);
    EXPECT_EQ(ReadChunk(encoding, std::string(2, '\xff'), read).code(),
              absl::StatusCode::kDataLoss);
    EXPECT_EQ(ReadChunk(encoding, std::string(40, '\xff'), read).code(),
              absl::StatusCode::kDataLoss);
  }
  EXPECT_EQ(read.size(), 0u);
}

}  // namespace
}  // namespace lockstep::tsdb_blocks
