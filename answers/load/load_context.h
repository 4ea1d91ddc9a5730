// The context for reading a job from the store.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/budget/query_budget.h"
#include "base/threads/task_pool.h"
#include "model/sample.h"
#include "storage/query.h"

namespace lockstep::answers {

// All members are borrowed.
struct LoadContext {
  const Querier& querier;
  TaskPool& pool;       // for reading in parallel
  QueryBudget& budget;  // charged for a job's samples, which are not released
};

// Clamps `time` so that adding durations to its ends cannot overflow int64_t.
inline TimeRange WithinReach(const TimeRange& time) {
  constexpr int64_t kFarthestMs = int64_t{1} << 52;
  return {std::max(time.min_ms, -kFarthestMs), std::min(time.max_ms, kFarthestMs)};
}

}  // namespace lockstep::answers
