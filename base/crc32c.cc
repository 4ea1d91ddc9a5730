#include "base/crc32c.h"

#include <array>
#include <cstring>

#ifdef __x86_64__
#include <nmmintrin.h>
#endif

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

uint32_t ExtendByTable(uint32_t crc, std::string_view bytes) {
  for (const char byte : bytes) crc = kTable[(crc ^ static_cast<uint8_t>(byte)) & 255] ^ crc >> 8;
  return crc;
}

#ifdef __x86_64__
// The processor's own instruction: a start reads logs of 100 MB.
__attribute__((target("sse4.2"))) uint32_t ExtendByInstruction(uint32_t crc,
                                                               std::string_view bytes) {
  uint64_t wide = crc;
  for (; bytes.size() >= sizeof(uint64_t); bytes.remove_prefix(sizeof(uint64_t))) {
    uint64_t word = 0;
    std::memcpy(&word, bytes.data(), sizeof(word));
    wide = _mm_crc32_u64(wide, word);
  }
  crc = static_cast<uint32_t>(wide);
  for (const char byte : bytes) crc = _mm_crc32_u8(crc, static_cast<uint8_t>(byte));
  return crc;
}

bool HasInstruction() {
  static const bool has = __builtin_cpu_supports("sse4.2") != 0;
  return has;
}
#endif

}  // namespace

uint32_t Crc32c(std::string_view bytes) {
#ifdef __x86_64__
  if (HasInstruction()) return ~ExtendByInstruction(~0u, bytes);
#endif
  return Crc32cByTable(bytes);
}

uint32_t Crc32cByTable(std::string_view bytes) { return ~ExtendByTable(~0u, bytes); }

}  // namespace lockstep
