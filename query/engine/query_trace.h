// QueryTrace: what each node of one query's tree cost.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "absl/container/flat_hash_map.h"
#include "base/mutex.h"
#include "query/promql/ast.h"

namespace lockstep::engine {

struct NodeCost {
  double seconds = 0;  // with all that is below it
  // Of selectors.
  double read_seconds = 0;  // in the store, of all threads together
  uint64_t series_count = 0;
  int64_t sample_count = 0;    // read from the store, each once
  int64_t left_out_count = 0;  // of others, which those read stand for
};

// Safe from any thread.
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
  // Nothing where nothing was measured.
  NodeCost Find(const promql::Expr& expr) const {
    const MutexLock lock(mutex_);
    const auto found = costs_.find(&expr);
    return found == costs_.end() ? NodeCost() : found->second;
  }

 private:
  mutable Mutex mutex_;
  absl::flat_hash_map<const promql::Expr*, NodeCost> costs_ LOCKSTEP_GUARDED_BY(mutex_);
};

// Adds the time of its life to a number of seconds. Without one it does nothing.
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

// The time of its life is the node's. Without a trace it does nothing.
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

}  // namespace lockstep::engine
