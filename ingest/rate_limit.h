// RateLimit: limits the samples per second of all writes together, and shares the rate fairly
// between clients.
//
// A token bucket, one token per sample, fills at the rate and holds at most one second's worth. A
// request is admitted while the bucket is not empty and takes a token per sample, so the bucket may
// go negative: requests of any size get through, and those after them wait. While it is negative,
// requests are still admitted for
//
//   - clients below their share of seven eighths of the rate: each network and each credential has
//     its own bucket, which fills at an equal share among those active;
//   - small requests, of at most a hundredth of the rate, from the last eighth.
//
// These take from the common bucket too. So a single client gets the whole rate, no client takes
// another's share, and the average rate never exceeds the limit after a burst of one second. A
// credential with its own limit has another bucket for it, which must not be empty either.
// Thread-safe.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/budget/client_id.h"
#include "base/mutex.h"
#include "base/status.h"
#include "base/string_map.h"

namespace lockstep {

class RateLimit {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::string_view kOfServer = "of this server (ingest.max-samples-per-second)";

  // 0: no limit except those of credentials. `now` is called from any thread. `whose` is a literal
  // that ends the sentence "over the limit of 7 samples per second ...".
  explicit RateLimit(uint64_t samples_per_second,
                     std::function<Clock::time_point()> now = Clock::now,
                     std::string_view whose = kOfServer);

  // Takes effect immediately.
  void SetRate(uint64_t samples_per_second);

  // OK: the samples are admitted. kResourceExhausted: nothing was taken; RetryAfter() says when to
  // retry.
  absl::Status Admit(const ClientId& client, uint64_t sample_count);

 private:
  // Why a request is admitted.
  enum class Entry : uint8_t { kNone, kCommon, kSmall, kShare };
  // The bucket of a credential with its own limit.
  struct OwnBucket {
    double per_second = 0;
    double tokens = 0;
  };
  // Recently active clients of one kind.
  using Buckets = StringMap<double>;

  void Fill() LOCKSTEP_REQUIRES(mutex_);
  // The bucket of the client's credential; null if it has no limit of its own.
  OwnBucket* OwnBucketOf(const ClientId& client) LOCKSTEP_REQUIRES(mutex_);
  absl::Status AdmitToAll(const ClientId& client, double count) LOCKSTEP_REQUIRES(mutex_);
  Entry EntryFor(const ClientId& client, double count) const LOCKSTEP_REQUIRES(mutex_);
  void Take(const ClientId& client, double count, Entry entry) LOCKSTEP_REQUIRES(mutex_);

  const std::function<Clock::time_point()> now_;
  const std::string_view whose_;
  Mutex mutex_;
  double per_second_ LOCKSTEP_GUARDED_BY(mutex_);
  double tokens_ LOCKSTEP_GUARDED_BY(mutex_);
  double small_tokens_ LOCKSTEP_GUARDED_BY(mutex_);
  Buckets by_network_ LOCKSTEP_GUARDED_BY(mutex_);
  Buckets by_user_ LOCKSTEP_GUARDED_BY(mutex_);
  StringMap<OwnBucket> own_ LOCKSTEP_GUARDED_BY(mutex_);  // of credentials seen so far
  Clock::time_point filled_at_ LOCKSTEP_GUARDED_BY(mutex_);
};

// kResourceExhausted: nothing was stored because of `why`, one clause; retry after `wait`.
absl::Status ComeAgainIn(std::chrono::seconds wait, std::string_view why);

// The wait requested by a refusal of RateLimit or JobRates, at least a second; nothing for any
// other status.
std::optional<std::chrono::seconds> RetryAfter(const absl::Status& status);

}  // namespace lockstep
