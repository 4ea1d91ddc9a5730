// RangeCache: evaluates repeated range queries, such as those of dashboards, only at steps that are
// new or whose samples have changed.
//
// Results are bit for bit the same as without the cache, also after late samples, overwrites,
// deletions and retention. Queries that cannot be proven the same are evaluated in full: those with
// times of their own, those with warnings, and those that request counts or a plan. docs/adr/0015
// explains why this is exact.
//
// Thread-safe. Engine and storage are borrowed.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "base/budget/query_budget.h"
#include "base/status.h"
#include "query/cache/step_store.h"
#include "query/engine/engine.h"

namespace lockstep {
class Storage;
}  // namespace lockstep

namespace lockstep::cache {

struct RangeCacheStats {
  uint64_t hit_count = 0;         // queries with some known steps
  uint64_t miss_count = 0;        // other cacheable queries
  uint64_t known_step_count = 0;  // steps that were not evaluated
  StepStoreStats kept;
};

// Steps of a query, with inclusive ends; empty if the end is before the start.
struct StepSpan {
  int64_t start_ms = 0;
  int64_t end_ms = -1;

  bool empty() const { return end_ms < start_ms; }
};

class RangeCache {
 public:
  // `storage` must be the engine's. With 0 bytes, every query is evaluated in full.
  RangeCache(const engine::Engine& engine, const Storage& storage, size_t max_bytes)
      : engine_(engine),
        storage_(storage),
        is_on_(max_bytes > 0),
        steps_(std::make_shared<StepStore>(max_bytes)) {}
  // Shares the memory limit of `other`. `view` identifies the data that the engine can read; caches
  // that share a limit must use different views for different data.
  RangeCache(const engine::Engine& engine, const Storage& storage, std::string view,
             const RangeCache& other)
      : engine_(engine),
        storage_(storage),
        is_on_(other.is_on_),
        view_(std::move(view)),
        steps_(other.steps_) {}

  // Like Engine::Execute(); the statistics of the result cover only what was evaluated.
  absl::StatusOr<engine::QueryResult> Execute(const engine::RangeQuery& query, QueryBudget& budget);

  RangeCacheStats stats() const;

 private:
  // Evaluates the steps after the known ones. Precondition: `known` is empty or its steps are in
  // `kept`.
  absl::StatusOr<engine::QueryResult> Complete(const engine::RangeQuery& query,
                                               const engine::ParsedQuery& parsed, StepSpan known,
                                               const KeptSteps* kept, QueryBudget& budget) const;
  void Count(StepSpan known, int64_t step_ms);

  const engine::Engine& engine_;
  const Storage& storage_;
  const bool is_on_;
  const std::string view_;
  const std::shared_ptr<StepStore> steps_;
  std::atomic<uint64_t> hit_count_{0};
  std::atomic<uint64_t> miss_count_{0};
  std::atomic<uint64_t> known_step_count_{0};
};

}  // namespace lockstep::cache
