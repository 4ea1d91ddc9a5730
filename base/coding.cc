#include "base/coding.h"

#include <bit>

namespace lockstep {
namespace {

template <typename T>
void PutBigEndian(std::string& out, T value) {
  char bytes[sizeof(T)];
  for (size_t i = 0; i < sizeof(T); ++i) {
    bytes[i] = static_cast<char>(value >> (8 * (sizeof(T) - 1 - i)));
  }
  out.append(bytes, sizeof(T));
}

template <typename T>
bool GetBigEndian(std::string_view& in, T& value) {
  if (in.size() < sizeof(T)) return false;
  T result = 0;
  for (size_t i = 0; i < sizeof(T); ++i) {
    result = static_cast<T>((result << 8) | static_cast<unsigned char>(in[i]));
  }
  in.remove_prefix(sizeof(T));
  value = result;
  return true;
}

}  // namespace

void PutFixed16(std::string& out, uint16_t value) { PutBigEndian(out, value); }
void PutFixed32(std::string& out, uint32_t value) { PutBigEndian(out, value); }
void PutFixed64(std::string& out, uint64_t value) { PutBigEndian(out, value); }

void PutVarint64(std::string& out, uint64_t value) {
  char bytes[10];
  size_t count = 0;
  for (; value >= 0x80; value >>= 7) bytes[count++] = static_cast<char>(value | 0x80);
  bytes[count++] = static_cast<char>(value);
  out.append(bytes, count);
}

size_t VarintLength(uint64_t value) {
  return (static_cast<size_t>(std::bit_width(value | 1)) + 6) / 7;
}

void PutVarintSigned64(std::string& out, int64_t value) {
  PutVarint64(out, (static_cast<uint64_t>(value) << 1) ^ static_cast<uint64_t>(value >> 63));
}

void PutLengthPrefixed(std::string& out, std::string_view bytes) {
  PutVarint64(out, bytes.size());
  out.append(bytes);
}

bool GetFixed16(std::string_view& in, uint16_t& value) { return GetBigEndian(in, value); }
bool GetFixed32(std::string_view& in, uint32_t& value) { return GetBigEndian(in, value); }
bool GetFixed64(std::string_view& in, uint64_t& value) { return GetBigEndian(in, value); }

bool GetLongVarint64(std::string_view& in, uint64_t& value) {
  uint64_t result = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    if (in.empty()) return false;
    const auto byte = static_cast<unsigned char>(in.front());
    in.remove_prefix(1);
    // The tenth byte has room for only one bit.
    if (shift == 63 && byte > 1) return false;
    result |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) {
      value = result;
      return true;
    }
  }
  return false;
}

bool GetVarintSigned64(std::string_view& in, int64_t& value) {
  uint64_t zigzag;
  if (!GetVarint64(in, zigzag)) return false;
  value = static_cast<int64_t>(zigzag >> 1) ^ -static_cast<int64_t>(zigzag & 1);
  return true;
}

}  // namespace lockstep
