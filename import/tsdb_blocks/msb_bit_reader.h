// Reads numbers of any bit width, most significant bit first, as in Prometheus' chunks: the
// counterpart of the writer in export/msb_bits.h.
//
// Source: Prometheus, tsdb/chunkenc/bstream.go and varbit.go.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace lockstep::tsdb_blocks {

// The bytes must outlive this object. Past their end, and after a malformed number, all reads are 0
// and is_good() is false. Not thread-safe.
class MsbBitReader {
 public:
  explicit MsbBitReader(std::string_view bytes) : bytes_(bytes) {}

  bool is_good() const { return is_good_; }
  uint64_t bits_left() const { return bytes_.size() * 8 - at_; }

  // Precondition: 0 <= width <= 64.
  uint64_t Get(int width) {
    if (!is_good_ || bits_left() < static_cast<uint64_t>(width)) {
      is_good_ = false;
      return 0;
    }
    uint64_t value = 0;
    while (width > 0) {
      const int free = 8 - static_cast<int>(at_ % 8);
      const int taken = width < free ? width : free;
      const unsigned byte = static_cast<unsigned char>(bytes_[at_ / 8]);
      value = value << taken | (byte >> (free - taken) & ((1u << taken) - 1));
      at_ += static_cast<uint64_t>(taken);
      width -= taken;
    }
    return value;
  }
  // A number from -(2^(width-1) - 1) to 2^(width-1) in `width` bits.
  int64_t GetSigned(int width) {
    const uint64_t value = Get(width);
    if (width == 0 || width == 64 || value <= uint64_t{1} << (width - 1)) {
      return static_cast<int64_t>(value);
    }
    return static_cast<int64_t>(value - (uint64_t{1} << width));
  }
  double GetDouble() { return std::bit_cast<double>(Get(64)); }

  int64_t GetVarbit() { return GetSigned(kVarbitWidths[Ones(kVarbitClasses - 1)]); }
  uint64_t GetUnsignedVarbit() { return Get(kVarbitWidths[Ones(kVarbitClasses - 1)]); }
  // Counts set bits up to the next zero, which is consumed, or up to `most`.
  int Ones(int most) {
    int count = 0;
    while (count < most && Get(1) == 1) ++count;
    return count;
  }
  // LEB128, and its zigzag form.
  uint64_t GetVarint() {
    uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const uint64_t byte = Get(8);
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    is_good_ = false;
    return 0;
  }
  int64_t GetSignedVarint() {
    const uint64_t value = GetVarint();
    return static_cast<int64_t>(value >> 1 ^ (~(value & 1) + 1));
  }
  void Fail() { is_good_ = false; }

 private:
  static constexpr int kVarbitClasses = 9;
  static constexpr int kVarbitWidths[kVarbitClasses] = {0, 3, 6, 9, 12, 18, 25, 56, 64};

  std::string_view bytes_;
  uint64_t at_ = 0;  // in bits
  bool is_good_ = true;
};

// Doubles encoded as the xor with the previous one.
class XorReader {
 public:
  explicit XorReader(double first = 0) : bits_(std::bit_cast<uint64_t>(first)) {}

  double Next(MsbBitReader& in) {
    const int form = in.Ones(2);  // unchanged; in the previous window; with a new window
    if (form == 2) ReadWindow(in);
    if (form > 0) bits_ ^= in.Get(64 - leading_ - trailing_) << trailing_;
    return std::bit_cast<double>(bits_);
  }

 private:
  void ReadWindow(MsbBitReader& in) {
    leading_ = static_cast<int>(in.Get(5));
    const auto width = static_cast<int>(in.Get(6));
    trailing_ = 64 - leading_ - (width == 0 ? 64 : width);
    if (trailing_ >= 0) return;
    in.Fail();
    trailing_ = 0;
  }

  uint64_t bits_;
  int leading_ = 0;
  int trailing_ = 0;
};

// Adds with wraparound, which a malformed file may cause.
inline int64_t WrappingSum(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}

}  // namespace lockstep::tsdb_blocks
