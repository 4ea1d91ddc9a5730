// ScrapeSchedule: scrapes a target once per interval, at an offset of its own, so that targets are
// spread over the interval and keep their offsets across restarts. Pure.
#pragma once

#include <algorithm>
#include <cstdint>

namespace lockstep::scrape {

class ScrapeSchedule {
 public:
  // `seed` is specific to the target. Precondition: interval_ms > 0.
  ScrapeSchedule(uint64_t seed, int64_t interval_ms, int64_t now_ms)
      : interval_ms_(interval_ms),
        offset_ms_(static_cast<int64_t>(seed % static_cast<uint64_t>(interval_ms))),
        due_ms_(FirstAfter(now_ms)) {}

  int64_t due_ms() const { return due_ms_; }
  bool IsDue(int64_t now_ms) const { return now_ms >= due_ms_; }

  // Advances to the next time after `now_ms`, and returns the timestamp of a scrape that begins
  // now: the time it was due, if that is close, so that timestamps are evenly spaced and compress
  // well. The tolerance is Prometheus'. Precondition: IsDue(now_ms).
  int64_t Take(int64_t now_ms) {
    const int64_t tolerance_ms = std::min<int64_t>(kMaxToleranceMs, interval_ms_ / 100);
    const int64_t timestamp_ms = now_ms - due_ms_ <= tolerance_ms ? due_ms_ : now_ms;
    due_ms_ = FirstAfter(now_ms);
    return timestamp_ms;
  }

  // Adapts to a clock that was set back.
  void Rewind(int64_t now_ms) {
    if (due_ms_ > now_ms + interval_ms_) due_ms_ = FirstAfter(now_ms);
  }

 private:
  static constexpr int64_t kMaxToleranceMs = 2;

  int64_t FirstAfter(int64_t now_ms) const {
    const int64_t begin_ms = now_ms - now_ms % interval_ms_ + offset_ms_;
    return begin_ms > now_ms ? begin_ms : begin_ms + interval_ms_;
  }

  int64_t interval_ms_;
  int64_t offset_ms_;
  int64_t due_ms_;
};

}  // namespace lockstep::scrape
