// RateLimit: how many samples a second all writes together may bring, shared fairly by clients.
//
// A bucket of tokens, one a sample, that fills at the rate and holds at most those of one second. A
// request is let in while the bucket holds any, and takes as many as it has samples, so that the bucket
// may owe some: a request of any size comes through, and those behind it wait for what it owes. While it owes,
// requests are still let in for
//
//   - clients that have brought less than their share of seven eighths of the rate: each network, and each credential,
//     has a bucket of its own that fills at what is left when all that are active have the same;
//   - small requests, of at most a hundredth of the rate, from the last eighth.
//
// These take from the common bucket too. So a client alone gets all of the rate, nobody keeps others from their share,
// and the mean rate is never more than what was set, after a burst of one second. A credential with a limit of its own has a
// bucket of that as well, which has to hold some. Safe from any thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/client_id.h"
#include "base/mutex.h"
#include "base/status.h"
#include "base/string_map.h"

namespace lockstep {

class RateLimit {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::string_view kOfServer = "this server takes (ingest.max-samples-per-second)";

  // 0: no limit but those of credentials. `now` is called from any thread. `whose` ends the sentence "more than the 7 samples
  // a second that ..." and is a literal.
  explicit RateLimit(uint64_t samples_per_second,
                     std::function<Clock::time_point()> now = Clock::now,
                     std::string_view whose = kOfServer);

  // From here on.
  void SetRate(uint64_t samples_per_second);

  // OK: the samples may come. kResourceExhausted: nothing was taken; RetryAfter() of it says when to
  // come again.
  absl::Status Admit(const ClientId& client, uint64_t sample_count);

 private:
  // What lets a request in.
  enum class Entry : uint8_t { kNone, kCommon, kSmall, kShare };
  // Of a credential with a limit of its own.
  struct OwnBucket {
    double per_second = 0;
    double tokens = 0;
  };
  // Clients of one kind that were active lately.
  using Buckets = StringMap<double>;

  void Fill() LOCKSTEP_REQUIRES(mutex_);
  // The bucket of the client's credential; null if that has no limit of its own.
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
  StringMap<OwnBucket> own_ LOCKSTEP_GUARDED_BY(mutex_);  // of credentials that have brought any
  Clock::time_point filled_at_ LOCKSTEP_GUARDED_BY(mutex_);
};

// kResourceExhausted: nothing was stored, because of `why`, which is one clause; come again after
// the wait.
absl::Status ComeAgainIn(std::chrono::seconds wait, std::string_view why);

// The wait that a refusal of RateLimit or JobRates asks for, at least a second; nothing for any
// other status.
std::optional<std::chrono::seconds> RetryAfter(const absl::Status& status);

}  // namespace lockstep
