// Float samples in Prometheus' XOR chunk encoding.
//
//   count: 2 bytes | time: signed varint | value: 64 bits
//                  | time delta: varint  | value: xor
//                  | delta of the delta  | value: xor      ...
//
// Deltas of deltas: |0| none, |10| 14 bits, |110| 17 bits, |1110| 20 bits, |1111| 64 bits.
// Source: Prometheus, tsdb/chunkenc/xor.go.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace lockstep {

// Appends one chunk. Precondition: equally many times and values, from 1 to 65,535; times ascend.
void AppendFloatChunk(std::span<const int64_t> timestamps_ms, std::span<const double> values,
                      std::string& out);

}  // namespace lockstep
