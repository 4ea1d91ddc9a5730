// QueryContext: shared by all parts of a query's evaluation.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/budget/query_budget.h"
#include "base/threads/task_pool.h"
#include "query/engine/context/annotation_set.h"
#include "query/engine/context/histogram_stats.h"
#include "query/engine/context/query_trace.h"
#include "query/engine/context/shared_parts.h"
#include "query/engine/values/value.h"
#include "storage/query.h"

namespace lockstep::engine {

// Borrows everything. One per query, used by one thread; its helper threads may use only budget,
// pool, trace and samples_read.
struct QueryContext {
  const Querier& querier;
  QueryBudget& budget;
  TaskPool& pool;
  AnnotationSet& annotations;
  QueryStats& stats;
  int64_t lookback_ms = 0;
  int64_t default_subquery_step_ms = 0;
  // The times of the whole query, also inside subqueries. An instant query has start = end and step
  // 0.
  int64_t start_ms = 0;
  int64_t end_ms = 0;
  int64_t step_ms = 0;
  double step_seconds = 0;  // the value of step(); may have a fraction of a millisecond
  SelectorSet histogram_stats_selectors{};
  SharedParts* shared_parts = nullptr;           // null if nothing is shared
  bool counts_per_step = false;                  // see sample_counts.h
  QueryTrace* trace = nullptr;                   // may be null
  std::atomic<int64_t>* samples_read = nullptr;  // counts samples read; may be null
};

}  // namespace lockstep::engine
