#include "base/crc32c.h"

#include <array>

namespace lockstep {
namespace {

constexpr uint32_t kPolynomial = 0x82f63b78;  // its bits in reverse

constexpr std::array<uint32_t, 256> kTable = [] {
  std::array<uint32_t, 256> table{};
  for (uint32_t i = 0; i < table.size(); ++i) {
    uint32_t crc = i;
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? kPolynomial : 0u);
    table[i] = crc;
  }
  return table;
}();

}  // namespace

uint32_t Crc32c(std::string_view bytes) {
  uint32_t crc = ~0u;
  for (const char byte : bytes) crc = kTable[(crc ^ static_cast<uint8_t>(byte)) & 255] ^ crc >> 8;
  return ~crc;
}

}  // namespace lockstep
