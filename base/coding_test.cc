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

}  // namespace
}  // namespace lockstep
