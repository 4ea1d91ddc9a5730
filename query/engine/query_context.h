// QueryContext: what all parts of one query's evaluation share.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/query_budget.h"
#include "base/task_pool.h"
#include "query/engine/annotation_set.h"
#include "query/engine/histogram_stats.h"
#include "query/engine/query_trace.h"
#include "query/engine/shared_parts.h"
#include "query/engine/value.h"
#include "storage/storage.h"

namespace lockstep::engine {

// Borrows everything; one per query, used by one thread. Budget, pool, trace and samples_read are
// for its helpers too.
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
  double step_seconds = 0;  // what step() says: maybe with a part of a millisecond
  SelectorSet histogram_stats_selectors{};
  SharedParts* shared_parts = nullptr;           // null: nothing is shared
  bool counts_per_step = false;                  // see sample_counts.h
  QueryTrace* trace = nullptr;                   // may be null
  std::atomic<int64_t>* samples_read = nullptr;  // grows by what is read; may be null
};

}  // namespace lockstep::engine
