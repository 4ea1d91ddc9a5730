// Engine: evaluates a PromQL query over a store.
//
// The API maps error codes to errorType and HTTP status:
//   kInvalidArgument    bad_data   the text does not parse, or the parameters are invalid
//   kFailedPrecondition execution  the evaluation failed (matching, duplicates...)
//   kResourceExhausted  execution  the sample budget is exceeded
//   kCancelled          canceled
//   kDeadlineExceeded   timeout
//   anything else       internal   the store failed
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "base/budget/query_budget.h"
#include "base/status.h"
#include "base/threads/processors.h"
#include "base/threads/task_pool.h"
#include "query/engine/values/reduction.h"
#include "query/engine/values/value.h"
#include "query/promql/parser/parser.h"

namespace lockstep {
class Storage;
}  // namespace lockstep

namespace lockstep::engine {

struct EngineOptions {
  int64_t lookback_ms = 5 * 60 * 1000;
  int64_t default_subquery_step_ms = 60 * 1000;
  promql::Dialect dialect = promql::Dialect::kMetricsql;
  // Threads that evaluate one query together.
  size_t threads = UsableProcessorCount();
};

// Progress of a running query. Written by its threads, readable from any thread.
struct QueryProgress {
  std::atomic<int64_t> samples_read{0};  // from the store
};

// What a query should return in addition to its result.
struct QueryOptions {
  bool fresh = false;                 // do not use results of earlier queries
  bool counts_per_step = false;       // fill in QueryStats::samples_per_step
  bool plan = false;                  // fill in QueryResult::plan
  QueryProgress* progress = nullptr;  // updated if not null
};

struct InstantQuery {
  std::string_view text;
  int64_t time_ms = 0;
  int64_t lookback_ms = 0;  // 0: the engine's default
  QueryOptions options{};
};

struct RangeQuery {
  std::string_view text;
  int64_t start_ms = 0;  // inclusive
  int64_t end_ms = 0;    // inclusive
  int64_t step_ms = 0;   // > 0
  int64_t lookback_ms = 0;
  QueryOptions options{};
  // The requested step before truncation to step_ms, which step() returns. 0: step_ms.
  int64_t requested_step_ns = 0;
  // If there are any, the result is not the value at each step t, but these of the bin
  // (t - step, t], a series for each with the label kReduceLabel (ranges/reduced_bins.h). Without
  // duplicates.
  std::vector<Reduction> reductions{};
  // Above 0 if there are reductions: how often expressions other than selectors are evaluated.
  int64_t resolution_ms = 0;
};

// A parsed query, ready to be evaluated; made by Engine::Parse().
struct ParsedQuery {
  promql::ExprPtr expr;
  double seconds = 0;  // that parsing took
};

// Immutable and thread-safe. `storage` is borrowed and must outlive the engine.
class Engine {
 public:
  Engine(const Storage& storage, EngineOptions options)
      : storage_(storage),
        options_(options),
        pool_(std::make_shared<TaskPool>(std::max<size_t>(options.threads, 1) - 1)) {}
  // Like `other`, whose threads it shares, for another storage.
  Engine(const Storage& storage, const Engine& other)
      : storage_(storage), options_(other.options_), pool_(other.pool_) {}

  absl::StatusOr<QueryResult> Execute(const InstantQuery& query, QueryBudget& budget) const;
  // The value is always a MatrixResult.
  absl::StatusOr<QueryResult> Execute(const RangeQuery& query, QueryBudget& budget) const;
  // For a caller that needs the expression too. `parsed` is what Parse() returned for the query,
  // whose times may have changed since.
  absl::StatusOr<ParsedQuery> Parse(const RangeQuery& query, const QueryBudget& budget) const;
  absl::StatusOr<QueryResult> Execute(const RangeQuery& query, const ParsedQuery& parsed,
                                      QueryBudget& budget) const;
  // The threads that evaluate queries, for other work on their results.
  TaskPool& pool() const { return *pool_; }

  // The default lookback of queries.
  int64_t lookback_ms() const { return options_.lookback_ms; }

 private:
  absl::StatusOr<ParsedQuery> Parse(std::string_view text, const QueryBudget& budget) const;

  const Storage& storage_;
  const EngineOptions options_;
  const std::shared_ptr<TaskPool> pool_;
};

}  // namespace lockstep::engine
