// What reading a job from the store works with.
#pragma once

#include "base/query_budget.h"
#include "base/task_pool.h"
#include "storage/storage.h"

namespace lockstep::answers {

// All are borrowed.
struct LoadContext {
  const Querier& querier;
  TaskPool& pool;       // helps to read
  QueryBudget& budget;  // charged with the samples that a job holds, which are not given back
};

}  // namespace lockstep::answers
