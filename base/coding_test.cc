#include "base/coding.h"

#include <gtest/gtest.h>

#include <limits>

namespace lockstep {
namespace {

TEST(Coding, VarintRoundTripsAndRejectsEveryTruncation) {
  for (const uint64_t value :
       {uint64_t{0}, uint64_t{1}, uint64_t{127}, uint64_t{128}, uint64_t{300}, uint64_t{1} << 35,
        std::numeric_limits<uint64_t>::max()}) {
    std::string bytes;
    PutVarint64(bytes, value);
    std::string_view in = bytes;
    uint64_t decoded = 0;
    ASSERT_TRUE(GetVarint64(in, decoded));
    EXPECT_EQ(decoded, value);
    EXPECT_TRUE(in.empty());
    for (size_t length = 0; length < bytes.size(); ++length) {
      std::string_view cut = std::string_view(bytes).substr(0, length);
      EXPECT_FALSE(GetVarint64(cut, decoded)) << value << " cut to " << length;
    }
  }
}

TEST(Coding, VarintBytesAreProtobufs) {
  // The example from the protobuf encoding guide: 150 is 96 01.
  std::string bytes;
  PutVarint64(bytes, 150);
  EXPECT_EQ(bytes, "\x96\x01");
}

TEST(Coding, VarintLongerThan64BitsIsRejected) {
  std::string_view in = "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02";
  uint64_t value;
  EXPECT_FALSE(GetVarint64(in, value));
}

TEST(Coding, SignedVarintKeepsEverySign) {
  for (const int64_t value :
       {int64_t{0}, int64_t{-1}, int64_t{1}, int64_t{-64}, int64_t{64},
        std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max()}) {
    std::string bytes;
    PutVarintSigned64(bytes, value);
    std::string_view in = bytes;
    int64_t decoded = 0;
    ASSERT_TRUE(GetVarintSigned64(in, decoded));
    EXPECT_EQ(decoded, value);
  }
}

TEST(Coding, LengthBeyondTheInputIsRejected) {
  std::string bytes;
  PutLengthPrefixed(bytes, "rank");
  std::string_view cut = std::string_view(bytes).substr(0, 3);
  std::string_view value;
  EXPECT_FALSE(GetLengthPrefixed(cut, value));
  std::string_view whole = bytes;
  ASSERT_TRUE(GetLengthPrefixed(whole, value));
  EXPECT_EQ(value, "rank");
}

// Their order as bytes is that of the numbers.
TEST(Coding, FixedNumbersAreBigEndian) {
  std::string bytes;
  PutFixed16(bytes, 0x0102);
  PutFixed32(bytes, 0x03040506);
  PutFixed64(bytes, 0x0708090a0b0c0d0e);
  EXPECT_EQ(bytes, "\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e");
  std::string_view in = bytes;
  uint16_t of_two = 0;
  uint32_t of_four = 0;
  uint64_t of_eight = 0;
  ASSERT_TRUE(GetFixed16(in, of_two));
  ASSERT_TRUE(GetFixed32(in, of_four));
  ASSERT_TRUE(GetFixed64(in, of_eight));
  EXPECT_EQ(of_two, 0x0102);
  EXPECT_EQ(of_four, 0x03040506u);
  EXPECT_EQ(of_eight, 0x0708090a0b0c0d0eu);
  EXPECT_TRUE(in.empty());
}

TEST(Coding, FixedNumbersNeedAllTheirBytes) {
  const std::string bytes(8, '\xff');
  std::string_view in = std::string_view(bytes).substr(0, 1);
  uint16_t of_two = 7;
  EXPECT_FALSE(GetFixed16(in, of_two));
  in = std::string_view(bytes).substr(0, 3);
  uint32_t of_four = 7;
  EXPECT_FALSE(GetFixed32(in, of_four));
  in = std::string_view(bytes).substr(0, 7);
  uint64_t of_eight = 7;
  EXPECT_FALSE(GetFixed64(in, of_eight));
  EXPECT_EQ(of_two + of_four + of_eight, 21u);
}

TEST(Coding, TheLengthOfAVarintIsKnownBefore) {
  for (int bits = 0; bits <= 64; ++bits) {
    const uint64_t value = bits == 0 ? 0 : std::numeric_limits<uint64_t>::max() >> (64 - bits);
    std::string bytes;
    PutVarint64(bytes, value);
    EXPECT_EQ(bytes.size(), static_cast<size_t>(bits == 0 ? 1 : (bits + 6) / 7)) << bits;
    EXPECT_EQ(VarintLength(value), bytes.size()) << bits;
  }
}

// The examples of the protobuf encoding guide.
TEST(Coding, SignedVarintsAlternate) {
  std::string bytes;
  for (const int64_t value : {0, -1, 1, -2}) PutVarintSigned64(bytes, value);
  EXPECT_EQ(bytes, std::string("\0\x01\x02\x03", 4));
  std::string_view nothing;
  int64_t value = 0;
  EXPECT_FALSE(GetVarintSigned64(nothing, value));
}

}  // namespace
}  // namespace lockstep
