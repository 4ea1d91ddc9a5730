// Float values as the shortest of several forms. The first byte, which is on disk, says which:
//
//   kRaw       fixed64 of each value's bits: what is always possible
//   kConstant  fixed64 of the one bit pattern that all values have
//   kXor       xor_codec.h
//   kDecimal   decimal_codec.h
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace lockstep {

enum class ValueForm : uint8_t { kRaw = 0, kConstant = 1, kXor = 2, kDecimal = 3 };

// No values take no bytes.
void EncodeValues(std::string& out, std::span<const double> values);

// Replaces `values`. kDataLoss on anything malformed. The caller bounds `count`.
absl::Status DecodeValues(std::string_view& in, size_t count, std::vector<double>& values);

}  // namespace lockstep
