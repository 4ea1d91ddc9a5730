#include "storage/chunk/xor_codec.h"

#include <algorithm>
#include <bit>
#include <cstdint>

#include "storage/chunk/bit_stream.h"

namespace lockstep {
namespace {

constexpr int kLeadingBits = 5;
constexpr int kWidthBits = 6;
constexpr int kMaxLeading = (1 << kLeadingBits) - 1;

// Which bits of a word are written: those after `leading` and before `trailing` ones.
struct Window {
  int leading = 0;
  int trailing = 0;
  bool given = false;

  int width() const { return 64 - leading - trailing; }
  bool Fits(uint64_t x) const {
    return given && std::countl_zero(x) >= leading && std::countr_zero(x) >= trailing;
  }
};

void PutDifference(BitWriter& bits, uint64_t x, Window& window) {
  if (x == 0) {
    bits.Put(0, 1);
    return;
  }
  if (window.Fits(x)) {
    bits.Put(0b10, 2);
  } else {
    window = {std::min(std::countl_zero(x), kMaxLeading), std::countr_zero(x), true};
    bits.Put(0b11, 2);
    bits.Put(static_cast<uint64_t>(window.leading), kLeadingBits);
    bits.Put(static_cast<uint64_t>(window.width() - 1), kWidthBits);
  }
  bits.Put(x >> window.trailing, window.width());
}

bool GetWindow(BitReader& bits, Window& window) {
  uint64_t leading, width_less_one;
  if (!bits.Get(kLeadingBits, leading) || !bits.Get(kWidthBits, width_less_one)) return false;
  if (leading + width_less_one + 1 > 64) return false;
  window = {static_cast<int>(leading), static_cast<int>(64 - leading - width_less_one - 1), true};
  return true;
}

bool GetDifference(BitReader& bits, Window& window, uint64_t& x) {
  uint64_t changed, new_window;
  if (!bits.Get(1, changed)) return false;
  if (changed == 0) {
    x = 0;
    return true;
  }
  if (!bits.Get(1, new_window)) return false;
  if (new_window == 1 ? !GetWindow(bits, window) : !window.given) return false;
  if (!bits.Get(window.width(), x)) return false;
  x <<= window.trailing;
  return true;
}

}  // namespace

void EncodeXor(std::string& out, std::span<const double> values) {
  BitWriter bits(out);
  Window window;
  uint64_t previous = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    const auto current = std::bit_cast<uint64_t>(values[i]);
    if (i == 0) {
      bits.Put(current, 64);
    } else {
      PutDifference(bits, current ^ previous, window);
    }
    previous = current;
  }
  bits.Finish();
}

absl::Status DecodeXor(std::string_view& in, size_t count, std::vector<double>& values) {
  if (count > in.size() * 8) return absl::DataLossError("xor stream: fewer bits than values");
  values.clear();
  values.reserve(count);
  BitReader bits(in);
  Window window;
  uint64_t current = 0;
  for (size_t i = 0; i < count; ++i) {
    uint64_t x;
    const bool good = i == 0 ? bits.Get(64, x) : GetDifference(bits, window, x);
    if (!good) return absl::DataLossError("xor stream: a value is cut short or has no window");
    current ^= x;
    values.push_back(std::bit_cast<double>(current));
  }
  if (!bits.Finish(in)) return absl::DataLossError("xor stream: the padding is not zero");
  return absl::OkStatus();
}

}  // namespace lockstep
