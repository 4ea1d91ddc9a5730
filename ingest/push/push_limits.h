// Limits for what jobs push, in one place.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lockstep::push {

// Concurrent log streams; a parser uses about 100 KB. The longest-idle one is evicted.
inline constexpr size_t kMaxLogStreams = 4096;
inline constexpr size_t kMaxStreamNameBytes = 512;
// A stream's kept state, tens of bytes per rank. A stream that needs more starts over after a
// restart.
inline constexpr size_t kMaxKeptStreamBytes = 256 << 10;
// Series per stream: ranks times names times attempts.
inline constexpr size_t kMaxSeriesPerStream = 200'000;
// Distinct combinations of rank, attempt, node and other record labels per stream.
inline constexpr size_t kMaxOwnersPerStream = 100'000;

}  // namespace lockstep::push
