#include "storage/db/head/arrival_codec.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace lockstep {
namespace {

// Writes and reads all samples, checks every bit, and returns the number of bytes taken.
size_t RoundTrip(const std::vector<Sample>& samples) {
  std::vector<uint8_t> bytes;
  ArrivalState writing;
  for (const Sample& sample : samples) {
    uint8_t arrival[kMaxArrivalBytes];
    const size_t count = EncodeArrival(sample, writing, arrival);
    EXPECT_LE(count, kMaxArrivalBytes);
    bytes.insert(bytes.end(), arrival, arrival + count);
  }
  const size_t size = bytes.size();
  bytes.resize(size + kArrivalPadding, 0xff);
  const uint8_t* at = bytes.data();
  ArrivalState reading;
  for (const Sample& sample : samples) {
    at = DecodeArrival(at, reading);
    EXPECT_EQ(reading.timestamp_ms, sample.timestamp_ms);
    EXPECT_EQ(reading.value_bits, std::bit_cast<uint64_t>(sample.value));
  }
  EXPECT_EQ(at, bytes.data() + size);
  return size;
}

TEST(ArrivalCodec, SteadyWholeNumbersTakeAByteOrThree) {
  std::vector<Sample> samples;
  for (int i = 0; i < 1000; ++i) samples.push_back({15'000 * int64_t{i}, 7});
  EXPECT_LT(RoundTrip(samples), 1020u);
  for (int i = 0; i < 1000; ++i) samples[static_cast<size_t>(i)].value = i % 200;
  EXPECT_LT(RoundTrip(samples), 3100u);
}

TEST(ArrivalCodec, KeepsEveryBitOfEveryValue) {
  using Limits = std::numeric_limits<double>;
  const std::vector<double> values = {0.0,
                                      -0.0,
                                      1.5,
                                      Limits::infinity(),
                                      -Limits::infinity(),
                                      Limits::denorm_min(),
                                      Limits::max(),
                                      StaleNan(),
                                      std::bit_cast<double>(0x7ff8000000000001),
                                      std::bit_cast<double>(~uint64_t{0})};
  std::vector<Sample> samples;
  for (const double first : values) {
    for (const double second : values) {
      samples.push_back({static_cast<int64_t>(samples.size()), first});
      samples.push_back({static_cast<int64_t>(samples.size()), second});
    }
  }
  RoundTrip(samples);
  std::mt19937_64 random(3);
  for (Sample& sample : samples) {
    sample.value = std::bit_cast<double>(random() & random() << (random() % 64));
  }
  RoundTrip(samples);
}

TEST(ArrivalCodec, GivesARangeOfWhatAscends) {
  std::mt19937_64 random(6);
  for (int round = 0; round < 300; ++round) {
    std::vector<uint8_t> bytes;
    std::vector<Sample> samples;
    ArrivalState writing;
    int64_t time_ms = static_cast<int64_t>(random() % 1000) - 500;
    for (uint64_t left = random() % 50; left > 0; --left) {
      samples.push_back({time_ms, static_cast<double>(random() % 3)});
      uint8_t arrival[kMaxArrivalBytes];
      const size_t count = EncodeArrival(samples.back(), writing, arrival);
      bytes.insert(bytes.end(), arrival, arrival + count);
      time_ms += 1 + static_cast<int64_t>(random() % 40);
    }
    bytes.resize(bytes.size() + kArrivalPadding, 0xff);
    const int64_t from_ms = static_cast<int64_t>(random() % 2000) - 700;
    const TimeRange range = {from_ms, from_ms + static_cast<int64_t>(random() % 900)};
    SampleColumns columns, expected;
    columns.Append(-10'000, 5);
    expected.Append(-10'000, 5);
    const size_t count = samples.empty() ? 0 : random() % samples.size();
    size_t before = 0;
    for (size_t i = 0; i < count; ++i) {
      if (samples[i].timestamp_ms < range.min_ms) ++before;
      if (range.Contains(samples[i].timestamp_ms)) {
        expected.Append(samples[i].timestamp_ms, samples[i].value);
      }
    }
    EXPECT_EQ(DecodeAscending(bytes.data(), {}, count, range, columns), before);
    EXPECT_EQ(columns.timestamps_ms, expected.timestamps_ms);
    EXPECT_EQ(columns.values, expected.values);
  }
}

TEST(ArrivalCodec, KeepsEveryTime) {
  constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  std::vector<Sample> samples;
  for (const int64_t time : {int64_t{0}, kMin, kMax, kMin, int64_t{-1}, kMax, int64_t{127},
                             int64_t{255}, int64_t{256}, int64_t{-1} << 48, int64_t{1} << 50}) {
    samples.push_back({time, 1});
  }
  std::mt19937_64 random(4);
  for (int i = 0; i < 10'000; ++i) {
    samples.push_back({static_cast<int64_t>(random()) >> (random() % 64), 1});
  }
  RoundTrip(samples);
}

}  // namespace
}  // namespace lockstep
