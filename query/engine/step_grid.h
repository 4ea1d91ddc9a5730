// StepGrid: the times at which an expression is evaluated.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lockstep::engine {

// start, start+step, ... as long as they are not behind the end. A plain value.
struct StepGrid {
  int64_t start_ms = 0;
  int64_t step_ms = 1;  // > 0
  size_t count = 0;

  // Precondition: step_ms > 0. An end before the start makes an empty grid.
  static StepGrid Over(int64_t start_ms, int64_t end_ms, int64_t step_ms) {
    if (end_ms < start_ms) return {start_ms, step_ms, 0};
    return {start_ms, step_ms, static_cast<size_t>((end_ms - start_ms) / step_ms) + 1};
  }
  static StepGrid At(int64_t time_ms) { return {time_ms, 1, 1}; }

  int64_t TimeAt(size_t step) const { return start_ms + static_cast<int64_t>(step) * step_ms; }
  // Precondition: count > 0.
  int64_t last_ms() const { return TimeAt(count - 1); }
};

}  // namespace lockstep::engine
