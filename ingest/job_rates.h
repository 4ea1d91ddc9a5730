// JobRates: limits the samples per second that writes may bring for each value of the label `job`.
//
// Each job has a token bucket, one token per sample, that fills at the rate and holds at most one
// second's worth. A request is admitted while the bucket is not empty and takes a token per sample,
// so the bucket may go negative. Thread-safe; a request takes the lock once.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "base/mutex.h"
#include "base/status.h"
#include "ingest/write/decoded_write.h"

namespace lockstep {

class JobRates {
 public:
  using Clock = std::chrono::steady_clock;
  // At most this many jobs near their limits are tracked; further jobs share one bucket.
  static constexpr size_t kMaxJobs = 16'384;

  // 0: no limit. `now` is called from any thread.
  explicit JobRates(uint64_t samples_per_second,
                    std::function<Clock::time_point()> now = Clock::now)
      : per_second_(samples_per_second), now_(std::move(now)), filled_at_(now_()) {}

  void SetRate(uint64_t samples_per_second) { per_second_ = samples_per_second; }
  bool is_limited() const { return per_second_ > 0; }

  // Moves the series of jobs over their rate to the request's refusals. If nothing is left:
  // kResourceExhausted, with RetryAfter(). Precondition: no series of the request is known only by
  // number.
  absl::Status Admit(DecodedWrite& decoded);

 private:
  struct Arrival {
    std::string_view job;
    double sample_count = 0;
    double wait_seconds = 0;  // until the job may send again; 0: admitted
  };
  // Keyed by the hash of the job.
  using Arrivals = absl::flat_hash_map<size_t, Arrival>;

  void Judge(double per_second, Arrivals& arrivals);
  void Fill(double per_second) LOCKSTEP_REQUIRES(mutex_);

  std::atomic<uint64_t> per_second_;
  const std::function<Clock::time_point()> now_;
  Mutex mutex_;
  absl::flat_hash_map<size_t, double> tokens_
      LOCKSTEP_GUARDED_BY(mutex_);  // only of buckets that are not full
  Clock::time_point filled_at_ LOCKSTEP_GUARDED_BY(mutex_);
};

}  // namespace lockstep
