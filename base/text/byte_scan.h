// Examines eight bytes of text at once. Source: Anderson, "Bit Twiddling Hacks", on finding a byte
// less than n, or a zero byte, in a word. Pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace lockstep {

inline constexpr uint64_t kOneInEachByte = 0x0101010101010101;

// Nonzero if a byte of `word` is below `limit`, which is at most 128.
constexpr uint64_t BytesBelow(uint64_t word, uint8_t limit) {
  return (word - kOneInEachByte * limit) & ~word & (kOneInEachByte * 0x80);
}
constexpr uint64_t BytesEqual(uint64_t word, char byte) {
  return BytesBelow(word ^ (kOneInEachByte * static_cast<uint8_t>(byte)), 1);
}

// The number of bytes at the front of `text` that are not special. `word_has` returns nonzero if
// any of eight bytes is special; `is_special` decides for one byte.
template <typename WordHas, typename IsSpecial>
size_t LengthWithout(std::string_view text, const WordHas& word_has, const IsSpecial& is_special) {
  size_t i = 0;
  for (uint64_t word = 0; i + sizeof(word) <= text.size(); i += sizeof(word)) {
    std::memcpy(&word, text.data() + i, sizeof(word));
    if (word_has(word) != 0) break;
  }
  while (i < text.size() && !is_special(text[i])) ++i;
  return i;
}

}  // namespace lockstep
