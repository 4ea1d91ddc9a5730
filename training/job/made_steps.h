// Synthetic step tables for tests.
#pragma once

#include <cmath>
#include <cstdint>

#include "training/job/steps.h"

namespace lockstep::training {

// Makes `steps` steps of `seconds` each, starting with `first_step` at `begin_ms`. No warm-up.
inline StepTable EvenSteps(size_t ranks, size_t steps, double seconds, int64_t begin_ms = 0,
                           int64_t first_step = 0) {
  StepTable table;
  table.attempt_first_step = first_step - 1000;
  table.step_seconds = RankMatrix(ranks, steps, seconds);
  for (size_t n = 0; n < steps; ++n) {
    table.step.push_back(first_step + static_cast<int64_t>(n));
    table.end_ms.push_back(begin_ms + std::llround(1000 * seconds * static_cast<double>(n + 1)));
  }
  return table;
}

}  // namespace lockstep::training
