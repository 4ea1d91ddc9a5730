#include "export/float_chunk.h"

#include "base/coding.h"
#include "export/msb_bits.h"

namespace lockstep {
namespace {

struct DeltaClass {
  uint64_t prefix;
  int prefix_width;
  int width;
};
constexpr DeltaClass kDeltaClasses[] = {
    {0b0, 1, 0}, {0b10, 2, 14}, {0b110, 3, 17}, {0b1110, 4, 20}, {0b1111, 4, 64}};

void PutDeltaOfDelta(int64_t delta, MsbBits& bits) {
  for (const DeltaClass& c : kDeltaClasses) {
    if (!MsbBits::FitsSigned(delta, c.width)) continue;
    bits.Put(c.prefix, c.prefix_width);
    return bits.Put(static_cast<uint64_t>(delta), c.width);
  }
}

// Writes whole bytes at any bit position.
void PutBytes(const std::string& bytes, MsbBits& bits) {
  for (const char byte : bytes) bits.Put(static_cast<unsigned char>(byte), 8);
}

}  // namespace

void AppendFloatChunk(std::span<const int64_t> timestamps_ms, std::span<const double> values,
                      std::string& out) {
  PutFixed16(out, static_cast<uint16_t>(values.size()));
  PutVarintSigned64(out, timestamps_ms[0]);
  MsbBits bits(out);
  bits.PutDouble(values[0]);
  XorSequence sequence(values[0]);
  int64_t last_delta = 0;
  for (size_t i = 1; i < values.size(); ++i) {
    const int64_t delta = timestamps_ms[i] - timestamps_ms[i - 1];
    if (i == 1) {
      std::string varint;
      PutVarint64(varint, static_cast<uint64_t>(delta));
      PutBytes(varint, bits);
    } else {
      PutDeltaOfDelta(delta - last_delta, bits);
    }
    sequence.Put(values[i], bits);
    last_delta = delta;
  }
}

}  // namespace lockstep
