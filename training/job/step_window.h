// The window of steps that live answers use: a table that grows at its end and is trimmed at its
// start.
#pragma once

#include <cstddef>
#include <cstdint>

#include "training/job/steps.h"

namespace lockstep::training {

// The first step of the window whose last step is `frontier`. Limits ranks x steps, so that a live
// answer costs about the same for many ranks as for few. Moves in strides, so that most new steps
// only append columns.
int64_t FirstLiveStep(int64_t frontier, size_t rank_count);

// Appends the steps of `more` from column `first` on. Values that only one table has are unknown in
// the steps of the other. Both tables have `rank_count` ranks and phases sorted by name.
void AppendSteps(const StepTable& more, size_t first, size_t rank_count, StepTable& table);

// Drops steps before `step`, and phases without any value left.
void DropStepsBefore(int64_t step, StepTable& table);

}  // namespace lockstep::training
