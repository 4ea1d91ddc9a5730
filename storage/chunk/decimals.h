// Floats as integers and back, exact to the last bit, in two ways:
//
//   decimal       integer / 10^exponent, for values that people and devices wrote as decimals
//   ordered bits  the IEEE bits, those of negative numbers transformed so that integers ascend as
//                 the floats do: every float has them
//
// Each conversion back to floats is built twice, for every processor and for those with AVX2 and
// FMA; both give the same results. The idea of decimals comes from Afroozeh et al., "ALP: Adaptive
// Lossless floating-Point Compression", SIGMOD 2024.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "storage/chunk/integers/residual_stream.h"

namespace lockstep {

inline constexpr int kMaxExponent = 16;

// The integer from which IntegersToDecimals() makes exactly this float, or nothing if there is
// none, as for NaN, infinities, -0 and long fractions. Precondition: 0 <= exponent <= kMaxExponent.
std::optional<int64_t> AsDecimal(double value, int exponent);

inline int64_t AsOrderedBits(double value) {
  const auto bits = std::bit_cast<int64_t>(value);
  return bits ^ static_cast<int64_t>(static_cast<uint64_t>(bits >> 63) >> 1);
}

// Each writes one float per integer.
void IntegersToDecimals(std::span<const int64_t> integers, int exponent, double* values,
                        CodecBuild build = BestBuild());
void OrderedBitsToValues(std::span<const int64_t> integers, double* values,
                         CodecBuild build = BestBuild());

}  // namespace lockstep
