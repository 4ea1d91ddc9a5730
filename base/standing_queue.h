// StandingQueue: tells a queue that drains, as after a burst, from one that stands and only makes
// everybody wait, and says whom to refuse then. After Controlled Delay (RFC 8289), with a target that
// follows the time that the work takes. Not thread-safe.
#pragma once

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

namespace lockstep {

struct StandingQueueOptions {
  // A queue stands when nothing has left it quickly for so long, and until all do for a second.
  std::chrono::nanoseconds stands_after = std::chrono::seconds(5);
  // When it stands, items may wait this long, or twice as long as work takes, if that is more. Half of
  // that is quick.
  std::chrono::nanoseconds least_patience = std::chrono::milliseconds(10);
};

class StandingQueue {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  explicit StandingQueue(const StandingQueueOptions& options) : options_(options) {}

  // For each item that leaves the queue to be worked on: is it to be refused instead?
  bool Leaves(TimePoint now, std::chrono::nanoseconds waited) {
    const TimePoint last = std::exchange(last_leave_, now);
    if (waited < Patience() / 2) {
      slow_since_.reset();
      // Since the one before, for nothing was waiting.
      if (!quick_since_.has_value()) quick_since_ = last;
      if (now - *quick_since_ >= kDrainedAfter) stands_ = false;
      return false;
    }
    quick_since_.reset();
    if (!slow_since_.has_value()) slow_since_ = now;
    if (now - *slow_since_ >= options_.stands_after) stands_ = true;
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
  static constexpr std::chrono::seconds kDrainedAfter{1};
  // The mean goes with about as many of the last durations.
  static constexpr int kMeanOf = 16;

  std::chrono::nanoseconds Patience() const {
    return std::max(options_.least_patience, 2 * mean_duration_);
  }

  const StandingQueueOptions options_;
  std::chrono::nanoseconds mean_duration_{};
  bool stands_ = false;
  TimePoint last_leave_{};
  // Since when all have left quickly, or none has.
  std::optional<TimePoint> quick_since_;
  std::optional<TimePoint> slow_since_;
};

}  // namespace lockstep
