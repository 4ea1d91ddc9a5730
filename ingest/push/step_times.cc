#include "ingest/push/step_times.h"

#include <algorithm>
#include <limits>

#include "ingest/logs/record/state_coding.h"

namespace lockstep::push {
namespace {

// The latest time in a kept state, which leaves room to count on.
constexpr int64_t kLatestMs = std::numeric_limits<int64_t>::max() / 2;

}  // namespace

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

void StepClock::AppendState(std::string& out) const {
  PutVarintSigned64(out, last_ms_);
  PutVarint64(out, last_attempt_);
  logs::PutOptional(out, last_step_);
}

bool StepClock::LoadState(std::string_view& in) {
  return GetVarintSigned64(in, last_ms_) && last_ms_ <= kLatestMs &&
         logs::GetBelow(in, uint64_t{1} << 32, last_attempt_) && logs::GetOptional(in, last_step_);
}

}  // namespace lockstep::push
