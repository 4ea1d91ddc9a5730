#include "base/query_budget.h"

namespace lockstep {

absl::Status QueryBudget::Check() const {
  if (cancelled_.load(std::memory_order_relaxed)) {
    return absl::CancelledError("query was canceled in expression evaluation");
  }
  if (Clock::now() >= deadline_) {
    return absl::DeadlineExceededError("query timed out in expression evaluation");
  }
  return absl::OkStatus();
}

absl::Status QueryBudget::Charge(int64_t samples) {
  const int64_t held = held_.fetch_add(samples, std::memory_order_relaxed) + samples;
  if (held > max_samples_) {
    Release(samples);
    return absl::ResourceExhaustedError(
        "query processing would load too many samples into memory in query execution");
  }
  int64_t peak = peak_.load(std::memory_order_relaxed);
  while (held > peak && !peak_.compare_exchange_weak(peak, held, std::memory_order_relaxed)) {
  }
  return absl::OkStatus();
}

}  // namespace lockstep
