// Alert: one element of the answer to an alerting rule's expression, and what became of it.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "model/labels.h"

namespace lockstep::rules {

enum class AlertState { kInactive, kPending, kFiring };

// "inactive", "pending", "firing"
constexpr std::string_view Name(AlertState state) {
  return state == AlertState::kFiring    ? "firing"
         : state == AlertState::kPending ? "pending"
                                         : "inactive";
}

// Times are Unix milliseconds, 0: never.
struct Alert {
  AlertState state = AlertState::kPending;
  LabelSet labels;  // with those of the rule, and alertname
  std::map<std::string, std::string> annotations;
  double value = 0;
  int64_t active_at_ms = 0;
  int64_t fired_at_ms = 0;
  int64_t resolved_at_ms = 0;
  int64_t keep_firing_since_ms = 0;
  int64_t last_sent_at_ms = 0;
  int64_t valid_until_ms = 0;  // as the receivers are told
  // Tells it from alerts of other rules that have the same labels; set where it is told.
  uint64_t source = 0;
};

}  // namespace lockstep::rules
