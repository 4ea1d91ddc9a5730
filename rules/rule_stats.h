// Statistics of rules since the process started. A snapshot; fields are not read atomically.
#pragma once

#include <cstdint>

namespace lockstep::rules {

struct RuleStats {
  uint64_t groups = 0;
  uint64_t rules = 0;
  uint64_t firing_alerts = 0;
  uint64_t pending_alerts = 0;
  uint64_t group_evaluations = 0;
  uint64_t missed_iterations = 0;  // of groups, because evaluations took too long
  uint64_t rule_evaluations = 0;
  uint64_t failed_rule_evaluations = 0;
  double evaluation_seconds = 0;
  uint64_t alertmanagers = 0;
  uint64_t sent_alerts = 0;  // counted once per receiver
  uint64_t dropped_alerts = 0;
  uint64_t failed_notifications = 0;  // requests
  uint64_t remediation_actions = 0;   // including dry runs
  uint64_t remediation_failures = 0;
  uint64_t remediation_refusals = 0;  // because of limits
};

}  // namespace lockstep::rules
