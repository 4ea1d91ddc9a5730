#include "base/query_budget.h"

#include "absl/strings/str_format.h"

namespace lockstep {

absl::Status QueryBudget::Check() const {
  if (cancelled_.load(std::memory_order_relaxed)) {
    return absl::CancelledError("query was canceled in expression evaluation");
  }
  if (shut_down_.load(std::memory_order_relaxed)) {
    return absl::UnavailableError("the server is shutting down");
  }
  if (Clock::now() >= deadline_ && !deadline_lifted_.load(std::memory_order_relaxed)) {
    return absl::DeadlineExceededError("query timed out in expression evaluation");
  }
  return absl::OkStatus();
}

absl::Status QueryBudget::Charge(int64_t samples) {
  const int64_t held = held_.fetch_add(samples, std::memory_order_relaxed) + samples;
  if (held > max_samples_) {
    Release(samples);
    return absl::ResourceExhaustedError(
        absl::StrFormat("query processing would load too many samples into memory in query "
                        "execution: %d at once, of at "
                        "most %d (query.max-samples)",
                        held, max_samples_));
  }
  int64_t peak = peak_.load(std::memory_order_relaxed);
  while (held > peak && !peak_.compare_exchange_weak(peak, held, std::memory_order_relaxed)) {
  }
  return absl::OkStatus();
}

}  // namespace lockstep
