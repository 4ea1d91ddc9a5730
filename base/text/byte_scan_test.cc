#include "base/text/byte_scan.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace lockstep {
namespace {

TEST(ByteScan, AWordHasWhatOneOfItsBytesIs) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 200'000; ++round) {
    uint64_t word = 0;
    for (int i = 0; i < 8; ++i) {
      // Around the limits and the sign bit, where carries would show.
      constexpr unsigned char kBytes[] = {0, 1, 0x1f, 0x20, 0x21, 0x22, 0x23, 0x7f, 0x80, 0xff};
      word = word << 8 | kBytes[random() % sizeof(kBytes)];
    }
    for (const uint8_t limit : {1, 2, 0x20, 0x21, 0x80}) {
      bool any = false;
      for (int i = 0; i < 8; ++i) any = any || (word >> (8 * i) & 0xff) < limit;
      ASSERT_EQ(BytesBelow(word, limit) != 0, any) << std::hex << word;
    }
    for (const uint8_t byte : {0, 0x20, 0x22, 0x80, 0xff}) {
      bool any = false;
      for (int i = 0; i < 8; ++i) any = any || (word >> (8 * i) & 0xff) == byte;
      ASSERT_EQ(BytesEqual(word, static_cast<char>(byte)) != 0, any) << std::hex << word;
    }
  }
}

TEST(ByteScan, FindsTheFirstWhereverItStands) {
  const auto has = [](uint64_t word) { return BytesEqual(word, '!'); };
  const auto is = [](char c) { return c == '!'; };
  for (size_t size = 0; size < 30; ++size) {
    std::string text(size, 'a');
    EXPECT_EQ(LengthWithout(text, has, is), size);
    for (size_t place = size; place-- > 0;) {
      text[place] = '!';
      EXPECT_EQ(LengthWithout(text, has, is), place);
    }
  }
}

}  // namespace
}  // namespace lockstep
