// A short list of integers: the smallest, and what each is above it in equally many bits. Numbers that
// are all the same take two bytes or so, however many they are.
//
//   +-------------------+----------+---------------------------------------+
//   | smallest, zigzag  | width u8 | differences to it, `width` bits each  |
//   +-------------------+----------+---------------------------------------+
//
// The count is kept by the caller; no integers take no bytes. Differences wrap at 64 bits.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace lockstep {

void PutPackedIntegers(std::string& out, std::span<const int64_t> integers);

// Fills `integers`, consuming their bytes. False on anything malformed.
[[nodiscard]] bool GetPackedIntegers(std::string_view& in, std::span<int64_t> integers);

}  // namespace lockstep
