// QueryBudget: what one query may still use, and whether it should stop.
//
// One object per query, made by whoever admits the query and outliving all its work. All methods are
// safe from any thread. Whoever loops over samples calls Check() at least every few thousand samples
// and Charge() before keeping memory; both return the error to pass up unchanged:
//   kCancelled          the client went away
//   kUnavailable        the server is shutting down
//   kDeadlineExceeded   the query's time is over
//   kResourceExhausted  the query needs more samples in memory than it may
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include "absl/status/status.h"

namespace lockstep {

class QueryBudget {
 public:
  using Clock = std::chrono::steady_clock;

  // `max_samples`: how many samples may be held in memory at once, 16 bytes each.
  QueryBudget(int64_t max_samples, Clock::time_point deadline)
      : max_samples_(max_samples), deadline_(deadline) {}
  QueryBudget(const QueryBudget&) = delete;
  QueryBudget& operator=(const QueryBudget&) = delete;

  // Makes every later Check() fail with kCancelled. Idempotent.
  void Cancel() { cancelled_.store(true, std::memory_order_relaxed); }
  // Makes every later Check() fail with kUnavailable. Idempotent.
  void ShutDown() { shut_down_.store(true, std::memory_order_relaxed); }

  absl::Status Check() const;
  // Takes `samples` from the budget; on failure nothing is taken.
  absl::Status Charge(int64_t samples);
  // There is no deadline any more.
  void LiftDeadline() { deadline_lifted_.store(true, std::memory_order_relaxed); }

  // Gives back what an earlier Charge() took.
  void Release(int64_t samples) { held_.fetch_sub(samples, std::memory_order_relaxed); }

  int64_t peak_samples() const { return peak_.load(std::memory_order_relaxed); }

 private:
  const int64_t max_samples_;
  const Clock::time_point deadline_;
  std::atomic<bool> cancelled_{false};
  std::atomic<bool> shut_down_{false};
  std::atomic<bool> deadline_lifted_{false};
  std::atomic<int64_t> held_{0};
  std::atomic<int64_t> peak_{0};
};

}  // namespace lockstep
