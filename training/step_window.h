// The steps of a running job that its live answers look at: a table that grows at its end and is cut at its begin.
#pragma once

#include <cstddef>
#include <cstdint>

#include "training/steps.h"

namespace lockstep::training {

// The first step that counts when `frontier` is the last: of ranks x steps, a live answer looks at so many that
// it costs as much for many ranks as for few. It moves in strides, so that most new steps only add columns.
int64_t FirstLiveStep(int64_t frontier, size_t rank_count);

// Adds the steps of `more` from column `first` on. What only one of the two tables holds is unknown in the steps of the
// other. Both are of `rank_count` ranks, with their phases by name.
void AppendSteps(const StepTable& more, size_t first, size_t rank_count, StepTable& table);

// Drops the steps before `step`, and phases of which no step is left.
void DropStepsBefore(int64_t step, StepTable& table);

}  // namespace lockstep::training
