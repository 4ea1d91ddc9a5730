// StepGrid: the times at which an expression is evaluated.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "model/sample.h"

namespace lockstep::engine {

// A half-open range of steps.
struct StepBlock {
  size_t begin = 0;
  size_t end = 0;
};

// start, start+step, ..., up to the end. A value type.
struct StepGrid {
  int64_t start_ms = 0;
  int64_t step_ms = 1;  // > 0
  size_t count = 0;
  bool is_range = false;  // whether the end is after the start, even if there is no second step

  // Precondition: step_ms > 0. An end before the start makes an empty grid.
  static StepGrid Over(int64_t start_ms, int64_t end_ms, int64_t step_ms) {
    if (end_ms < start_ms) return {start_ms, step_ms, 0};
    return {start_ms, step_ms, static_cast<size_t>((end_ms - start_ms) / step_ms) + 1,
            end_ms > start_ms};
  }
  static StepGrid At(int64_t time_ms) { return {time_ms, 1, 1}; }
  bool operator==(const StepGrid&) const = default;

  // The steps whose times are in `range`.
  StepBlock Within(const TimeRange& range) const {
    const auto steps_to = [this](int64_t time_ms) {  // number of steps before `time_ms`
      if (time_ms <= start_ms) return size_t{0};
      return std::min(count, static_cast<size_t>((time_ms - start_ms - 1) / step_ms) + 1);
    };
    const size_t begin = steps_to(range.min_ms);
    return {begin, std::max(begin, steps_to(range.max_ms + 1))};
  }

  int64_t TimeAt(size_t step) const { return start_ms + static_cast<int64_t>(step) * step_ms; }
  // Precondition: count > 0.
  int64_t last_ms() const { return TimeAt(count - 1); }
};

}  // namespace lockstep::engine
