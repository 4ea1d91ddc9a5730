// The endpoints that take a PromQL expression: query, query_range, format_query, parse_query,
// explain, query_exemplars.
// Functions of their arguments, safe from any thread.
#pragma once

#include <atomic>
#include <cstdint>

#include "api/call.h"
#include "api/query_log.h"
#include "base/query_budget.h"
#include "query/cache/range_cache.h"
#include "query/engine/engine.h"

namespace lockstep::api {

struct QueryContext {
  const engine::Engine& engine;
  cache::RangeCache& range_cache;        // of that engine
  int64_t now_ms = 0;                    // the default of `time`
  double queued_seconds = 0;             // for the statistics of the answer
  std::atomic<uint64_t>& samples_total;  // grows by what the query read
  QueryLog* log = nullptr;               // null: queries are not logged
  engine::QueryProgress* progress = nullptr;
};

// Blocking: run them on the query pool.
Response HandleQuery(const Call& call, const QueryContext& context, QueryBudget& budget);
Response HandleQueryRange(const Call& call, const QueryContext& context, QueryBudget& budget);
// Runs what either of them would run, and tells what it did in place of its result.
Response HandleExplain(const Call& call, const QueryContext& context, QueryBudget& budget);

// Quick.
Response HandleFormatQuery(const Call& call, promql::Dialect dialect, const QueryBudget& budget);
Response HandleParseQuery(const Call& call, promql::Dialect dialect, const QueryBudget& budget);

}  // namespace lockstep::api
