// Floats as XOR with the value before, for values that change in few of their bits.
//
// The first value is written in full. Then for each value, x being its bits XOR those of the value
// before:
//   0                                          x = 0
//   1 0 [bits of x inside the window]          x fits into the window last given
//   1 1 [leading zeros, 5] [width - 1, 6] [bits of x inside]   a new window: after that many zero
//   bits
//                                              come `width` bits, and then only zeros
// Source: Pelkonen et al., "Gorilla: A Fast, Scalable, In-Memory Time Series Database", VLDB 2015;
// here the width is stored less one, so that 64 fits.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace lockstep {

void EncodeXor(std::string& out, std::span<const double> values);

// Replaces `values`. kDataLoss on anything malformed. Every value takes at least one bit of input.
absl::Status DecodeXor(std::string_view& in, size_t count, std::vector<double>& values);

}  // namespace lockstep
