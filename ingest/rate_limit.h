// RateLimit: how many samples a second all writes together may bring.
//
// A bucket of tokens, one a sample, that fills at the rate and holds at most those of one second. A
// request is let in while the bucket holds any, and takes as many as it has samples, so that the bucket
// may owe some: a request of any size comes through, and those behind it wait for what it owes. The
// mean rate is never more than what was set, after a burst of one second. Safe from any thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>

#include "base/mutex.h"
#include "base/status.h"

namespace lockstep {

class RateLimit {
 public:
  using Clock = std::chrono::steady_clock;

  // 0: no limit. `now` is called from any thread.
  explicit RateLimit(uint64_t samples_per_second,
                     std::function<Clock::time_point()> now = Clock::now);

  // OK: the samples may come. kResourceExhausted: nothing was taken; RetryAfter() of it says when to
  // come again.
  absl::Status Admit(uint64_t sample_count);

 private:
  const double per_second_;
  const std::function<Clock::time_point()> now_;
  Mutex mutex_;
  double tokens_ LOCKSTEP_GUARDED_BY(mutex_);
  Clock::time_point filled_at_ LOCKSTEP_GUARDED_BY(mutex_);
};

// The wait that a refusal of RateLimit asks for, at least a second; nothing for any other status.
std::optional<std::chrono::seconds> RetryAfter(const absl::Status& status);

}  // namespace lockstep
