// JobRates: how many samples a second writes may bring of each job, which is the label of that
// name.
//
// Each job has a bucket of tokens, one a sample, that fills at the rate and holds at most those of
// one second. What comes is let in while the bucket holds any, and takes as many as it has samples,
// so that the bucket may owe some. Safe from any thread; a request takes the lock once.
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
#include "ingest/decoded_write.h"

namespace lockstep {

class JobRates {
 public:
  using Clock = std::chrono::steady_clock;
  // So many jobs that are near their limits are told apart; those beyond them share one bucket.
  static constexpr size_t kMaxJobs = 16'384;

  // 0: no limit. `now` is called from any thread.
  explicit JobRates(uint64_t samples_per_second,
                    std::function<Clock::time_point()> now = Clock::now)
      : per_second_(samples_per_second), now_(std::move(now)), filled_at_(now_()) {}

  void SetRate(uint64_t samples_per_second) { per_second_ = samples_per_second; }
  bool is_limited() const { return per_second_ > 0; }

  // Takes the series of jobs that are over their rate out of the request, and adds them to its
  // refusals. If nothing is left of the request: kResourceExhausted, and RetryAfter() of it says
  // when to come again. Precondition: no series of the request is known by number alone.
  absl::Status Admit(DecodedWrite& decoded);

 private:
  struct Arrival {
    std::string_view job;
    double sample_count = 0;
    double wait_seconds = 0;  // until the job may bring more; 0: it is let in
  };
  // By the hash of the job.
  using Arrivals = absl::flat_hash_map<size_t, Arrival>;

  void Judge(double per_second, Arrivals& arrivals);
  void Fill(double per_second) LOCKSTEP_REQUIRES(mutex_);

  std::atomic<uint64_t> per_second_;
  const std::function<Clock::time_point()> now_;
  Mutex mutex_;
  absl::flat_hash_map<size_t, double> tokens_ LOCKSTEP_GUARDED_BY(mutex_);  // of buckets not full
  Clock::time_point filled_at_ LOCKSTEP_GUARDED_BY(mutex_);
};

}  // namespace lockstep
