#include "query/engine/kernels/numbers/xxhash64.h"

#include <array>
#include <bit>
#include <cstddef>

namespace lockstep::engine {
namespace {

constexpr uint64_t kPrime1 = 0x9E3779B185EBCA87;
constexpr uint64_t kPrime2 = 0xC2B2AE3D27D4EB4F;
constexpr uint64_t kPrime3 = 0x165667B19E3779F9;
constexpr uint64_t kPrime4 = 0x85EBCA77C2B2AE63;
constexpr uint64_t kPrime5 = 0x27D4EB2F165667C5;

// Takes `size` bytes, little-endian, from the front.
uint64_t Take(std::string_view& bytes, size_t size) {
  uint64_t word = 0;
  for (size_t i = 0; i < size; ++i) {
    word |= uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  }
  bytes.remove_prefix(size);
  return word;
}

uint64_t Round(uint64_t accumulator, uint64_t lane) {
  return std::rotl(accumulator + lane * kPrime2, 31) * kPrime1;
}

uint64_t MergeAccumulator(uint64_t hash, uint64_t accumulator) {
  return (hash ^ Round(0, accumulator)) * kPrime1 + kPrime4;
}

uint64_t HashStripes(std::string_view& bytes) {
  std::array<uint64_t, 4> accumulators = {kPrime1 + kPrime2, kPrime2, 0, uint64_t{0} - kPrime1};
  while (bytes.size() >= 32) {
    for (uint64_t& accumulator : accumulators) accumulator = Round(accumulator, Take(bytes, 8));
  }
  uint64_t hash = std::rotl(accumulators[0], 1) + std::rotl(accumulators[1], 7) +
                  std::rotl(accumulators[2], 12) + std::rotl(accumulators[3], 18);
  for (const uint64_t accumulator : accumulators) hash = MergeAccumulator(hash, accumulator);
  return hash;
}

}  // namespace

uint64_t XxHash64(std::string_view bytes) {
  const uint64_t length = bytes.size();
  uint64_t hash = (length >= 32 ? HashStripes(bytes) : kPrime5) + length;
  while (bytes.size() >= 8) {
    hash = std::rotl(hash ^ Round(0, Take(bytes, 8)), 27) * kPrime1 + kPrime4;
  }
  if (bytes.size() >= 4) hash = std::rotl(hash ^ Take(bytes, 4) * kPrime1, 23) * kPrime2 + kPrime3;
  while (!bytes.empty()) hash = std::rotl(hash ^ Take(bytes, 1) * kPrime5, 11) * kPrime1;
  hash = (hash ^ (hash >> 33)) * kPrime2;
  hash = (hash ^ (hash >> 29)) * kPrime3;
  return hash ^ (hash >> 32);
}

}  // namespace lockstep::engine
