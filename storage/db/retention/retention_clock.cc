#include "storage/db/retention/retention_clock.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <utility>

#include "base/log.h"
#include "storage/db/rows/window.h"

namespace lockstep {
namespace {

// However short the retention, a delay between two readings on a busy machine is not a jump.
constexpr int64_t kMinStepMs = int64_t{60} * 1000;
constexpr int64_t kKeptPerLeap = 4;

// The expected time follows the wall clock by up to a second per minute: NTP slews clocks, and
// monotonic clocks are not exact. A clock that gains more than that drifts into a jump.
constexpr int64_t kFollowEveryMs = int64_t{60} * 1000;
constexpr int64_t kElapsedPerDrift = 60;

// The time between two looks counts towards the time that a doubted clock ran on only up to this
// limit: a machine that was suspended over a weekend did not give anyone a day to correct its
// clock.
constexpr int64_t kMostUnseenMs = int64_t{60} * 1000;

int64_t MaxLeap(int64_t leap_ms, int64_t shortest_keep_ms) {
  return std::max(kMinStepMs, std::min(leap_ms, shortest_keep_ms / kKeptPerLeap));
}

double Seconds(int64_t ms) { return static_cast<double>(ms) / 1000; }

}  // namespace

RetentionClock::RetentionClock(Clock wall_ms, Clock monotonic_ms, int64_t shortest_keep_ms)
    : wall_ms_(std::move(wall_ms)),
      monotonic_ms_(std::move(monotonic_ms)),
      max_step_ms_(MaxLeap(kMaxStepMs, shortest_keep_ms)),
      max_stop_ms_(MaxLeap(kMaxStopMs, shortest_keep_ms)),
      highest_expiry_ms_(std::numeric_limits<int64_t>::min()) {}

void RetentionClock::Begin(const std::optional<ClockRecord>& record,
                           std::optional<int64_t> newest_sample_ms) {
  const int64_t wall_ms = wall_ms_();
  MutexLock lock(mutex_);
  last_look_ms_ = last_follow_ms_ = next_record_ms_ = monotonic_ms_();
  expected_ms_ = record.has_value() ? record->believed_ms : newest_sample_ms.value_or(wall_ms);
  latest_ms_ = record.has_value() ? record->latest_ms : expected_ms_;
  const auto may_follow = [&](int64_t last_ms, int64_t max_back_ms) {
    return wall_ms >= last_ms - max_back_ms && wall_ms <= last_ms + max_stop_ms_;
  };
  // The newest sample may be this much later than the clock was.
  if (may_follow(expected_ms_, record.has_value() ? max_step_ms_ : kMaxFutureMs)) {
    expected_ms_ = wall_ms;
    Trust(wall_ms, "");
  } else {
    DoubtOf(wall_ms);
    if (record.has_value() && record->doubt.has_value() &&
        may_follow(record->doubt->wall_ms, max_step_ms_)) {
      doubt_->unopposed_ms = record->doubt->unopposed_ms;
    }
  }
  Publish(wall_ms);
}

StoreTime RetentionClock::Now() {
  Look();
  MutexLock lock(mutex_);
  return now_;
}

int64_t RetentionClock::HighestExpiryMs() {
  Look();
  MutexLock lock(mutex_);
  return highest_expiry_ms_;
}

void RetentionClock::HearSender(int64_t sample_ms) {
  sample_ms = std::clamp(sample_ms, kStorableTimes.min_ms, kStorableTimes.max_ms);
  MutexLock lock(mutex_);
  if (!doubt_.has_value()) return;
  const int64_t apart_ms = std::abs(doubt_->wall_ms - expected_ms_);
  if (std::abs(sample_ms - expected_ms_) <= std::min(max_step_ms_, apart_ms / 2)) {
    doubt_->unopposed_ms = 0;
  }
}

std::optional<ClockRecord> RetentionClock::TakeRecordIfDue() {
  Look();
  MutexLock lock(mutex_);
  if (last_look_ms_ < next_record_ms_) return std::nullopt;
  next_record_ms_ = last_look_ms_ + kRecordEveryMs;
  return MakeRecord();
}

ClockRecord RetentionClock::Record() {
  Look();
  MutexLock lock(mutex_);
  return MakeRecord();
}

// The clocks are read without the lock, because those of tests may block. Of two threads, the one
// that read first may then arrive last, and has nothing new to report.
void RetentionClock::Look() {
  const int64_t monotonic_ms = monotonic_ms_();
  const int64_t wall_ms = wall_ms_();
  MutexLock lock(mutex_);
  if (monotonic_ms < last_look_ms_) return;
  Judge(wall_ms, monotonic_ms - std::exchange(last_look_ms_, monotonic_ms));
  Publish(wall_ms);
}

void RetentionClock::Judge(int64_t wall_ms, int64_t elapsed_ms) {
  expected_ms_ += elapsed_ms;
  latest_ms_ += elapsed_ms;
  if (doubt_.has_value()) {
    doubt_->wall_ms += elapsed_ms;
    doubt_->lowest_ms += elapsed_ms;
  }
  if (std::abs(wall_ms - expected_ms_) <= max_step_ms_) {
    Trust(wall_ms, "it is back at the expected time");
  } else if (!doubt_.has_value() || std::abs(wall_ms - doubt_->wall_ms) > max_step_ms_) {
    DoubtOf(wall_ms);
  } else {
    doubt_->wall_ms = wall_ms;
    doubt_->lowest_ms = std::min(doubt_->lowest_ms, wall_ms);
    doubt_->unopposed_ms += std::min(elapsed_ms, kMostUnseenMs);
    if (doubt_->unopposed_ms < kDoubtForMs) return;
    expected_ms_ = wall_ms;
    Trust(wall_ms, "it ran steadily for a day, and no sender contradicted it");
  }
}

void RetentionClock::Trust(int64_t wall_ms, std::string_view why) {
  if (doubt_.has_value()) {
    doubt_.reset();
    next_record_ms_ = last_look_ms_;
    Log(LogLevel::kWarn, "the wall clock is trusted again, and retention follows it",
        {{"why", why}});
  }
  Follow(wall_ms);
  // A clock that was set back by a small step is still the same clock.
  latest_ms_ = latest_ms_ - wall_ms <= max_step_ms_ ? wall_ms : latest_ms_;
}

void RetentionClock::Follow(int64_t wall_ms) {
  const int64_t elapsed_ms = last_look_ms_ - last_follow_ms_;
  if (elapsed_ms < kFollowEveryMs) return;
  last_follow_ms_ = last_look_ms_;
  const int64_t drift_ms = elapsed_ms / kElapsedPerDrift;
  expected_ms_ += std::clamp(wall_ms - expected_ms_, -drift_ms, drift_ms);
}

void RetentionClock::DoubtOf(int64_t wall_ms) {
  const int64_t lowest_ms = doubt_.has_value() ? std::min(doubt_->lowest_ms, wall_ms) : wall_ms;
  doubt_ = {wall_ms, lowest_ms, 0};
  next_record_ms_ = last_look_ms_;
  Log(LogLevel::kWarn,
      "the wall clock jumped and is not trusted: retention goes on without it. Correct the clock "
      "or, if it is right, leave it alone for a day",
      {{"ahead_seconds", Seconds(wall_ms - expected_ms_)}});
}

void RetentionClock::Publish(int64_t wall_ms) {
  now_.wall_ms = wall_ms;
  now_.is_trusted = !doubt_.has_value();
  now_.believed_ms = now_.is_trusted ? wall_ms : expected_ms_;
  now_.expiry_ms = now_.is_trusted ? wall_ms : std::min(expected_ms_, doubt_->lowest_ms);
  now_.latest_ms = std::max(wall_ms, latest_ms_);
  highest_expiry_ms_ = std::max(highest_expiry_ms_, now_.expiry_ms);
}

ClockRecord RetentionClock::MakeRecord() const {
  ClockRecord record{now_.believed_ms, latest_ms_};
  if (doubt_.has_value()) record.doubt = {doubt_->wall_ms, doubt_->unopposed_ms};
  return record;
}

Clock BelievedTimeOf(std::shared_ptr<RetentionClock> clock) {
  return [clock = std::move(clock)] { return clock->Now().believed_ms; };
}

}  // namespace lockstep
