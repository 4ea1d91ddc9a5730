// Alert: one element of the result of an alerting rule's expression, with its state.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "model/labels.h"

namespace lockstep::rules {

enum class AlertState { kInactive, kPending, kFiring };

// "inactive", "pending", "firing"
constexpr std::string_view Name(AlertState state) {
  return state == AlertState::kFiring    ? "firing"
         : state == AlertState::kPending ? "pending"
                                         : "inactive";
}

// Times are Unix milliseconds; 0 means never.
struct Alert {
  AlertState state = AlertState::kPending;
  LabelSet labels;  // including the rule's labels and alertname
  std::map<std::string, std::string> annotations;
  double value = 0;
  int64_t active_at_ms = 0;
  int64_t fired_at_ms = 0;
  int64_t resolved_at_ms = 0;
  int64_t keep_firing_since_ms = 0;  // fires only because of keep_firing_for since then
  int64_t last_sent_at_ms = 0;
  int64_t valid_until_ms = 0;  // receivers consider it resolved after this time
  // The same for all notifications of this alert, and different from alerts of other rules with the
  // same labels; set when it is sent.
  uint64_t source = 0;
};

}  // namespace lockstep::rules
