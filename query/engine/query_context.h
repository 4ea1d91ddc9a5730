// QueryContext: what all parts of one query's evaluation share.
#pragma once

#include <cstdint>

#include "base/query_budget.h"
#include "base/task_pool.h"
#include "query/engine/annotation_set.h"
#include "query/engine/histogram_stats.h"
#include "query/engine/shared_parts.h"
#include "query/engine/value.h"
#include "storage/storage.h"

namespace lockstep::engine {

// Borrows everything; one per query, used by one thread. Only budget and pool are for others too.
struct QueryContext {
  const Querier& querier;
  QueryBudget& budget;
  TaskPool& pool;
  AnnotationSet& annotations;
  QueryStats& stats;
  int64_t lookback_ms = 0;
  int64_t default_subquery_step_ms = 0;
  // Of the whole query, also inside subqueries. An instant query has start = end and step 0.
  int64_t start_ms = 0;
  int64_t end_ms = 0;
  int64_t step_ms = 0;
  SelectorSet histogram_stats_selectors{};
  SharedParts* shared_parts = nullptr;  // null: nothing is shared
};

}  // namespace lockstep::engine
