#include "storage/chunk/integers/packed_integers.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "storage/chunk/codec_testing.h"
#include "storage/chunk/integers/bits.h"

namespace lockstep {
namespace {

std::string Pack(const std::vector<int64_t>& integers) {
  std::string bytes;
  PutPackedIntegers(bytes, integers);
  return bytes;
}

void ExpectIntegersRoundTrip(const std::vector<int64_t>& integers) {
  const std::string bytes = Pack(integers) + "rest";
  std::string_view in = bytes;
  std::vector<int64_t> unpacked(integers.size());
  ASSERT_TRUE(GetPackedIntegers(in, unpacked));
  EXPECT_EQ(unpacked, integers);
  EXPECT_EQ(in, "rest");
}

TEST(Bits, NumbersOfEveryWidthComeBack) {
  std::mt19937_64 random(1);
  std::vector<std::pair<uint64_t, int>> numbers;
  std::string bytes;
  BitSink sink(bytes);
  for (int i = 0; i < 5000; ++i) {
    const int width = static_cast<int>(random() % 65);
    numbers.emplace_back(LowBits(random(), width), width);
    sink.Put(numbers.back().first, width);
  }
  sink.Finish();
  uint64_t position = 0;
  for (const auto& [number, width] : numbers) {
    ASSERT_EQ(WideBitsAt(bytes, position, width), number);
    position += static_cast<uint64_t>(width);
  }
  EXPECT_EQ(bytes.size(), (position + 7) / 8);
}

TEST(Bits, BehindTheEndAreZeros) {
  const std::string bytes = "\xff";
  EXPECT_EQ(BitsAt(bytes, 4, 8), 0x0fu);
  EXPECT_EQ(BitsAt(bytes, 8, 57), 0u);
  EXPECT_EQ(WideBitsAt(bytes, 1'000'000, 64), 0u);
}

TEST(PackedIntegers, RoundTrip) {
  std::mt19937_64 random(2);
  ExpectIntegersRoundTrip({});
  ExpectIntegersRoundTrip({kMin, kMax, 0});
  ExpectIntegersRoundTrip({kMax});
  for (int round = 0; round < 200; ++round) {
    std::vector<int64_t> integers(random() % 70);
    const int width = static_cast<int>(random() % 65);
    const auto base = static_cast<int64_t>(random());
    for (int64_t& integer : integers) {
      integer = static_cast<int64_t>(static_cast<uint64_t>(base) + LowBits(random(), width));
    }
    ExpectIntegersRoundTrip(integers);
  }
}

TEST(PackedIntegers, EqualOnesTakeTwoBytes) {
  EXPECT_EQ(Pack(std::vector<int64_t>(64, 7)), std::string("\x0e\x00", 2));
  EXPECT_EQ(Pack({}), "");
}

TEST(PackedIntegers, DamageIsSurvived) {
  const std::vector<int64_t> integers = {5, 900, -3, 77};
  const auto unpack = [](std::string_view in) {
    std::vector<int64_t> unpacked(4);
    return GetPackedIntegers(in, unpacked) ? absl::OkStatus() : absl::DataLossError("");
  };
  ExpectEveryTruncationFails(Pack(integers), unpack);
  ExpectDamageIsSurvived(Pack(integers), unpack);
  EXPECT_FALSE(unpack(std::string("\x00\x41", 2) + std::string(100, '\0')).ok()) << "65 bits";
}

}  // namespace
}  // namespace lockstep
