#include "rules/alerts/active_alerts.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/str_format.h"

namespace lockstep::rules {
namespace {

// How long resolved alerts are kept and sent, for receivers that were unavailable.
constexpr milliseconds kResolvedRetention{15 * 60 * 1000};
// Receivers consider an alert resolved after this many missed resends.
constexpr int64_t kMissedTellings = 4;

engine::VectorElement SampleOf(LabelSetBuilder labels, std::string_view metric,
                               int64_t timestamp_ms, double value) {
  labels.Set(kMetricName, metric);
  return {labels.Build(), timestamp_ms, value, nullptr};
}

int64_t ValidForMs(milliseconds resend_delay, milliseconds interval) {
  return kMissedTellings * std::max(resend_delay, interval).count();
}

}  // namespace

bool ActiveAlerts::KeepsFiring(const Rule& rule, Alert& alert, int64_t time_ms) {
  if (alert.state != AlertState::kFiring || rule.keep_firing_for == milliseconds(0)) return false;
  if (alert.keep_firing_since_ms == 0) alert.keep_firing_since_ms = time_ms;
  return time_ms - alert.keep_firing_since_ms < rule.keep_firing_for.count();
}

absl::Status ActiveAlerts::Update(const Rule& rule, std::vector<Alert> found, int64_t time_ms,
                                  uint64_t limit) {
  std::set<LabelSet> active;
  for (Alert& alert : found) {
    active.insert(alert.labels);
    Alert& known = alerts_[alert.labels];
    if (!known.labels.empty() && known.state != AlertState::kInactive) {
      known.value = alert.value;
      known.annotations = std::move(alert.annotations);
    } else {
      alert.state = AlertState::kPending;
      alert.active_at_ms = time_ms;
      known = std::move(alert);
    }
  }
  uint64_t count = 0;
  for (auto at = alerts_.begin(); at != alerts_.end();) {
    Alert& alert = at->second;
    const bool is_active = active.contains(at->first);
    if (is_active) {
      alert.keep_firing_since_ms = 0;
    } else if (!KeepsFiring(rule, alert, time_ms)) {
      const bool is_over = alert.state == AlertState::kPending ||
                           (alert.resolved_at_ms != 0 &&
                            time_ms - alert.resolved_at_ms > kResolvedRetention.count());
      if (alert.state != AlertState::kInactive) {
        alert.state = AlertState::kInactive;
        alert.resolved_at_ms = time_ms;
      }
      at = is_over ? alerts_.erase(at) : std::next(at);
      continue;
    }
    ++count;
    if (alert.state == AlertState::kPending &&
        time_ms - alert.active_at_ms >= rule.hold_duration.count()) {
      alert.state = AlertState::kFiring;
      alert.fired_at_ms = time_ms;
    }
    ++at;
  }
  if (limit == 0 || count <= limit) return absl::OkStatus();
  alerts_.clear();
  return absl::ResourceExhaustedError(
      absl::StrFormat("exceeded limit of %d with %d alerts", limit, count));
}

std::vector<engine::VectorElement> ActiveAlerts::Samples(int64_t timestamp_ms) const {
  std::vector<engine::VectorElement> samples;
  for (const auto& [labels, alert] : alerts_) {
    if (alert.state == AlertState::kInactive) continue;
    LabelSetBuilder with_state(labels);
    with_state.Set("alertstate", Name(alert.state));
    samples.push_back(SampleOf(std::move(with_state), kAlertsMetric, timestamp_ms, 1));
    // Whole seconds, rounded down.
    const int64_t since = alert.active_at_ms / 1000 - (alert.active_at_ms % 1000 < 0 ? 1 : 0);
    samples.push_back(SampleOf(LabelSetBuilder(labels), kForStateMetric, timestamp_ms,
                               static_cast<double>(since)));
  }
  return samples;
}

std::vector<Alert> ActiveAlerts::TakeUnsent(int64_t time_ms, int64_t now_ms,
                                            milliseconds resend_delay, milliseconds interval) {
  std::vector<Alert> unsent;
  for (auto& [labels, alert] : alerts_) {
    if (alert.state == AlertState::kPending) continue;
    const bool is_news = alert.resolved_at_ms > alert.last_sent_at_ms;
    const bool is_due =
        alert.last_sent_at_ms == 0 || alert.last_sent_at_ms + resend_delay.count() < time_ms;
    if (!is_news && !is_due) continue;
    alert.last_sent_at_ms = time_ms;
    alert.valid_until_ms = now_ms + ValidForMs(resend_delay, interval);
    unsent.push_back(alert);
  }
  return unsent;
}

std::vector<Alert> ActiveAlerts::TakeExpiring(int64_t now_ms, milliseconds resend_delay,
                                              milliseconds interval) {
  const int64_t valid_for_ms = ValidForMs(resend_delay, interval);
  std::vector<Alert> expiring;
  for (auto& [labels, alert] : alerts_) {
    if (alert.state != AlertState::kFiring || alert.last_sent_at_ms == 0) continue;
    if (alert.valid_until_ms - now_ms > valid_for_ms / 2) continue;
    alert.valid_until_ms = now_ms + valid_for_ms;
    expiring.push_back(alert);
  }
  return expiring;
}

void ActiveAlerts::SetActiveAt(const LabelSet& labels, int64_t active_at_ms) {
  const auto found = alerts_.find(labels);
  if (found != alerts_.end()) found->second.active_at_ms = active_at_ms;
}

}  // namespace lockstep::rules
