// BitSink and BitsAt: numbers of any width in bits, least significant bit first, so that a reader
// gets any of them with one unaligned load. Not thread-safe.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace lockstep {

static_assert(std::endian::native == std::endian::little);

// The low `width` bits of `value`. Precondition: 0 <= width <= 64.
inline uint64_t LowBits(uint64_t value, int width) {
  return width == 64 ? value : value & ((uint64_t{1} << width) - 1);
}

// Appends to a string, which must outlive the sink.
class BitSink {
 public:
  explicit BitSink(std::string& out) : out_(out) {}
  BitSink(const BitSink&) = delete;
  BitSink& operator=(const BitSink&) = delete;

  // Precondition: 0 <= width <= 64, and the bits of `value` above `width` are zero.
  void Put(uint64_t value, int width) {
    if (width > kMaxStep) {
      Put(value & 0xffffffff, 32);
      value >>= 32;
      width -= 32;
    }
    pending_ |= value << pending_width_;
    pending_width_ += width;
    const int whole_bytes = pending_width_ / 8;
    if (whole_bytes == 0) return;
    char bytes[8];
    std::memcpy(bytes, &pending_, 8);
    out_.append(bytes, static_cast<size_t>(whole_bytes));
    pending_ = whole_bytes == 8 ? 0 : pending_ >> (8 * whole_bytes);
    pending_width_ -= 8 * whole_bytes;
  }
  // Pads with zero bits to a whole byte. Call it once, at the end.
  void Finish() {
    if (pending_width_ > 0) out_.push_back(static_cast<char>(pending_));
  }

 private:
  // With up to 7 bits pending, this many more fit into a word.
  static constexpr int kMaxStep = 57;

  std::string& out_;
  uint64_t pending_ = 0;  // the low pending_width_ bits are unwritten, the others zero
  int pending_width_ = 0;
};

// The least number of bits that one load of a word gives.
inline constexpr int kWordBits = 57;

// The `width` bits from bit `position` on; bits past the end read as zero. Precondition: 0 <= width
// <= kWordBits.
inline uint64_t BitsAt(std::string_view bytes, uint64_t position, int width) {
  const uint64_t first = position / 8;
  uint64_t word = 0;
  if (first + 8 <= bytes.size()) {
    std::memcpy(&word, bytes.data() + first, 8);
  } else if (first < bytes.size()) {
    std::memcpy(&word, bytes.data() + first, bytes.size() - first);
  }
  return LowBits(word >> (position % 8), width);
}

// The same for any width up to 64.
inline uint64_t WideBitsAt(std::string_view bytes, uint64_t position, int width) {
  const int low_width = std::min(width, 32);
  return BitsAt(bytes, position, low_width) | BitsAt(bytes, position + 32, width - low_width) << 32;
}

}  // namespace lockstep
