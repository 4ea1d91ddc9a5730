// StandingQueue: tells a queue that drains, as after a burst, from one that stands and only makes
// everybody wait, and says whom to refuse then. After Controlled Delay (RFC 8289), with a target
// that follows the time that the work takes. Not thread-safe.
#pragma once

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

namespace lockstep {

struct StandingQueueOptions {
  // A queue stands when nothing has left it quickly for so long, and until nine of ten do for a
  // second. One that only works off a burst, so that what leaves it came before it was slow or soon
  // afterwards, has ten times as long.
  std::chrono::nanoseconds stands_after = std::chrono::seconds(1);
  // When it stands, items may wait this long, or twice as long as work takes, if that is more. Half
  // of that is quick.
  std::chrono::nanoseconds least_patience = std::chrono::milliseconds(10);
};

class StandingQueue {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  explicit StandingQueue(const StandingQueueOptions& options) : options_(options) {}

  // For each item that leaves the queue to be worked on: is it to be refused instead?
  bool Leaves(TimePoint now, std::chrono::nanoseconds waited) {
    const bool is_slow = waited >= Patience() / 2;
    NoteLeave(now, is_slow);
    if (!is_slow) {
      slow_since_.reset();
      return false;
    }
    if (!slow_since_.has_value()) slow_since_ = now;
    const std::chrono::nanoseconds slow_for = now - *slow_since_;
    const bool may_be_burst =
        slow_for < std::min(2 * waited, kLongestBursts * options_.stands_after);
    if (slow_for >= options_.stands_after && !may_be_burst) stands_ = true;
    return stands_ && waited > Patience();
  }

  // How long the work for an item took.
  void Took(std::chrono::nanoseconds duration) {
    mean_duration_ += (duration - mean_duration_) / kMeanOf;
  }

  // As if nothing had left slowly: others wait for something else than this work.
  void Reset() {
    stands_ = false;
    slow_since_.reset();
  }

  bool stands() const { return stands_; }

 private:
  static constexpr std::chrono::seconds kSecond{1};
  static constexpr int kQuickPerSlow = 10;
  static constexpr int kLongestBursts = 10;
  // The mean goes with about as many of the last durations.
  static constexpr int kMeanOf = 16;

  std::chrono::nanoseconds Patience() const {
    return std::max(options_.least_patience, 2 * mean_duration_);
  }

  // Even when little comes, some of it comes at the same time: a few slow ones keep no queue
  // standing.
  void NoteLeave(TimePoint now, bool is_slow) {
    if (now - second_began_ >= kSecond) {
      const bool was_busy = now - second_began_ < 2 * kSecond;
      if (!was_busy || slow_count_ * kQuickPerSlow <= leave_count_) stands_ = false;
      second_began_ = now;
      leave_count_ = slow_count_ = 0;
    }
    ++leave_count_;
    slow_count_ += is_slow ? 1 : 0;
  }

  const StandingQueueOptions options_;
  std::chrono::nanoseconds mean_duration_{};
  bool stands_ = false;
  std::optional<TimePoint> slow_since_;  // since when none has left quickly
  // In the second that began then.
  TimePoint second_began_{};
  int leave_count_ = 0;
  int slow_count_ = 0;
};

}  // namespace lockstep
