// Finds ranks that are late because of their host by less than chips differ. Copies and waits for
// input vary less than chips do, so a smaller excess in these phases is enough.
#pragma once

#include <vector>

#include "base/threads/task_pool.h"
#include "training/episodes/slow_rows.h"
#include "training/job/steps.h"
#include "training/stragglers/own_time.h"

namespace lockstep::training {

// Adds rows to `found` that are high in the sum of data and copy phases and late by at least half
// as much in their own time. Rows already found are unchanged. `memo` is from earlier calls; may be
// null.
void AddHostStalls(const StepTable& table, const OwnTime& own,
                   const std::vector<std::vector<size_t>>& groups, TaskPool* pool,
                   SlowRowsMemo* memo, SlowRows& found);

}  // namespace lockstep::training
