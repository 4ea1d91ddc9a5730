// The form in which the head keeps floats: each arrival against the one before it in its series.
//
//   +----------------------+-----------------------+---------------------+
//   | control: time, value | time: 0 to 8 bytes    | value: 0 to 8 bytes |
//   +----------------------+-----------------------+---------------------+
//
//   time   0: the step of the arrival before        value  the bits XOR those before, without the
//          1: that step plus a signed byte                 zero bytes at both ends: how many are left
//          2: that step plus a zigzag varint               and how many follow them
//          3: eight bytes, absolute
//
// Byte by byte, so that both directions take a few nanoseconds; two to four bytes a sample on device
// counters. Any bits of any value come back. In memory only, never on disk. Pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "model/sample.h"

namespace lockstep {

inline constexpr size_t kMaxArrivalBytes = 1 + 8 + 8;
// How far DecodeArrival() may read behind an arrival.
inline constexpr size_t kArrivalPadding = 8;

// What the next arrival is told against. All zero before the first.
struct ArrivalState {
  int64_t timestamp_ms = 0;
  int64_t step_ms = 0;
  uint64_t value_bits = 0;
};

// Writes to `out`, which has room for kMaxArrivalBytes; returns how many bytes it took.
size_t EncodeArrival(Sample sample, ArrivalState& state, uint8_t* out);

// Reads one arrival that EncodeArrival() wrote, with kArrivalPadding readable bytes behind it; returns
// the byte after it.
const uint8_t* DecodeArrival(const uint8_t* in, ArrivalState& state);

// Reads arrivals that ascend, the first of them told against `state`, and appends those of the range to
// the floats of `columns`. Returns how many lie before it. `in` is padded likewise.
size_t DecodeAscending(const uint8_t* in, ArrivalState state, size_t count, TimeRange range,
                       SampleColumns& columns);

}  // namespace lockstep
