// Floats that people or devices wrote as decimals: value = integer / 10^exponent, checked to give
// the same bits, with the integers as an integer stream. Values for which no such integer exists
// (NaN, infinities, -0, long fractions) are patched in by their bits, as long as they are few.
//
//   +--------------+------------------------+-------------------------------------+----------------+
//   | exponent u8  | exception count varint | per exception: indexes since the    | integer stream
//   | |              |                        | one before, varint; bits, fixed64   | |
//   +--------------+------------------------+-------------------------------------+----------------+
//
// In the integer stream an exception repeats the integer before it (0 at the start). Source of the
// idea: Afroozeh et al., "ALP: Adaptive Lossless floating-Point Compression", SIGMOD 2024.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace lockstep {

// False, with `out` unchanged, if too many values are no decimals.
[[nodiscard]] bool EncodeDecimal(std::string& out, std::span<const double> values);

// Replaces `values`. kDataLoss on anything malformed. The caller bounds `count`.
absl::Status DecodeDecimal(std::string_view& in, size_t count, std::vector<double>& values);

}  // namespace lockstep
