// When a rule group is evaluated: once per interval, at an offset derived from its name, so that
// groups are spread over the interval and keep their offsets across restarts. No side effects.
#pragma once

#include <cstdint>

namespace lockstep::rules {

class GroupSchedule {
 public:
  // `seed` identifies the group. The first evaluation is at the next scheduled time. Precondition:
  // interval_ms > 0.
  GroupSchedule(uint64_t seed, int64_t interval_ms, int64_t now_ms)
      : interval_ms_(interval_ms),
        offset_ms_(static_cast<int64_t>(seed % static_cast<uint64_t>(interval_ms))),
        due_ms_(LastAt(now_ms) + interval_ms) {}

  int64_t due_ms() const { return due_ms_; }

  struct DueTime {
    int64_t time_ms = 0;  // evaluation time
    int64_t missed = 0;   // skipped evaluation times
  };
  // Takes the latest time that is due. Precondition: now_ms >= due_ms().
  DueTime Take(int64_t now_ms) {
    const int64_t missed = (now_ms - due_ms_) / interval_ms_;
    const DueTime due{due_ms_ + missed * interval_ms_, missed};
    due_ms_ = due.time_ms + interval_ms_;
    return due;
  }

  // Call after the clock was set back.
  void Rewind(int64_t now_ms) {
    if (due_ms_ > now_ms + interval_ms_) due_ms_ = LastAt(now_ms) + interval_ms_;
  }

 private:
  int64_t LastAt(int64_t now_ms) const {
    const int64_t adjusted = now_ms - offset_ms_;
    return adjusted - adjusted % interval_ms_ + offset_ms_;
  }

  int64_t interval_ms_;
  int64_t offset_ms_;
  int64_t due_ms_;
};

}  // namespace lockstep::rules
