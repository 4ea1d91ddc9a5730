#include "storage/chunk/bit_stream.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

namespace lockstep {
namespace {

TEST(BitStream, WritesMostSignificantBitFirstAndPadsWithZeros) {
  std::string bytes;
  BitWriter bits(bytes);
  bits.Put(0b101, 3);
  bits.PutUnary(4);  // 00001
  bits.Put(1, 1);
  bits.Finish();
  EXPECT_EQ(bytes, "\xa1\x80");  // 10100001 1.......
}

TEST(BitStream, EveryWidthComesBackAtEveryOffset) {
  std::mt19937_64 random(1);
  std::vector<std::pair<uint64_t, int>> numbers;
  for (int width = 0; width <= 64; ++width) {
    for (int repeat = 0; repeat < 8; ++repeat) {
      numbers.emplace_back(width == 0 ? 0 : random() >> (64 - width), width);
    }
  }
  std::shuffle(numbers.begin(), numbers.end(), random);
  std::string bytes;
  BitWriter writer(bytes);
  for (const auto& [value, width] : numbers) {
    writer.Put(value, width);
    writer.PutUnary(width);
  }
  writer.Finish();
  bytes += "rest";

  BitReader reader(bytes);
  for (const auto& [value, width] : numbers) {
    uint64_t decoded;
    int zeros;
    ASSERT_TRUE(reader.Get(width, decoded));
    ASSERT_EQ(decoded, value);
    ASSERT_TRUE(reader.GetUnary(zeros));
    ASSERT_EQ(zeros, width);
  }
  std::string_view rest;
  ASSERT_TRUE(reader.Finish(rest));
  EXPECT_EQ(rest, "rest");
}

TEST(BitStream, ReadingBeyondTheEndFails) {
  const std::string bytes("\x00\xff", 2);
  BitReader reader(bytes);
  uint64_t value;
  ASSERT_TRUE(reader.Get(15, value));
  EXPECT_FALSE(reader.Get(2, value));
  ASSERT_TRUE(reader.Get(1, value));
  EXPECT_FALSE(reader.Get(1, value));
  int zeros;
  EXPECT_FALSE(reader.GetUnary(zeros));
}

TEST(BitStream, UnaryWithoutItsOneFails) {
  for (const size_t size : {size_t{0}, size_t{3}, size_t{8}, size_t{9}, size_t{1000}}) {
    const std::string bytes(size, '\0');
    BitReader reader(bytes);
    int zeros;
    EXPECT_FALSE(reader.GetUnary(zeros)) << size;
  }
}

TEST(BitStream, PaddingMustBeZero) {
  BitReader reader("\x81");
  uint64_t value;
  ASSERT_TRUE(reader.Get(1, value));
  std::string_view rest;
  EXPECT_FALSE(reader.Finish(rest));
}

}  // namespace
}  // namespace lockstep
