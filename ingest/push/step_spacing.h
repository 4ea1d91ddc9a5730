// StepSpacing: times of one rank's steps, as a log has them, a millisecond apart where they are the
// same.
//
// Stored times are milliseconds, and many logs write seconds: without this, steps of one time would
// overwrite one another. A step that is another than the one before gets a later time; records of
// one step keep together. Where the log's times go back by a little, a clock was set right, and the
// steps go on where they were, lest they take the times of those before. A log whose times go back
// by more is taken at its word: what that overwrites, the store counts. For one thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "base/coding.h"
#include "ingest/logs/state_coding.h"

namespace lockstep::push {

class StepSpacing {
 public:
  // Where a record of `step` belongs that the log has at `logged_ms`.
  int64_t TimeOf(int64_t step, int64_t logged_ms) {
    const bool is_same_step = last_step_ == step;
    const bool goes_back = last_step_.has_value() && logged_ms < last_logged_ms_;
    const bool is_set_right =
        goes_back && !is_same_step && LengthOf(logged_ms, last_ms_) <= kSetRightMs;
    const bool has_room = last_ms_ < std::numeric_limits<int64_t>::max();
    const int64_t earliest_ms = is_same_step || !has_room ? last_ms_ : last_ms_ + 1;
    const bool is_at_its_word = !last_step_.has_value() || (goes_back && !is_set_right);
    last_ms_ = is_at_its_word ? logged_ms : std::max(logged_ms, earliest_ms);
    last_logged_ms_ = logged_ms;
    last_step_ = step;
    return last_ms_;
  }

  // On disk: docs/formats/kept.md.
  void AppendState(std::string& out) const {
    logs::PutOptional(out, last_step_);
    PutVarintSigned64(out, last_logged_ms_);
    PutVarintSigned64(out, last_ms_);
  }
  [[nodiscard]] bool LoadState(std::string_view& in) {
    return logs::GetOptional(in, last_step_) && GetVarintSigned64(in, last_logged_ms_) &&
           GetVarintSigned64(in, last_ms_);
  }

 private:
  // What a clock is set back by in one go while a job runs: NTP steps it from 128 ms on, as a rule
  // by less than a few seconds. An hour is a change of local time.
  static constexpr uint64_t kSetRightMs = 10'000;

  // Precondition: `from_ms` is not behind `to_ms`. Whatever they are, it has room.
  static uint64_t LengthOf(int64_t from_ms, int64_t to_ms) {
    return static_cast<uint64_t>(to_ms) - static_cast<uint64_t>(from_ms);
  }

  std::optional<int64_t> last_step_;
  int64_t last_logged_ms_ = 0;  // of that step, as are all
  int64_t last_ms_ = 0;
};

}  // namespace lockstep::push
