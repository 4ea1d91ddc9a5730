// The own time of ranks: all of a step but waiting for the others.
#pragma once

#include <string>
#include <vector>

#include "training/rank_matrix.h"
#include "training/stragglers.h"

namespace lockstep::training {

struct OwnTime {
  RankMatrix seconds;                // empty if the data do not allow the method
  std::vector<double> step_seconds;  // what the seconds are a share of, per step
  std::vector<std::string> missing;  // why it is empty
};

// As `method` (one of the three that know steps of ranks) takes it from the table. Warm-up steps are
// unknown: the first steps compile kernels and run on cool devices.
OwnTime OwnTimeOf(StragglerMethod method, const StepTable& table, TaskPool* pool = nullptr);

// By the strongest of these methods that the table allows.
OwnTime StrongestOwnTime(const StepTable& table, TaskPool* pool = nullptr);

}  // namespace lockstep::training
