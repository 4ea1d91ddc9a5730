// QueryBudget: what one query may still use, and whether it should stop.
//
// One object per query; the code that admits the query creates it, and it outlives all work of the
// query. All methods are safe from any thread. Code that loops over samples calls Check() at least
// every few thousand samples and Charge() before keeping memory; both return an error that the
// caller passes up unchanged:
//   kCancelled          the client went away
//   kUnavailable        the server is shutting down, or the queries of all clients, or of this
//                       client, need too much memory together
//   kDeadlineExceeded   the query's time is over
//   kResourceExhausted  the query needs more memory than allowed
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <utility>

#include "absl/status/status.h"
#include "base/budget/fair_pool.h"
#include "base/budget/memory_budget.h"
#include "base/mutex.h"

namespace lockstep {

class QueryBudget {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr int64_t kBytesPerSample = 16;
  static constexpr int64_t kTextBytesPerSample = 64;

  // `max_samples`: how many samples may be in memory at once, 16 bytes each. The bytes are taken
  // from `memory` and held until the budget is destroyed, because the answer is made of them.
  //
  // They are also claimed from the pool that clients share, if there is one.
  QueryBudget(int64_t max_samples, Clock::time_point deadline,
              MemoryBudget& memory = MemoryBudget::OfProcess(), FairPool::Claim share = {})
      : max_samples_(max_samples),
        deadline_(deadline),
        max_bytes_(memory.MaxBytesOf(MemoryAccount::kQueries)),
        memory_(MemoryCharge(MemoryAccount::kQueries, memory)),
        share_(std::move(share)) {}
  QueryBudget(const QueryBudget&) = delete;
  QueryBudget& operator=(const QueryBudget&) = delete;

  // Makes every later Check() fail with kCancelled. Idempotent.
  void Cancel() { cancelled_.store(true, std::memory_order_relaxed); }
  // Makes every later Check() fail with kUnavailable. Idempotent.
  void ShutDown() { shut_down_.store(true, std::memory_order_relaxed); }

  absl::Status Check() const;
  // Takes `samples` from the budget; on failure it takes nothing.
  absl::Status Charge(int64_t samples);
  // Takes memory for the texts of labels in the same way; the limit is 64 bytes for each of
  // max_samples.
  absl::Status ChargeText(int64_t bytes);
  // Takes memory for the answer while it is being written, in the same way. It is held until the
  // budget is destroyed.
  absl::Status ChargeAnswer(int64_t bytes);
  // Removes the deadline.
  void LiftDeadline() { deadline_lifted_.store(true, std::memory_order_relaxed); }

  // Give back what an earlier Charge() or ChargeText() took.
  void Release(int64_t samples) { held_.fetch_sub(samples, std::memory_order_relaxed); }
  void ReleaseText(int64_t bytes) { text_bytes_.fetch_sub(bytes, std::memory_order_relaxed); }

  int64_t peak_samples() const { return peak_.load(std::memory_order_relaxed); }

 private:
  // Takes from `memory` what samples, texts and the answer need beyond what was taken before.
  absl::Status TakeMemory();
  absl::Status TakeShare(uint64_t bytes) LOCKSTEP_REQUIRES(mutex_);
  absl::Status Refusal(absl::Status status, uint64_t needed_bytes) const;

  const int64_t max_samples_;
  const Clock::time_point deadline_;
  const uint64_t max_bytes_;  // over all queries
  std::atomic<bool> cancelled_{false};
  std::atomic<bool> shut_down_{false};
  std::atomic<bool> deadline_lifted_{false};
  std::atomic<int64_t> held_{0};
  std::atomic<int64_t> peak_{0};
  std::atomic<int64_t> text_bytes_{0};
  std::atomic<int64_t> answer_bytes_{0};
  std::atomic<int64_t> taken_bytes_{0};  // from the memory
  Mutex mutex_;
  MemoryCharge memory_ LOCKSTEP_GUARDED_BY(mutex_);
  FairPool::Claim share_ LOCKSTEP_GUARDED_BY(mutex_);
};

}  // namespace lockstep
