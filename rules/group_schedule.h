// When a rule group is evaluated: once in each interval, at an offset of its own by its name, so that groups are
// spread over the interval and stay where they are over restarts. Pure.
#pragma once

#include <cstdint>

namespace lockstep::rules {

class GroupSchedule {
 public:
  // `seed` is the group's own number. Precondition: interval_ms > 0. The first time is the next one.
  GroupSchedule(uint64_t seed, int64_t interval_ms, int64_t now_ms)
      : interval_ms_(interval_ms),
        offset_ms_(static_cast<int64_t>(seed % static_cast<uint64_t>(interval_ms))),
        due_ms_(LastAt(now_ms) + interval_ms) {}

  int64_t due_ms() const { return due_ms_; }

  struct Turn {
    int64_t time_ms = 0;  // as of which to evaluate
    int64_t missed = 0;   // times that were left out
  };
  // The last time that has come, which is now taken. Precondition: now_ms >= due_ms().
  Turn Take(int64_t now_ms) {
    const int64_t missed = (now_ms - due_ms_) / interval_ms_;
    const Turn turn{due_ms_ + missed * interval_ms_, missed};
    due_ms_ = turn.time_ms + interval_ms_;
    return turn;
  }

  // For a clock that was set back.
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
