// Window: the four hours that a sample's time lies in. Chunks never cross windows, so retention
// drops whole windows, and a window that has ended can be merged once and for all. Four hours are
// short enough that the current window stays small, and long enough that a series sampled once a
// minute has chunks worth packing. Pure functions.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "model/sample.h"

namespace lockstep {

inline constexpr int64_t kWindowMs = int64_t{4} * 60 * 60 * 1000;

// The times that WindowOf() can represent: about 980,000 years either way.
inline constexpr TimeRange kStorableTimes = {
    int64_t{std::numeric_limits<int32_t>::min() + 1} * kWindowMs,
    int64_t{std::numeric_limits<int32_t>::max() - 1} * kWindowMs};

// Windows are numbered from 1970-01-01 00:00 UTC. Times beyond kStorableTimes count as its ends.
inline int32_t WindowOf(int64_t time_ms) {
  const int64_t time = std::clamp(time_ms, kStorableTimes.min_ms, kStorableTimes.max_ms);
  const int64_t window = time / kWindowMs - (time % kWindowMs < 0 ? 1 : 0);
  return static_cast<int32_t>(window);
}

inline TimeRange RangeOfWindow(int32_t window) {
  return {window * kWindowMs, window * kWindowMs + kWindowMs - 1};
}

}  // namespace lockstep
