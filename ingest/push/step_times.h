// The times of records of a training log, so that each step has its own.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "base/coding.h"
#include "ingest/logs/record/log_record.h"
#include "ingest/logs/record/state_coding.h"

namespace lockstep::push {

// Assigns times to records without one: the time of arrival, a millisecond apart for different
// steps.
//
// Consecutive records of one step share a time, so that they can be joined, and no two steps have
// the same time. Times never go back. They depend on when bytes arrived, not on how they were
// sliced.
class StepClock {
 public:
  // The arrival time of the next bytes.
  void set_arrival_ms(int64_t arrival_ms) { arrival_ms_ = arrival_ms; }

  // The record's own time if it has one.
  int64_t TimeOf(const logs::LogRecord& record);

  // On disk: docs/formats/kept.md.
  void AppendState(std::string& out) const;
  [[nodiscard]] bool LoadState(std::string_view& in);

 private:
  int64_t arrival_ms_ = 0;
  int64_t last_ms_ = std::numeric_limits<int64_t>::min();  // last time assigned
  uint32_t last_attempt_ = 0;
  std::optional<int64_t> last_step_;
};

// Spreads the logged times of one rank's steps a millisecond apart where they are equal.
//
// Stored times are milliseconds, but many logs write seconds: without this, steps with the same
// time would overwrite each other. A new step gets a later time; records of one step share theirs.
// If the log's times go back a little, the clock was adjusted, and steps continue from the last
// time so that they do not take the times of earlier ones. A log whose times go back further is
// trusted: the store counts what that overwrites. For one thread.
class StepSpacing {
 public:
  // The time of a record of `step` that is logged at `logged_ms`.
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
  // The largest clock adjustment to expect while a job runs: NTP steps clocks by 128 ms or more,
  // usually less than a few seconds. An hour means a change of local time.
  static constexpr uint64_t kSetRightMs = 10'000;

  // Precondition: `from_ms` <= `to_ms`. Never overflows.
  static uint64_t LengthOf(int64_t from_ms, int64_t to_ms) {
    return static_cast<uint64_t>(to_ms) - static_cast<uint64_t>(from_ms);
  }

  std::optional<int64_t> last_step_;
  int64_t last_logged_ms_ = 0;  // logged time of that step
  int64_t last_ms_ = 0;
};

}  // namespace lockstep::push
