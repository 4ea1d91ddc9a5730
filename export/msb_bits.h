// MsbBits: writes numbers of any bit width, most significant bit first, as in Prometheus' chunks,
// and its two encodings for numbers that are usually small. Not thread-safe.
//
//   |0|                                0
//   |10|3 bits|      -3 .. 4           |1110|9 bits|     -255 .. 256        |1111110|25 bits|
//   |110|6 bits|     -31 .. 32         |11110|12 bits|   -2047 .. 2048      |11111110|56 bits|
//                                      |111110|18 bits|                     |11111111|64 bits|
//
// Unsigned numbers use the same prefixes and widths, each for 0 .. 2^width - 1.
// Source: Prometheus, tsdb/chunkenc/bstream.go and varbit.go.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>

namespace lockstep {

// Appends to a string that must outlive it. Pads the last byte with zero bits.
class MsbBits {
 public:
  explicit MsbBits(std::string& out) : out_(out) {}
  MsbBits(const MsbBits&) = delete;
  MsbBits& operator=(const MsbBits&) = delete;

  // Appends the low `width` bits of `value`. Precondition: 0 <= width <= 64.
  void Put(uint64_t value, int width) {
    while (width > 0) {
      if (free_ == 0) {
        out_ += '\0';
        free_ = 8;
      }
      const int taken = width < free_ ? width : free_;
      const auto bits = static_cast<unsigned>(value >> (width - taken)) & ((1u << taken) - 1);
      out_.back() =
          static_cast<char>(static_cast<unsigned char>(out_.back()) | bits << (free_ - taken));
      free_ -= taken;
      width -= taken;
    }
  }
  void PutDouble(double value) { Put(std::bit_cast<uint64_t>(value), 64); }

  void PutVarbit(int64_t value) {
    for (int i = 0; i < kClassCount; ++i) {
      if (FitsSigned(value, kWidths[i])) return PutClass(i, static_cast<uint64_t>(value));
    }
  }
  void PutUnsignedVarbit(uint64_t value) {
    for (int i = 0; i < kClassCount; ++i) {
      if (kWidths[i] == 64 || value >> kWidths[i] == 0) return PutClass(i, value);
    }
  }

  // Whether `value` is from -(2^(width-1) - 1) to 2^(width-1).
  static bool FitsSigned(int64_t value, int width) {
    if (width == 64) return true;
    if (width == 0) return value == 0;
    const int64_t half = int64_t{1} << (width - 1);
    return value > -half && value <= half;
  }

 private:
  static constexpr int kClassCount = 9;
  static constexpr int kWidths[kClassCount] = {0, 3, 6, 9, 12, 18, 25, 56, 64};

  // Writes the class's number in unary: that many ones, then a zero unless it is the last class.
  void PutClass(int number, uint64_t value) {
    for (int i = 0; i < number; ++i) Put(1, 1);
    if (number + 1 < kClassCount) Put(0, 1);
    Put(value, kWidths[number]);
  }

  std::string& out_;
  int free_ = 0;  // unused bits of the last byte
};

// Writes doubles as differences from the previous one. The first value must be written by other
// means.
//
//   |0|                                     the same
//   |10|bits|                               inside the previous window
//   |11|leading: 5|width: 6|bits: width|    a new window; a width of 64 is written as 0
class XorSequence {
 public:
  explicit XorSequence(double first = 0) : bits_(std::bit_cast<uint64_t>(first)) {}

  void Put(double value, MsbBits& out) {
    const uint64_t bits = std::bit_cast<uint64_t>(value);
    const uint64_t delta = bits ^ bits_;
    bits_ = bits;
    if (delta == 0) return out.Put(0, 1);
    const int leading = std::min(std::countl_zero(delta), kMaxLeading);
    const int trailing = std::countr_zero(delta);
    if (has_window_ && leading >= leading_ && trailing >= trailing_) {
      out.Put(0b10, 2);
      return out.Put(delta >> trailing_, 64 - leading_ - trailing_);
    }
    has_window_ = true;
    leading_ = leading;
    trailing_ = trailing;
    const int width = 64 - leading - trailing;
    out.Put(0b11, 2);
    out.Put(static_cast<uint64_t>(leading), 5);
    out.Put(static_cast<uint64_t>(width) & 63, 6);
    out.Put(delta >> trailing, width);
  }

 private:
  static constexpr int kMaxLeading = 31;  // the maximum of 5 bits

  uint64_t bits_;
  bool has_window_ = false;
  int leading_ = 0;
  int trailing_ = 0;
};

}  // namespace lockstep
