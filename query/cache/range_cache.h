// RangeCache: range queries that are asked again and again, as dashboards do, evaluated only at the steps
// that are new or whose samples have changed.
//
// An answer is the same, to the bit, as without the cache: late samples, overwrites, deletions and retention
// included. What cannot be known to be the same is evaluated: queries that look at times of their own, queries
// with warnings, and those that ask for counts or a plan. docs/adr/0015 says why this is exact.
//
// Safe from any thread. Engine and storage are borrowed.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "base/query_budget.h"
#include "base/status.h"
#include "query/cache/step_store.h"
#include "query/engine/engine.h"
#include "storage/storage.h"

namespace lockstep::cache {

struct RangeCacheStats {
  uint64_t hit_count = 0;         // queries of which some steps were known
  uint64_t miss_count = 0;        // others that might have been
  uint64_t known_step_count = 0;  // that were not evaluated
  StepStoreStats kept;
};

// Steps of a query, both ends included; none if the end is before the start.
struct StepSpan {
  int64_t start_ms = 0;
  int64_t end_ms = -1;

  bool empty() const { return end_ms < start_ms; }
};

class RangeCache {
 public:
  // `storage` is the engine's. With 0 bytes every query is evaluated whole.
  RangeCache(const engine::Engine& engine, const Storage& storage, size_t max_bytes)
      : engine_(engine),
        storage_(storage),
        is_on_(max_bytes > 0),
        steps_(std::make_shared<StepStore>(max_bytes)) {}
  // Keeps what it keeps within the bound of `other`. `view` tells apart what the engines of the two may read, and is not
  // that of another cache within this bound with another view.
  RangeCache(const engine::Engine& engine, const Storage& storage, std::string view,
             const RangeCache& other)
      : engine_(engine),
        storage_(storage),
        is_on_(other.is_on_),
        view_(std::move(view)),
        steps_(other.steps_) {}

  // As Engine::Execute(); the statistics of the result are of what was evaluated.
  absl::StatusOr<engine::QueryResult> Execute(const engine::RangeQuery& query, QueryBudget& budget);

  RangeCacheStats stats() const;

 private:
  // Evaluates the steps behind those known. Precondition: none are, or they are in `kept`.
  absl::StatusOr<engine::QueryResult> Complete(const engine::RangeQuery& query, StepSpan known,
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
