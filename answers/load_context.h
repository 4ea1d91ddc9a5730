// What reading a job from the store works with.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/query_budget.h"
#include "base/task_pool.h"
#include "model/sample.h"
#include "storage/storage.h"

namespace lockstep::answers {

// All are borrowed.
struct LoadContext {
  const Querier& querier;
  TaskPool& pool;       // helps to read
  QueryBudget& budget;  // charged with the samples that a job holds, which are not given back
};

// `time` with ends far enough from those of int64_t that times may be added to them.
inline TimeRange WithinReach(const TimeRange& time) {
  constexpr int64_t kFarthestMs = int64_t{1} << 52;
  return {std::max(time.min_ms, -kFarthestMs), std::min(time.max_ms, kFarthestMs)};
}

}  // namespace lockstep::answers
