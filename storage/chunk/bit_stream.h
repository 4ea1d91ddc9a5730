// BitWriter, BitReader: numbers of any width in bits, most significant bit first. The last byte is
// padded with zero bits. Not thread-safe.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace lockstep {

// Appends to a string that must outlive it.
class BitWriter {
 public:
  explicit BitWriter(std::string& out) : out_(out) {}
  BitWriter(const BitWriter&) = delete;
  BitWriter& operator=(const BitWriter&) = delete;

  // The low `width` bits of `value`. Precondition: width <= 64, and no higher bit of `value` is
  // set.
  void Put(uint64_t value, int width) {
    if (width > kMaxStep) {
      PutStep(value >> 32, width - 32);
      PutStep(value & 0xffffffff, 32);
    } else {
      PutStep(value, width);
    }
  }
  // `zeros` zero bits, then a one. Precondition: zeros <= 64.
  void PutUnary(int zeros) {
    Put(0, zeros);
    Put(1, 1);
  }
  // Pads to a whole byte. Call once, at the end.
  void Finish() {
    if (pending_width_ > 0) PutStep(0, 8 - pending_width_);
  }

 private:
  // With up to 7 bits pending, this many more fit into a word.
  static constexpr int kMaxStep = 56;

  void PutStep(uint64_t value, int width) {
    pending_ = (pending_ << width) | value;
    pending_width_ += width;
    while (pending_width_ >= 8) {
      pending_width_ -= 8;
      out_.push_back(static_cast<char>(pending_ >> pending_width_));
    }
  }

  std::string& out_;
  uint64_t pending_ = 0;  // the low pending_width_ bits are not written yet
  int pending_width_ = 0;
};

// Reads from the front of a view. Every Get fails, with `value` unspecified, when the bits run out.
class BitReader {
  static_assert(std::endian::native == std::endian::little);

 public:
  explicit BitReader(std::string_view in) : at_(in.data()), end_(in.data() + in.size()) {}

  // Precondition: width <= 64.
  [[nodiscard]] bool Get(int width, uint64_t& value) {
    if (width <= kMaxStep) return GetStep(width, value);
    uint64_t high, low;
    if (!GetStep(width - 32, high) || !GetStep(32, low)) return false;
    value = (high << 32) | low;
    return true;
  }

  // The number of zero bits before the next one, which is consumed too. Fails above 64.
  [[nodiscard]] bool GetUnary(int& zeros) {
    zeros = 0;
    while (true) {
      Refill();
      const int leading = std::countl_zero(window_);
      if (leading < width_) {
        Skip(leading + 1);
        zeros += leading;
        return zeros <= 64;
      }
      if (width_ == 0 || zeros > 64) return false;
      zeros += width_;
      Skip(width_);
    }
  }

  // The whole bytes behind the last bit that was read, in `rest`. Fails if the padding is not zero.
  [[nodiscard]] bool Finish(std::string_view& rest) {
    const int padding = width_ % 8;
    if (padding > 0 && (window_ >> (64 - padding)) != 0) return false;
    const char* const next = at_ - width_ / 8;
    rest = {next, static_cast<size_t>(end_ - next)};
    return true;
  }

 private:
  static constexpr int kMaxStep = 56;

  [[nodiscard]] bool GetStep(int width, uint64_t& value) {
    if (width_ < width) {
      Refill();
      if (width_ < width) return false;
    }
    value = width == 0 ? 0 : window_ >> (64 - width);
    Skip(width);
    return true;
  }

  // After it at least kMaxStep bits are in the window, or all that are left.
  void Refill() {
    if (end_ - at_ >= 8) {
      // A whole word at once; the bits of it that do not make a whole byte are put in again next time.
      uint64_t word;
      std::memcpy(&word, at_, 8);
      window_ |= __builtin_bswap64(word) >> width_;
      at_ += (63 - width_) / 8;
      width_ |= kMaxStep;
      return;
    }
    while (width_ <= kMaxStep && at_ != end_) {
      const uint64_t byte = static_cast<unsigned char>(*at_++);
      window_ |= byte << (kMaxStep - width_);
      width_ += 8;
    }
  }

  // Precondition: width <= width_, so at most 64.
  void Skip(int width) {
    window_ = width == 64 ? 0 : window_ << width;
    width_ -= width;
  }

  const char* at_;
  const char* end_;
  // The top width_ bits are the next ones; those below are the ones after them, or zero.
  uint64_t window_ = 0;
  int width_ = 0;
};

}  // namespace lockstep
