// Decodes protobuf in place, in the order that senders write it, for the paths of every sample.
// Takers return false, and leave `in` unspecified, if the expected input does not come next.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "model/sample.h"

namespace lockstep {

// For tags of field numbers below 16.
enum class WireType : uint8_t { kVarint = 0, kFixed64 = 1, kLengthDelimited = 2 };
constexpr uint8_t WireTag(uint8_t number, WireType type) {
  return static_cast<uint8_t>(number << 3 | static_cast<uint8_t>(type));
}

// The remaining input.
struct WireBytes {
  const uint8_t* at;
  const uint8_t* end;

  bool empty() const { return at == end; }
  size_t size() const { return static_cast<size_t>(end - at); }
  static WireBytes Of(std::string_view bytes) {
    const auto* const begin = reinterpret_cast<const uint8_t*>(bytes.data());
    return {begin, begin + bytes.size()};
  }
  bool StartsWith(uint8_t byte) const { return at != end && *at == byte; }
};

inline bool TakeLongVarint(WireBytes& in, uint64_t& value) {
  value = 0;
  for (int shift = 0; shift < 64 && !in.empty(); shift += 7) {
    const uint8_t byte = *in.at++;
    value |= uint64_t{byte & 0x7fu} << shift;
    if (byte < 0x80) return true;
  }
  return false;
}

// Lengths usually take one byte, references one or two.
inline bool TakeVarint(WireBytes& in, uint64_t& value) {
  if (in.empty()) return false;
  if (*in.at < 0x80) {
    value = *in.at++;
    return true;
  }
  if (in.size() < 2 || in.at[1] >= 0x80) return TakeLongVarint(in, value);
  value = (in.at[0] & 0x7fu) | uint64_t{in.at[1]} << 7;
  in.at += 2;
  return true;
}

// After a tag: takes the length, then that many bytes.
inline bool TakeMessage(WireBytes& in, WireBytes& message) {
  uint64_t size = 0;
  if (!TakeVarint(in, size) || size > in.size()) return false;
  message = {in.at, in.at + size};
  in.at += size;
  return true;
}

inline bool TakeField(WireBytes& in, uint8_t tag, WireBytes& field) {
  if (!in.StartsWith(tag)) return false;
  ++in.at;
  return TakeMessage(in, field);
}

inline std::string_view TextOf(WireBytes bytes) {
  return {reinterpret_cast<const char*>(bytes.at), bytes.size()};
}

// A complete Sample message, value and time. Zero fields may be missing.
inline bool TakeSample(WireBytes message, Sample& sample) {
  constexpr uint8_t kValueTag = WireTag(1, WireType::kFixed64);
  constexpr uint8_t kTimestampTag = WireTag(2, WireType::kVarint);
  sample = Sample();
  if (message.StartsWith(kValueTag)) {
    if (message.size() < 1 + sizeof(sample.value)) return false;
    static_assert(std::endian::native == std::endian::little);
    std::memcpy(&sample.value, message.at + 1, sizeof(sample.value));
    message.at += 1 + sizeof(sample.value);
  }
  if (message.StartsWith(kTimestampTag)) {
    ++message.at;
    uint64_t timestamp_ms = 0;
    if (!TakeVarint(message, timestamp_ms)) return false;
    sample.timestamp_ms = static_cast<int64_t>(timestamp_ms);
  }
  return message.empty();
}

}  // namespace lockstep
