// QueryTrace: the cost of each node of a query's tree, and the plan made of it.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "absl/container/flat_hash_map.h"
#include "base/mutex.h"
#include "query/engine/values/value.h"
#include "query/promql/syntax/ast.h"

namespace lockstep::engine {

struct NodeCost {
  double seconds = 0;  // including all nodes below
  // For selectors.
  double read_seconds = 0;  // in the store, summed over threads
  uint64_t series_count = 0;
  int64_t sample_count = 0;    // read from the store; each counts once
  int64_t left_out_count = 0;  // samples that rollup rows replaced
};

// Thread-safe.
class QueryTrace {
 public:
  void Add(const promql::Expr& expr, const NodeCost& cost) {
    const MutexLock lock(mutex_);
    NodeCost& sum = costs_[&expr];
    sum.seconds += cost.seconds;
    sum.read_seconds += cost.read_seconds;
    sum.series_count += cost.series_count;
    sum.sample_count += cost.sample_count;
    sum.left_out_count += cost.left_out_count;
  }
  // Zero cost if nothing was measured.
  NodeCost Find(const promql::Expr& expr) const {
    const MutexLock lock(mutex_);
    const auto found = costs_.find(&expr);
    return found == costs_.end() ? NodeCost() : found->second;
  }

 private:
  mutable Mutex mutex_;
  absl::flat_hash_map<const promql::Expr*, NodeCost> costs_ LOCKSTEP_GUARDED_BY(mutex_);
};

// Adds its lifetime to a number of seconds. Does nothing if that is null.
class TimeSpan {
 public:
  explicit TimeSpan(double* seconds) : seconds_(seconds) {
    if (seconds_ != nullptr) start_ = Clock::now();
  }
  ~TimeSpan() {
    if (seconds_ == nullptr) return;
    *seconds_ += std::chrono::duration<double>(Clock::now() - start_).count();
  }
  TimeSpan(const TimeSpan&) = delete;
  TimeSpan& operator=(const TimeSpan&) = delete;

 private:
  using Clock = std::chrono::steady_clock;

  double* const seconds_;
  Clock::time_point start_;
};

// Adds its lifetime to the node's cost. Does nothing without a trace.
class TraceSpan {
 public:
  TraceSpan(QueryTrace* trace, const promql::Expr& expr) : trace_(trace), expr_(expr) {
    if (trace_ != nullptr) span_.emplace(&cost_.seconds);
  }
  ~TraceSpan() {
    if (trace_ == nullptr) return;
    span_.reset();
    trace_->Add(expr_, cost_);
  }
  TraceSpan(const TraceSpan&) = delete;
  TraceSpan& operator=(const TraceSpan&) = delete;

 private:
  QueryTrace* const trace_;
  const promql::Expr& expr_;
  NodeCost cost_;
  std::optional<TimeSpan> span_;
};

PlanNode BuildPlan(const promql::Expr& expr, const QueryTrace& trace);

}  // namespace lockstep::engine
