#include "ingest/push/step_clock.h"

#include <algorithm>

namespace lockstep::push {

int64_t StepClock::TimeOf(const logs::LogRecord& record) {
  if (record.time_ms.has_value()) return *record.time_ms;
  const bool has_begun = last_ms_ != std::numeric_limits<int64_t>::min();
  const bool is_same_step =
      record.step.has_value() && record.step == last_step_ && record.attempt == last_attempt_;
  const bool is_event = record.kind == logs::RecordKind::kEvent;
  if (has_begun && (is_same_step || record.is_continuation || is_event)) return last_ms_;
  last_ms_ = has_begun ? std::max(arrival_ms_, last_ms_ + 1) : arrival_ms_;
  last_step_ = record.step;
  last_attempt_ = record.attempt;
  return last_ms_;
}

}  // namespace lockstep::push
