// StepSpacing: times of one rank's steps, as a log has them, a millisecond apart where they are the same.
//
// Stored times are milliseconds, and many logs write seconds: without this, steps of one time would overwrite one another.
// A step that is another than the one before, and not earlier than that in the log, gets a later time; records of
// one step keep together. A log whose times go back is taken at its word. For one thread.
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
    const bool goes_back = !last_step_.has_value() || logged_ms < last_logged_ms_;
    const bool has_room = last_ms_ < std::numeric_limits<int64_t>::max();
    const int64_t earliest_ms = is_same_step || !has_room ? last_ms_ : last_ms_ + 1;
    last_ms_ = goes_back ? logged_ms : std::max(logged_ms, earliest_ms);
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
  std::optional<int64_t> last_step_;
  int64_t last_logged_ms_ = 0;  // of that step, as are all
  int64_t last_ms_ = 0;
};

}  // namespace lockstep::push
