// Fixed-endian integers and varints, the building blocks of everything that we store.
//
// Encoders append to the caller's string. Decoders consume from the front of a view and return
// false (leaving the view unspecified) if it holds too few bytes or a malformed number.
// Thread-safe: no state. Fixed-width numbers are big-endian so that keys sort as their numbers do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace lockstep {

void PutFixed16(std::string& out, uint16_t value);
void PutFixed32(std::string& out, uint32_t value);
void PutFixed64(std::string& out, uint64_t value);
// LEB128, as in protobuf: seven bits per byte, low bits first, at most ten bytes.
void PutVarint64(std::string& out, uint64_t value);
// Zigzag, then varint: small magnitudes of either sign are short.
void PutVarintSigned64(std::string& out, int64_t value);
// The number of bytes that PutVarint64() writes.
size_t VarintLength(uint64_t value);
// Varint length, then the bytes.
void PutLengthPrefixed(std::string& out, std::string_view bytes);

[[nodiscard]] bool GetFixed16(std::string_view& in, uint16_t& value);
[[nodiscard]] bool GetFixed32(std::string_view& in, uint32_t& value);
[[nodiscard]] bool GetFixed64(std::string_view& in, uint64_t& value);
[[nodiscard]] bool GetLongVarint64(std::string_view& in, uint64_t& value);  // value of any length
[[nodiscard]] inline bool GetVarint64(std::string_view& in, uint64_t& value) {
  if (in.empty() || static_cast<unsigned char>(in.front()) >= 0x80) {
    return GetLongVarint64(in, value);
  }
  value = static_cast<unsigned char>(in.front());
  in.remove_prefix(1);
  return true;
}
[[nodiscard]] bool GetVarintSigned64(std::string_view& in, int64_t& value);
// `bytes` points into the memory that `in` pointed into.
[[nodiscard]] inline bool GetLengthPrefixed(std::string_view& in, std::string_view& bytes) {
  uint64_t size;
  if (!GetVarint64(in, size) || size > in.size()) return false;
  bytes = in.substr(0, size);
  in.remove_prefix(size);
  return true;
}

}  // namespace lockstep
