#include "base/budget/query_budget.h"

#include <utility>

#include "absl/strings/str_format.h"
#include "base/status.h"

namespace lockstep {
namespace {

double InMebibytes(uint64_t bytes) {
  constexpr double kMebibyte = 1 << 20;
  return static_cast<double>(bytes) / kMebibyte;
}

}  // namespace

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
  absl::Status status;
  if (held > max_samples_) {
    status = absl::ResourceExhaustedError(
        absl::StrFormat("query processing would load too many samples into memory in query "
                        "execution: %d at once, and the limit is %d (query.max-samples)",
                        held, max_samples_));
  } else {
    status = TakeMemory();
  }
  if (!status.ok()) {
    Release(samples);
    return status;
  }
  int64_t peak = peak_.load(std::memory_order_relaxed);
  while (held > peak && !peak_.compare_exchange_weak(peak, held, std::memory_order_relaxed)) {
  }
  return absl::OkStatus();
}

absl::Status QueryBudget::ChargeText(int64_t bytes) {
  const int64_t held = text_bytes_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  absl::Status status;
  // Avoids a product, which would overflow if max_samples is very large.
  if (held / kTextBytesPerSample >= max_samples_) {
    status = absl::ResourceExhaustedError(
        absl::StrFormat("query processing would hold too many bytes of labels in memory: %d at "
                        "once, and the limit is %d times %d (query.max-samples)",
                        held, kTextBytesPerSample, max_samples_));
  } else {
    status = TakeMemory();
  }
  if (!status.ok()) ReleaseText(bytes);
  return status;
}

absl::Status QueryBudget::ChargeAnswer(int64_t bytes) {
  answer_bytes_.fetch_add(bytes, std::memory_order_relaxed);
  absl::Status status = TakeMemory();
  if (!status.ok()) answer_bytes_.fetch_sub(bytes, std::memory_order_relaxed);
  return status;
}

absl::Status QueryBudget::TakeShare(uint64_t bytes) {
  const PoolAnswer answer = share_.Grow(bytes);
  if (answer == PoolAnswer::kTaken) return absl::OkStatus();
  return absl::UnavailableError(absl::StrFormat(
      "%s queries already use their full share of the %.1f MiB of memory for queries "
      "(--memory-limit); try again later",
      answer == PoolAnswer::kFull ? "all" : "this client's", InMebibytes(max_bytes_)));
}

// A query that needs more than half of the total will not get it later either.
absl::Status QueryBudget::Refusal(absl::Status status, uint64_t needed_bytes) const {
  if (needed_bytes <= max_bytes_ / 2) return status;
  return absl::ResourceExhaustedError(absl::StrFormat(
      "the query needs at least %.1f MiB of memory, more than half of the limit of %.1f MiB for "
      "all queries (--memory-limit)",
      InMebibytes(needed_bytes), InMebibytes(max_bytes_)));
}

absl::Status QueryBudget::TakeMemory() {
  constexpr int64_t kStepBytes = 256 << 10;
  const auto needed_bytes = [this] {
    return held_.load(std::memory_order_relaxed) * kBytesPerSample +
           text_bytes_.load(std::memory_order_relaxed) +
           answer_bytes_.load(std::memory_order_relaxed);
  };
  if (needed_bytes() <= taken_bytes_.load(std::memory_order_relaxed)) return absl::OkStatus();
  const MutexLock lock(mutex_);
  const int64_t needed = needed_bytes();
  const int64_t taken = taken_bytes_.load(std::memory_order_relaxed);
  if (needed <= taken) return absl::OkStatus();
  const int64_t more = (needed - taken + kStepBytes - 1) / kStepBytes * kStepBytes;
  const auto all = static_cast<uint64_t>(taken + more);
  if (absl::Status added = memory_.Add(static_cast<uint64_t>(more)); !added.ok()) {
    return Refusal(std::move(added), all);
  }
  if (absl::Status shared = TakeShare(static_cast<uint64_t>(more)); !shared.ok()) {
    memory_.Resize(static_cast<uint64_t>(taken)).IgnoreError();
    return Refusal(std::move(shared), all);
  }
  taken_bytes_.store(taken + more, std::memory_order_relaxed);
  return absl::OkStatus();
}

}  // namespace lockstep
