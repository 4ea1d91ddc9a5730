// Ranks whose host makes them late, by less than chips differ: copies and waits for input are not spread
// as chips are, so a smaller excess of these phases tells as much.
#pragma once

#include <vector>

#include "base/task_pool.h"
#include "training/own_time.h"
#include "training/slow_rows.h"
#include "training/steps.h"

namespace lockstep::training {

// Adds rows to `found` that are high in the sum of data and copy phases and late by at least half as much
// in their own time. Rows found already stay as they are. `memo` is of earlier questions, if there were any.
void AddHostStalls(const StepTable& table, const OwnTime& own,
                   const std::vector<std::vector<size_t>>& groups, TaskPool* pool,
                   SlowRowsMemo* memo, SlowRows& found);

}  // namespace lockstep::training
