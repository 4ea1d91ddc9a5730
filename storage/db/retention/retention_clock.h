// RetentionClock: whether the wall clock can be trusted, and the time by which samples expire.
//
// A clock that is wrong for one second would be enough to drop everything. So while the store is
// open, the time of day is compared with a monotonic clock, and when the store is opened, with the
// last believed time, which the store keeps. docs/adr/0021-retention-clock.md has the reasons and
// the numbers.
//
//              jumps                                        a day passes, and no sender
//   trusted ──────────▶ doubted ─────────────────────────▶  trusted
//      ▲                 │   │  jumps again: the day starts over
//      └─────────────────┘   └──▶ doubted
//        returns to the believed time
//
//   believed time   trusted: the wall clock; doubted: the last trusted time plus the monotonic time
//                   since then
//   expiry time     samples older than this minus their retention are refused, hidden and dropped.
//                   Trusted: the wall clock; doubted: the earlier of the believed and the doubted
//                   time, so that neither can cost a sample
//   latest time     samples later than this by more than kMaxFutureMs are refused: the later of the
//                   wall clock and all times ever believed, since senders may be right where we are
//                   wrong
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "base/clock.h"
#include "base/mutex.h"
#include "storage/db/retention/clock_record.h"

namespace lockstep {

// Samples later than this after now are refused: a clock that is so far ahead is broken, and its
// samples would outlive the retention.
inline constexpr int64_t kMaxFutureMs = int64_t{24} * 60 * 60 * 1000;

// All in Unix milliseconds, at one moment.
struct StoreTime {
  int64_t wall_ms = 0;
  int64_t believed_ms = 0;
  int64_t expiry_ms = 0;
  int64_t latest_ms = 0;
  bool is_trusted = true;
};

// Safe from any thread, but Begin() comes before all other calls.
class RetentionClock {
 public:
  // The largest jumps that are trusted at once: while the store is open, and forward while it was
  // closed. Neither may exceed a quarter of the time for which samples are kept.
  static constexpr int64_t kMaxStepMs = int64_t{60} * 60 * 1000;
  static constexpr int64_t kMaxStopMs = int64_t{24} * 60 * 60 * 1000;
  // How long a doubted clock has to run on, while the store is open, before it is trusted.
  static constexpr int64_t kDoubtForMs = int64_t{24} * 60 * 60 * 1000;
  // How often the record of an open store is worth writing.
  static constexpr int64_t kRecordEveryMs = int64_t{60} * 1000;

  // No sample is kept for less than `shortest_keep_ms`.
  RetentionClock(Clock wall_ms, Clock monotonic_ms, int64_t shortest_keep_ms);

  // `record` is what the store kept when it was last open. Without a record, the newest stored
  // sample tells the time of that moment; without a sample, the wall clock is trusted.
  void Begin(const std::optional<ClockRecord>& record, std::optional<int64_t> newest_sample_ms);

  StoreTime Now();
  // The highest expiry time that Now() ever returned.
  int64_t HighestExpiryMs();
  // Reports a sender's newest sample. A sample at the believed time contradicts a doubted clock,
  // whose day then starts over. A sample at the doubted time proves nothing: it may come from this
  // machine.
  void HearSender(int64_t sample_ms);

  // The record to keep, or nothing if it is not worth writing yet. Can be called as often as one
  // likes.
  std::optional<ClockRecord> TakeRecordIfDue();
  // The record to keep at the end.
  ClockRecord Record();

 private:
  struct Doubt {
    int64_t wall_ms = 0;       // the doubted time
    int64_t lowest_ms = 0;     // the earliest of all doubted times since the clock was last trusted
    int64_t unopposed_ms = 0;  // how long the doubted clock has run on
  };

  void Look();
  void Judge(int64_t wall_ms, int64_t elapsed_ms) LOCKSTEP_REQUIRES(mutex_);
  void Trust(int64_t wall_ms, std::string_view why) LOCKSTEP_REQUIRES(mutex_);
  void Follow(int64_t wall_ms) LOCKSTEP_REQUIRES(mutex_);
  void DoubtOf(int64_t wall_ms) LOCKSTEP_REQUIRES(mutex_);
  void Publish(int64_t wall_ms) LOCKSTEP_REQUIRES(mutex_);
  ClockRecord MakeRecord() const LOCKSTEP_REQUIRES(mutex_);

  const Clock wall_ms_;
  const Clock monotonic_ms_;
  const int64_t max_step_ms_;
  const int64_t max_stop_ms_;

  Mutex mutex_;
  int64_t last_look_ms_ LOCKSTEP_GUARDED_BY(mutex_) = 0;  // monotonic, like the next two
  int64_t last_follow_ms_ LOCKSTEP_GUARDED_BY(mutex_) = 0;
  int64_t next_record_ms_ LOCKSTEP_GUARDED_BY(mutex_) = 0;
  int64_t expected_ms_ LOCKSTEP_GUARDED_BY(mutex_) = 0;  // where the wall clock should be
  int64_t latest_ms_ LOCKSTEP_GUARDED_BY(mutex_) = 0;
  int64_t highest_expiry_ms_ LOCKSTEP_GUARDED_BY(mutex_);
  std::optional<Doubt> doubt_ LOCKSTEP_GUARDED_BY(mutex_);
  StoreTime now_ LOCKSTEP_GUARDED_BY(mutex_);
};

// The believed time of `clock`, for callers that need nothing else.
Clock BelievedTimeOf(std::shared_ptr<RetentionClock> clock);

}  // namespace lockstep
