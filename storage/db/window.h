// Window: the day that a sample's time lies in. Chunks never cross windows, so retention drops
// whole windows. Pure functions.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "model/sample.h"

namespace lockstep {

inline constexpr int64_t kWindowMs = int64_t{24} * 60 * 60 * 1000;

// Of times that WindowOf() can name: about 5.8 million years either way.
inline constexpr TimeRange kStorableTimes = {
    int64_t{std::numeric_limits<int32_t>::min() + 1} * kWindowMs,
    int64_t{std::numeric_limits<int32_t>::max() - 1} * kWindowMs};

// The window's number counts days from 1970-01-01 UTC. Times beyond kStorableTimes count as its
// ends.
inline int32_t WindowOf(int64_t time_ms) {
  const int64_t time = std::clamp(time_ms, kStorableTimes.min_ms, kStorableTimes.max_ms);
  const int64_t window = time / kWindowMs - (time % kWindowMs < 0 ? 1 : 0);
  return static_cast<int32_t>(window);
}

inline TimeRange RangeOfWindow(int32_t window) {
  return {window * kWindowMs, window * kWindowMs + kWindowMs - 1};
}

}  // namespace lockstep
