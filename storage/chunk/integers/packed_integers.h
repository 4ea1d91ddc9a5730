// A short list of integers: the smallest, then the distance of each to it, all in the same number
// of bits. Equal numbers take about two bytes together, however many there are.
//
//   +-------------------+----------+---------------------------------------+
//   | smallest, zigzag  | width u8 | differences to it, `width` bits each  |
//   +-------------------+----------+---------------------------------------+
//
// The caller keeps the count; an empty list takes no bytes. Differences wrap at 64 bits.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace lockstep {

void PutPackedIntegers(std::string& out, std::span<const int64_t> integers);

// Fills `integers` and consumes their bytes. Returns false on malformed input.
[[nodiscard]] bool GetPackedIntegers(std::string_view& in, std::span<int64_t> integers);

}  // namespace lockstep
