// Whole numbers as bits: differences, then a code that is short for the widths that occur.
//
//   order 0   base, then each value - base              a noisy gauge (base is the smallest value)
//   order 1   first value, then differences             a slowly moving gauge
//   order 2   first value, first difference, then       a counter, a clock
//             differences of differences
//
// A residual u (for orders 1 and 2 after zigzag) is written with a parameter k that all of a stream
// share: n = bit_width(u >> k) zero bits and a one, then u >> k without its leading one (n - 1
// bits, none if n is 0), then the low k bits of u. That is Elias' gamma code over a Rice remainder:
// the usual residual costs about its own width, and a rare large one twice its width, with no
// escape. Order and k are those that make the stream shortest.
//
//   +---------------------+---------------------------+--------------------------+
//   | order << 6 | k, u8  | leading values, zigzag    | residuals, bits, padded  |
//   |                     | varints (1; 2 of order 2) | with zeros to a byte     |
//   +---------------------+---------------------------+--------------------------+
//
// k = 63 says that every residual is zero: no bits follow. All sums wrap at 64 bits, so every list
// of integers comes back exactly. The number of values is kept by the caller; none take no bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace lockstep {

void EncodeIntegers(std::string& out, std::span<const int64_t> values);

// Replaces `values` by the `count` numbers at the front of `in`, consuming their bytes. kDataLoss
// on anything malformed. A few bytes can stand for many equal numbers: the caller bounds `count`.
absl::Status DecodeIntegers(std::string_view& in, size_t count, std::vector<int64_t>& values);

}  // namespace lockstep
