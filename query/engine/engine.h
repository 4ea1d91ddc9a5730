// Engine: a PromQL text and a store in, a value out.
//
// Errors carry their meaning in their code, which the API maps to errorType and HTTP status:
//   kInvalidArgument    bad_data   the text does not parse, or the parameters make no sense
//   kFailedPrecondition execution  the evaluation failed by its own rules (matching, duplicates...)
//   kResourceExhausted  execution  over the sample budget
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

#include "base/processors.h"
#include "base/query_budget.h"
#include "base/status.h"
#include "base/task_pool.h"
#include "query/engine/value.h"
#include "query/promql/parser.h"
#include "storage/storage.h"

namespace lockstep::engine {

struct EngineOptions {
  int64_t lookback_ms = 5 * 60 * 1000;
  int64_t default_subquery_step_ms = 60 * 1000;
  promql::Dialect dialect = promql::Dialect::kMetricsql;
  // That evaluate one query together.
  size_t threads = UsableProcessorCount();
};

// What a running query has done so far. Its threads write, any may read.
struct QueryProgress {
  std::atomic<int64_t> samples_read{0};  // from the store
};

// What a query is to tell besides its answer.
struct QueryWishes {
  bool fresh = false;                 // nothing that earlier queries left is to be used
  bool counts_per_step = false;       // fills in QueryStats::samples_per_step
  bool plan = false;                  // fills in QueryResult::plan
  QueryProgress* progress = nullptr;  // written if there is one
};

struct InstantQuery {
  std::string_view text;
  int64_t time_ms = 0;
  int64_t lookback_ms = 0;  // 0: the engine's
  QueryWishes wishes{};
};

struct RangeQuery {
  std::string_view text;
  int64_t start_ms = 0;  // inclusive
  int64_t end_ms = 0;    // inclusive
  int64_t step_ms = 0;   // > 0
  int64_t lookback_ms = 0;
  QueryWishes wishes{};
  // What the query was asked with, when steps were cut to step_ms: step() tells it. 0: step_ms.
  int64_t asked_step_ns = 0;
};

// Immutable; safe from any thread. `storage` is borrowed and must outlive the engine.
class Engine {
 public:
  Engine(const Storage& storage, EngineOptions options)
      : storage_(storage),
        options_(options),
        pool_(std::make_shared<TaskPool>(std::max<size_t>(options.threads, 1) - 1)) {}
  // Like `other`, with whose threads it works, for another storage.
  Engine(const Storage& storage, const Engine& other)
      : storage_(storage), options_(other.options_), pool_(other.pool_) {}

  absl::StatusOr<QueryResult> Execute(const InstantQuery& query, QueryBudget& budget) const;
  // The value is always a MatrixResult.
  absl::StatusOr<QueryResult> Execute(const RangeQuery& query, QueryBudget& budget) const;
  // The threads that work on queries, for those who work on their results.
  TaskPool& pool() const { return *pool_; }

  // How far back a query looks for a last sample, unless it says otherwise.
  int64_t lookback_ms() const { return options_.lookback_ms; }

 private:
  const Storage& storage_;
  const EngineOptions options_;
  const std::shared_ptr<TaskPool> pool_;
};

}  // namespace lockstep::engine
