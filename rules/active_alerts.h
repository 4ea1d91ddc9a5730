// ActiveAlerts: the alerts of one rule from evaluation to evaluation: pending, firing, kept firing, resolved.
// Pure but for its state; not thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "query/engine/value.h"
#include "rules/alert.h"
#include "rules/config/rule_group.h"

namespace lockstep::rules {

inline constexpr std::string_view kAlertName = "alertname";
inline constexpr std::string_view kAlertsMetric = "ALERTS";
inline constexpr std::string_view kForStateMetric = "ALERTS_FOR_STATE";

class ActiveAlerts {
 public:
  // `found` is what is active at `time_ms` by the expression, each label set once. kResourceExhausted if
  // these are more than `limit` (0: none); then all are forgotten.
  absl::Status Update(const Rule& rule, std::vector<Alert> found, int64_t time_ms, uint64_t limit);

  // ALERTS and ALERTS_FOR_STATE of what is pending or firing.
  std::vector<engine::VectorElement> Samples(int64_t timestamp_ms) const;

  // Those of which receivers have to hear by the evaluation at `time_ms`; they count as told. Firing ones are told again
  // every `resend_delay`, and resolved ones for as long as they are remembered. What is told is valid from `now_ms` on,
  // which is later than `time_ms` where evaluating takes long.
  std::vector<Alert> TakeUnsent(int64_t time_ms, int64_t now_ms, milliseconds resend_delay,
                                milliseconds interval);

  // Firing ones that receivers would soon take for resolved, as the next evaluation is late; told as by TakeUnsent().
  std::vector<Alert> TakeExpiring(int64_t now_ms, milliseconds resend_delay, milliseconds interval);

  // When the alert with these labels would have become active, had there been no gap. It has to be pending.
  void SetActiveAt(const LabelSet& labels, int64_t active_at_ms);

  // Resolved ones included, by labels.
  const std::map<LabelSet, Alert>& all() const { return alerts_; }

 private:
  // Of an alert that the expression does not give any more; whether it goes on firing.
  static bool KeepsFiring(const Rule& rule, Alert& alert, int64_t time_ms);

  std::map<LabelSet, Alert> alerts_;
};

}  // namespace lockstep::rules
