#include "storage/chunk/integer_codec.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "storage/chunk/codec_test_support.h"
#include "storage/chunk/timestamp_codec.h"

namespace lockstep {
namespace {

constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

std::string Encode(const std::vector<int64_t>& values) {
  std::string bytes;
  EncodeIntegers(bytes, values);
  return bytes;
}

void ExpectRoundTrip(const std::vector<int64_t>& values) {
  const std::string bytes = Encode(values) + "rest";
  std::string_view in = bytes;
  std::vector<int64_t> decoded = {4711};
  const absl::Status status = DecodeIntegers(in, values.size(), decoded);
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(decoded, values);
  EXPECT_EQ(in, "rest");
}

const std::vector<std::vector<int64_t>>& Cases() {
  static const auto& cases = *new std::vector<std::vector<int64_t>>{
      {},
      {0},
      {kMin},
      {kMax},
      {7, 7, 7, 7},
      {kMin, kMax},
      {kMax, kMin, kMax, kMin, 0},
      {1, 2, 3, 4, 5, 6},
      {10, 30, 20, 80, 5, 1000000, 7},
      {0, 1, 4, 9, 16, 25, 36},
      {-5, -5, -5, kMin, -5},
  };
  return cases;
}

TEST(IntegerCodec, RoundTripsEdges) {
  for (const auto& values : Cases()) ExpectRoundTrip(values);
}

TEST(IntegerCodec, RoundTripsRandomNumbersOfEveryWidth) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 500; ++round) {
    const int max_width = 1 + static_cast<int>(random() % 64);
    std::vector<int64_t> values(random() % 100);
    uint64_t sum = 0;
    for (int64_t& value : values) {
      const uint64_t step = random() >> (64 - max_width);
      sum += round % 2 == 0 ? step : step - (step >> 1);
      value = static_cast<int64_t>(round % 3 == 0 ? step : sum);
    }
    ExpectRoundTrip(values);
  }
}

TEST(IntegerCodec, RegularStepsTakeNoBitsPerValue) {
  std::vector<int64_t> values;
  for (int64_t i = 0; i < 10000; ++i) values.push_back(1000 + 15 * i);
  EXPECT_LE(Encode(values).size(), 4u);
}

TEST(IntegerCodec, ARareLargeStepCostsTwiceItsWidthAtMost) {
  std::vector<int64_t> values(100, 3);
  values[50] = int64_t{1} << 40;
  EXPECT_LE(Encode(values).size(), 100 / 8 + 2 * 41 / 8 + 4u);
}

TEST(IntegerCodec, DamageIsAStatus) {
  for (const auto& values : Cases()) {
    const auto decode = [&](std::string_view in) {
      std::vector<int64_t> decoded;
      return DecodeIntegers(in, values.size(), decoded);
    };
    ExpectEveryTruncationFails(Encode(values), decode);
    ExpectDamageIsSurvived(Encode(values), decode);
  }
}

TEST(TimestampCodec, KeepsTheWholeRange) {
  for (const std::vector<int64_t>& times :
       {std::vector<int64_t>{}, {kMin, kMax}, {kMin, 0, kMax}, {-1, 0, 1}, {15000, 30003, 44999}}) {
    std::string bytes;
    const int64_t base_ms = times.empty() ? 0 : times.front();
    EncodeTimestamps(bytes, base_ms, times);
    std::string_view in = bytes;
    std::vector<int64_t> decoded;
    const absl::Status status = DecodeTimestamps(in, base_ms, times.size(), decoded);
    ASSERT_TRUE(status.ok()) << status;
    EXPECT_EQ(decoded, times);
    EXPECT_TRUE(in.empty());
  }
}

TEST(TimestampCodec, TimesThatDoNotAscendAreRefused) {
  for (const std::vector<int64_t>& times : {std::vector<int64_t>{5, 5}, {5, 4}, {1, 9, 3}}) {
    std::string bytes;
    EncodeIntegers(bytes, times);
    std::string_view in = bytes;
    std::vector<int64_t> decoded;
    EXPECT_EQ(DecodeTimestamps(in, 0, times.size(), decoded).code(), absl::StatusCode::kDataLoss);
  }
}

}  // namespace
}  // namespace lockstep
