// The own time of ranks: the step time except waiting for other ranks.
#pragma once

#include <string>
#include <vector>

#include "training/matrix/rank_matrix.h"
#include "training/stragglers/stragglers.h"

namespace lockstep::training {

struct OwnTime {
  RankMatrix seconds;                // empty if the data do not support the method
  std::vector<double> step_seconds;  // duration of each step
  std::vector<std::string> missing;  // the missing signals if `seconds` is empty
};

// Computes own times by `method`, which must be one of the three that use the steps of ranks.
// Warm-up steps are unknown: they compile kernels and run on cool devices.
OwnTime OwnTimeOf(StragglerMethod method, const StepTable& table, TaskPool* pool = nullptr);

// Uses the strongest of these methods that the table supports.
OwnTime StrongestOwnTime(const StepTable& table, TaskPool* pool = nullptr);

}  // namespace lockstep::training
