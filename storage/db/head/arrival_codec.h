// How the head stores floats: each arrival as the difference to the one before it in its series.
//
//   +----------------------+-----------------------+---------------------+
//   | control: time, value | time: 0 to 8 bytes    | value: 0 to 8 bytes |
//   +----------------------+-----------------------+---------------------+
//
//   time   0: the step of the previous arrival      value  the bits XOR the previous bits, without
//          1: that step plus a signed byte                the zero bytes at both ends: how many
//          2: that step plus a zigzag varint              are kept and how many follow them
//          3: eight bytes, absolute
//
// The code is byte-aligned, so that both directions take a few nanoseconds; a sample of a device
// counter takes two to four bytes. Every value comes back bit for bit. In memory only, never on
// disk. Pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "model/sample.h"

namespace lockstep {

inline constexpr size_t kMaxArrivalBytes = 1 + 8 + 8;
// How many bytes past the end of an arrival DecodeArrival() may read.
inline constexpr size_t kArrivalPadding = 8;

// What the next arrival is encoded against. All zero before the first.
struct ArrivalState {
  int64_t timestamp_ms = 0;
  int64_t step_ms = 0;
  uint64_t value_bits = 0;
};

// Writes to `out`, which has room for kMaxArrivalBytes; returns the number of bytes written.
size_t EncodeArrival(Sample sample, ArrivalState& state, uint8_t* out);

// Reads one arrival written by EncodeArrival(), followed by kArrivalPadding readable bytes; returns
// the byte after the arrival.
const uint8_t* DecodeArrival(const uint8_t* in, ArrivalState& state);

// Reads arrivals that ascend, the first of them encoded against `state`, and appends those in the
// range to the floats of `columns`. Returns how many lie before the range. `in` is padded as above.
size_t DecodeAscending(const uint8_t* in, ArrivalState state, size_t count, TimeRange range,
                       SampleColumns& columns);

}  // namespace lockstep
