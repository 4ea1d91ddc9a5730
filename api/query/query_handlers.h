// The endpoints that take a PromQL expression: query, query_range, format_query, parse_query,
// explain, query_exemplars. Functions of their arguments; safe from any thread.
#pragma once

#include <atomic>
#include <cstdint>

#include "api/http/call.h"
#include "api/query/query_log.h"
#include "base/budget/query_budget.h"
#include "query/cache/range_cache.h"
#include "query/engine/engine.h"

namespace lockstep::api {

struct QueryContext {
  const engine::Engine& engine;
  cache::RangeCache& range_cache;        // belongs to that engine
  int64_t now_ms = 0;                    // the default for `time`
  double queued_seconds = 0;             // for the response's statistics
  std::atomic<uint64_t>& samples_total;  // incremented by the samples read
  QueryLog* log = nullptr;               // null: queries are not logged
  engine::QueryProgress* progress = nullptr;
};

// Blocking: run them on the query pool.
Response HandleQuery(const Call& call, const QueryContext& context, QueryBudget& budget);
Response HandleQueryRange(const Call& call, const QueryContext& context, QueryBudget& budget);
// Runs the query that HandleQuery or HandleQueryRange would run, but returns its plan instead of
// its result.
Response HandleExplain(const Call& call, const QueryContext& context, QueryBudget& budget);

// Quick.
Response HandleFormatQuery(const Call& call, promql::Dialect dialect, const QueryBudget& budget);
Response HandleParseQuery(const Call& call, promql::Dialect dialect, const QueryBudget& budget);

}  // namespace lockstep::api
