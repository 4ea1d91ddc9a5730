// ActiveAlerts: the alerts of one rule across evaluations: pending, firing, kept firing, resolved.
// No side effects beyond its own state; not thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "query/engine/values/value.h"
#include "rules/alerts/alert.h"
#include "rules/config/rule_group.h"

namespace lockstep::rules {

inline constexpr std::string_view kAlertName = "alertname";
inline constexpr std::string_view kAlertsMetric = "ALERTS";
inline constexpr std::string_view kForStateMetric = "ALERTS_FOR_STATE";

class ActiveAlerts {
 public:
  // `found` holds the elements that the expression returns at `time_ms`, with unique label sets.
  // Returns kResourceExhausted and forgets all alerts if there are more than `limit` (0: no limit).
  absl::Status Update(const Rule& rule, std::vector<Alert> found, int64_t time_ms, uint64_t limit);

  // ALERTS and ALERTS_FOR_STATE of pending and firing alerts.
  std::vector<engine::VectorElement> Samples(int64_t timestamp_ms) const;

  // Returns the alerts to send after the evaluation at `time_ms` and marks them as sent. Firing
  // alerts are resent every `resend_delay`, and so are resolved ones for as long as they are kept.
  // Validity counts from `now_ms`, which is later than `time_ms` if the evaluation takes long.
  std::vector<Alert> TakeUnsent(int64_t time_ms, int64_t now_ms, milliseconds resend_delay,
                                milliseconds interval);

  // Like TakeUnsent(), but returns firing alerts that receivers would soon consider resolved
  // because the next evaluation is late.
  std::vector<Alert> TakeExpiring(int64_t now_ms, milliseconds resend_delay, milliseconds interval);

  // Sets when the alert with these labels became active, not counting the gap. It must be pending.
  void SetActiveAt(const LabelSet& labels, int64_t active_at_ms);

  // All alerts by labels, including resolved ones.
  const std::map<LabelSet, Alert>& all() const { return alerts_; }

 private:
  // Whether an alert that the expression no longer returns keeps firing.
  static bool KeepsFiring(const Rule& rule, Alert& alert, int64_t time_ms);

  std::map<LabelSet, Alert> alerts_;
};

}  // namespace lockstep::rules
