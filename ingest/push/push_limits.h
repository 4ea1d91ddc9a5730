// Limits of what is pushed by jobs, in one place.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lockstep::push {

// Logs that are followed at a time; a parser holds some 100 KB. The one that was quiet for longest makes way.
inline constexpr size_t kMaxLogStreams = 4096;
inline constexpr size_t kMaxStreamNameBytes = 512;
// Of what is kept of a stream for the next start of the server: tens of bytes a rank. One that needs more begins anew.
inline constexpr size_t kMaxKeptStreamBytes = 256 << 10;
// Series that one stream may write to: ranks times names times attempts.
inline constexpr size_t kMaxSeriesPerStream = 200'000;
// Ranks, attempts, nodes and whatever else a stream tells its records apart by.
inline constexpr size_t kMaxOwnersPerStream = 100'000;

}  // namespace lockstep::push
