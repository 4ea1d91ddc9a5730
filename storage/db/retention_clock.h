// RetentionClock: whether the wall clock can be believed, and the time by which samples expire.
//
// A clock that is wrong for a second would be enough to drop everything, so the time of day is held
// against a monotonic clock while the store is open, and against the last believed time, which the store
// keeps, when it is opened. docs/adr/0021-retention-clock.md has the reasons and the numbers.
//
//              leaps                                        a day passes, and no sender
//   trusted ──────────▶ doubted ─────────────────────────▶  trusted
//      ▲                 │   │  leaps again: the day begins anew
//      └─────────────────┘   └──▶ doubted
//        is back at the believed time
//
//   believed time   trusted: the wall clock; doubted: what it was, and monotonic time since
//   expiry time     samples older than this minus their retention are refused, hidden and dropped.
//                   Trusted: the wall clock; doubted: the believed time, or the doubted one if that is
//                   earlier: neither may cost a sample
//   latest time     samples later than this by kMaxFutureMs are refused: the later of the wall clock and
//                   of all times that were ever believed, since senders may be right where we are not
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "base/mutex.h"
#include "storage/db/clock.h"
#include "storage/db/clock_record.h"

namespace lockstep {

// All in Unix milliseconds, as of one moment.
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
  // A leap is believed at once if it is no longer than this while the store is open, and, forward, while
  // it was closed; and no longer than a quarter of the time for which samples are kept.
  static constexpr int64_t kMaxStepMs = int64_t{60} * 60 * 1000;
  static constexpr int64_t kMaxStopMs = int64_t{24} * 60 * 60 * 1000;
  // How long a doubted clock goes on, as the open store sees it, before it is believed.
  static constexpr int64_t kDoubtForMs = int64_t{24} * 60 * 60 * 1000;
  // How often the record of an open store is worth writing.
  static constexpr int64_t kRecordEveryMs = int64_t{60} * 1000;

  // No sample is kept for less than `shortest_keep_ms`.
  RetentionClock(Clock wall_ms, Clock monotonic_ms, int64_t shortest_keep_ms);

  // `record` is what the store kept when it was last open; without one, the newest stored sample says what
  // time it was then; without that, the wall clock is believed.
  void Begin(const std::optional<ClockRecord>& record, std::optional<int64_t> newest_sample_ms);

  StoreTime Now();
  // The highest expiry time that Now() ever gave.
  int64_t HighestExpiryMs();
  // A sender's newest sample. One that has the believed time contradicts a doubted clock, whose day then
  // begins anew. One that has the doubted time says nothing: it may come from this machine.
  void HearSender(int64_t sample_ms);

  // What to keep, to be asked for as often as one likes: nothing if it is not worth writing yet.
  std::optional<ClockRecord> TakeRecordIfDue();
  // The same at the end.
  ClockRecord Record();

 private:
  struct Doubt {
    int64_t wall_ms = 0;  // the doubted time
    int64_t lowest_ms =
        0;  // the earliest of all times that were doubted since the clock was trusted
    int64_t unopposed_ms = 0;  // how long the clock has gone on by now
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
  int64_t last_look_ms_ LOCKSTEP_GUARDED_BY(mutex_) = 0;  // monotonic, as are the next two
  int64_t last_follow_ms_ LOCKSTEP_GUARDED_BY(mutex_) = 0;
  int64_t next_record_ms_ LOCKSTEP_GUARDED_BY(mutex_) = 0;
  int64_t expected_ms_ LOCKSTEP_GUARDED_BY(mutex_) = 0;  // where the wall clock should be
  int64_t latest_ms_ LOCKSTEP_GUARDED_BY(mutex_) = 0;
  int64_t highest_expiry_ms_ LOCKSTEP_GUARDED_BY(mutex_);
  std::optional<Doubt> doubt_ LOCKSTEP_GUARDED_BY(mutex_);
  StoreTime now_ LOCKSTEP_GUARDED_BY(mutex_);
};

// The believed time of `clock`, for who asks nothing else.
Clock BelievedTimeOf(std::shared_ptr<RetentionClock> clock);

}  // namespace lockstep
