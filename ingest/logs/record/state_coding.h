// Encoding of kept parser state, in addition to base/coding.h. On disk: docs/formats/kept.md.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "base/coding.h"

namespace lockstep::logs {

// A varint: 0 for nothing, or 1 followed by the number in zigzag encoding.
template <typename Number>
void PutOptional(std::string& out, std::optional<Number> number) {
  PutVarint64(out, number.has_value() ? 1 : 0);
  if (number.has_value()) PutVarintSigned64(out, *number);
}

template <typename Number>
[[nodiscard]] bool GetOptional(std::string_view& in, std::optional<Number>& number) {
  uint64_t has_value = 0;
  int64_t value = 0;
  if (!GetVarint64(in, has_value) || has_value > 1) return false;
  number.reset();
  if (has_value == 0) return true;
  if (!GetVarintSigned64(in, value)) return false;
  if (value < std::numeric_limits<Number>::min() || value > std::numeric_limits<Number>::max()) {
    return false;
  }
  number = static_cast<Number>(value);
  return true;
}

// A varint below `limit`.
template <typename Number>
[[nodiscard]] bool GetBelow(std::string_view& in, uint64_t limit, Number& number) {
  uint64_t value = 0;
  if (!GetVarint64(in, value) || value >= limit) return false;
  number = static_cast<Number>(value);
  return true;
}

[[nodiscard]] inline bool GetFlag(std::string_view& in, bool& flag) {
  return GetBelow(in, 2, flag);
}

}  // namespace lockstep::logs
