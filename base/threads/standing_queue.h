// StandingQueue: distinguishes a queue that drains, as after a burst, from a standing one that only
// makes every item wait, and decides which items of a standing queue to refuse. Based on Controlled
// Delay (RFC 8289), with a target that follows the duration of the work. Not thread-safe.
#pragma once

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

namespace lockstep {

struct StandingQueueOptions {
  // A queue starts to stand when it was never empty and no item has left it quickly for this long,
  // and stands until three quarters of the items leave it within the patience for a second. If it
  // only works off a burst, that is, if the items that leave it arrived before it was slow or in
  // the first quarter of the time since then, it may take ten times as long. With three times as
  // many items as can be worked on, the one that leaves arrived after a third of that time.
  std::chrono::nanoseconds stands_after = std::chrono::seconds(1);
  // While it stands, items may wait this long or twice as long as the work takes, whichever is
  // longer. Waiting half as long counts as quick.
  std::chrono::nanoseconds least_patience = std::chrono::milliseconds(10);
};

// What an item leaves behind in the queue.
enum class Behind { kNothing, kMore };

class StandingQueue {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  explicit StandingQueue(const StandingQueueOptions& options) : options_(options) {}

  // Call it for each item that leaves the queue to be worked on. Returns whether to refuse the item
  // instead.
  bool Leaves(TimePoint now, std::chrono::nanoseconds waited, Behind behind) {
    // A queue that becomes empty has drained, however slow the machine is.
    const bool is_slow = behind == Behind::kMore && waited >= Patience() / 2;
    const bool is_late = behind == Behind::kMore && waited > Patience();
    NoteLeave(now, is_late);
    if (!is_slow) {
      slow_since_.reset();
      return false;
    }
    if (!slow_since_.has_value()) slow_since_ = now;
    const std::chrono::nanoseconds slow_for = now - *slow_since_;
    const bool arrived_at_once = slow_for - waited < slow_for / 4;
    const bool may_be_burst = arrived_at_once && slow_for < kLongestBursts * options_.stands_after;
    if (slow_for >= options_.stands_after && !may_be_burst) stands_ = true;
    return stands_ && is_late;
  }

  // Reports how long the work for an item took.
  void Took(std::chrono::nanoseconds duration) {
    mean_duration_ += (duration - mean_duration_) / kMeanOf;
  }

  // Forgets slow items: the others wait for something other than this work.
  void Reset() {
    stands_ = false;
    slow_since_.reset();
  }

  bool stands() const { return stands_; }

 private:
  static constexpr std::chrono::seconds kSecond{1};
  static constexpr int kLongestBursts = 10;
  // The mean covers about this many of the latest durations.
  static constexpr int kMeanOf = 16;

  std::chrono::nanoseconds Patience() const {
    return std::max(options_.least_patience, 2 * mean_duration_);
  }

  // Even under a low load items arrive at the same time, and as fewer are worked on at once while
  // the queue stands, one in seven is late. Under overload nearly all are.
  void NoteLeave(TimePoint now, bool is_late) {
    if (now - second_began_ >= kSecond) {
      const bool was_busy = now - second_began_ < 2 * kSecond;
      if (!was_busy || 4 * late_count_ <= leave_count_) stands_ = false;
      second_began_ = now;
      leave_count_ = late_count_ = 0;
    }
    ++leave_count_;
    late_count_ += is_late ? 1 : 0;
  }

  const StandingQueueOptions options_;
  std::chrono::nanoseconds mean_duration_{};
  bool stands_ = false;
  std::optional<TimePoint> slow_since_;  // when items stopped leaving quickly
  // Counts within the second that began then.
  TimePoint second_began_{};
  int leave_count_ = 0;
  int late_count_ = 0;
};

}  // namespace lockstep
