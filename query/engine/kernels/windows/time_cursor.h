// TimeCursor: how many samples there are up to a time that only moves forward.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

namespace lockstep::engine {

// Borrows the times, which ascend.
class TimeCursor {
 public:
  explicit TimeCursor(std::span<const int64_t> timestamps_ms) : timestamps_ms_(timestamps_ms) {}

  // The number of samples at or before `time_ms`, which does not go back. Looks first where it is
  // if there are as many new samples as at the last call.
  size_t CountUpTo(int64_t time_ms) {
    const size_t before = count_;
    count_ = std::min(count_ + advance_, timestamps_ms_.size());
    while (count_ > before && timestamps_ms_[count_ - 1] > time_ms) --count_;
    while (count_ < timestamps_ms_.size() && timestamps_ms_[count_] <= time_ms) ++count_;
    advance_ = count_ - before;
    return count_;
  }

 private:
  const std::span<const int64_t> timestamps_ms_;
  size_t count_ = 0;
  size_t advance_ = 0;
};

}  // namespace lockstep::engine
