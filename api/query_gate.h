// QueryGate: lets a bounded number of queries run at once, on threads of its own.
//
// Work beyond that waits in a queue until a thread is free, its time is over, its client has gone, or
// the gate closes. Every piece of work is run exactly once, whatever becomes of it: on a thread of the
// pool when it is admitted, else quickly to say no. Safe from any thread. The destructor cancels what
// runs, refuses what waits, and returns when both are over.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <thread>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "api/http.h"
#include "base/mutex.h"
#include "base/query_budget.h"

namespace lockstep::api {

struct QueryGateOptions {
  int max_running = 20;
  size_t max_queued = 1000;
};

struct QueryGateStats {
  uint64_t running = 0;
  uint64_t queued = 0;
  uint64_t refused = 0;
};

class QueryGate {
 public:
  // `admitted` is OK when the work may run, within `budget`; otherwise the work only answers:
  //   kCancelled          the client went away while it waited
  //   kDeadlineExceeded   its time was over before a thread was free
  //   kUnavailable        the queue is full, or the gate is closing
  using Work = absl::AnyInvocable<void(const absl::Status& admitted, QueryBudget& budget)>;

  explicit QueryGate(const QueryGateOptions& options);
  ~QueryGate();
  QueryGate(const QueryGate&) = delete;
  QueryGate& operator=(const QueryGate&) = delete;

  struct Limits {
    int64_t max_samples = 0;
    std::chrono::nanoseconds timeout{};  // waiting included
  };
  // Takes over `cancel`'s one callback until the work is over. Never blocks for long.
  void Submit(const Limits& limits, std::shared_ptr<CancelSignal> cancel, Work work);

  QueryGateStats stats() const;

 private:
  struct Entry;
  using EntryPtr = std::shared_ptr<Entry>;

  void RunPool();
  void SweepQueue();
  // Takes out of the queue what must not wait any longer.
  std::vector<EntryPtr> TakeExpired() LOCKSTEP_REQUIRES(mutex_);
  static void Finish(Entry& entry, const absl::Status& admitted);

  const QueryGateOptions options_;
  mutable Mutex mutex_;
  CondVar work_waits_;
  CondVar sweep_needed_;
  bool closing_ LOCKSTEP_GUARDED_BY(mutex_) = false;
  std::deque<EntryPtr> queue_ LOCKSTEP_GUARDED_BY(mutex_);
  std::vector<EntryPtr> running_ LOCKSTEP_GUARDED_BY(mutex_);
  uint64_t refused_ LOCKSTEP_GUARDED_BY(mutex_) = 0;
  std::vector<std::thread> threads_;
};

}  // namespace lockstep::api
