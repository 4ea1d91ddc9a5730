#include "ingest/rate_limit.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>

#include "absl/strings/cord.h"
#include "absl/strings/str_format.h"

namespace lockstep {
namespace {

constexpr char kRetryAfterPayload[] = "lockstep/retry-after-seconds";

absl::Status ComeAgainIn(std::chrono::seconds wait, double per_second) {
  absl::Status status = absl::ResourceExhaustedError(absl::StrFormat(
      "more than the %.0f samples a second that this server takes (ingest.max-samples-per-second); "
      "nothing was stored, come again in %d s",
      per_second, wait.count()));
  status.SetPayload(kRetryAfterPayload, absl::Cord(std::to_string(wait.count())));
  return status;
}

}  // namespace

RateLimit::RateLimit(uint64_t samples_per_second, std::function<Clock::time_point()> now)
    : per_second_(static_cast<double>(samples_per_second)),
      now_(std::move(now)),
      tokens_(per_second_),
      filled_at_(now_()) {}

absl::Status RateLimit::Admit(uint64_t sample_count) {
  if (per_second_ == 0) return absl::OkStatus();
  MutexLock lock(mutex_);
  const Clock::time_point now = now_();
  const std::chrono::duration<double> passed = std::max(now - filled_at_, Clock::duration::zero());
  filled_at_ = std::max(now, filled_at_);
  tokens_ = std::min(tokens_ + passed.count() * per_second_, per_second_);
  if (tokens_ > 0) {
    tokens_ -= static_cast<double>(sample_count);
    return absl::OkStatus();
  }
  const double wait_seconds = std::max(1.0, std::ceil(-tokens_ / per_second_));
  return ComeAgainIn(std::chrono::seconds(static_cast<int64_t>(wait_seconds)), per_second_);
}

std::optional<std::chrono::seconds> RetryAfter(const absl::Status& status) {
  const auto payload = status.GetPayload(kRetryAfterPayload);
  if (!payload.has_value()) return std::nullopt;
  const std::string text(*payload);
  int64_t seconds = 0;
  std::from_chars(text.data(), text.data() + text.size(), seconds);
  return std::chrono::seconds(seconds);
}

}  // namespace lockstep
