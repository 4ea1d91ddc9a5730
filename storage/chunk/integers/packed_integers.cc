#include "storage/chunk/integers/packed_integers.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/coding.h"
#include "storage/chunk/integers/bits.h"

namespace lockstep {

void PutPackedIntegers(std::string& out, std::span<const int64_t> integers) {
  if (integers.empty()) return;
  const auto [smallest, largest] = std::minmax_element(integers.begin(), integers.end());
  const auto base = static_cast<uint64_t>(*smallest);
  const int width = std::bit_width(static_cast<uint64_t>(*largest) - base);
  PutVarintSigned64(out, *smallest);
  out.push_back(static_cast<char>(width));
  BitSink bits(out);
  for (const int64_t integer : integers) bits.Put(static_cast<uint64_t>(integer) - base, width);
  bits.Finish();
}

bool GetPackedIntegers(std::string_view& in, std::span<int64_t> integers) {
  if (integers.empty()) return true;
  int64_t smallest = 0;
  if (!GetVarintSigned64(in, smallest) || in.empty()) return false;
  const int width = static_cast<unsigned char>(in.front());
  in.remove_prefix(1);
  if (width > 64) return false;
  const size_t byte_count = (integers.size() * static_cast<size_t>(width) + 7) / 8;
  if (byte_count > in.size()) return false;
  const std::string_view bits = in.substr(0, byte_count);
  const auto base = static_cast<uint64_t>(smallest);
  size_t next = 0;
  if (width == 0) {
    std::ranges::fill(integers, smallest);
    next = integers.size();
  } else if (width <= kWordBits && in.size() >= sizeof(uint64_t)) {
    // As long as a whole word can be read.
    const size_t readable_bits = 8 * (in.size() - sizeof(uint64_t));
    const size_t count = std::min(integers.size(), readable_bits / static_cast<size_t>(width));
    for (uint64_t position = 0; next < count; ++next, position += static_cast<uint64_t>(width)) {
      uint64_t word = 0;
      std::memcpy(&word, in.data() + position / 8, sizeof(word));
      integers[next] = static_cast<int64_t>(base + LowBits(word >> (position % 8), width));
    }
  }
  for (; next < integers.size(); ++next) {
    const uint64_t position = next * static_cast<uint64_t>(width);
    integers[next] = static_cast<int64_t>(base + WideBitsAt(bits, position, width));
  }
  in.remove_prefix(byte_count);
  return true;
}

}  // namespace lockstep
