#include "rules/group_evaluator.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iterator>
#include <utility>

#include "absl/hash/hash.h"
#include "absl/strings/str_format.h"
#include "base/clock.h"
#include "base/log.h"
#include "model/matcher.h"
#include "storage/storage.h"

namespace lockstep::rules {
namespace {

using Clock = std::chrono::steady_clock;

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

const std::string kTenantLabelName = "tenant";

// Renames a tenant label in the data to "exported_tenant", so that no tenant can pose as another.
LabelSet WithTenantNamed(const LabelSet& labels, std::string_view tenant) {
  LabelSetBuilder named(labels);
  if (const std::string own(labels.Get(kTenantLabelName)); !own.empty()) {
    std::string name = "exported_" + kTenantLabelName;
    while (!labels.Get(name).empty()) name.insert(0, "exported_");
    named.Set(name, own);
  }
  return named.Set(kTenantLabelName, tenant).Build();
}

engine::VectorElement StaleMarker(LabelSet labels, int64_t timestamp_ms) {
  return {std::move(labels), timestamp_ms, StaleNan(), nullptr};
}

// Whether state carries over from one rule to the other after a reload.
bool IsSameRule(const Rule& a, const Rule& b) {
  return a.kind == b.kind && a.name == b.name && a.labels == b.labels;
}

// The seed of the rule at `index`; equal for rules for which IsSameRule() holds.
uint64_t RuleSeedOf(const RuleGroup& group, size_t index) {
  const Rule& rule = group.rules[index];
  const auto end = group.rules.begin() + static_cast<ptrdiff_t>(index);
  const auto earlier = std::count_if(group.rules.begin(), end,
                                     [&](const Rule& other) { return IsSameRule(other, rule); });
  return absl::HashOf(group.file, group.name, rule.name, rule.labels, earlier);
}

// When a currently active alert became active, from the last sample written before the gap.
int64_t RestoredActiveAt(const Sample& last, const Rule& rule, const AlertTiming& timing,
                         int64_t now_ms) {
  const int64_t down_at_ms = last.timestamp_ms;
  const int64_t active_at_ms = static_cast<int64_t>(last.value) * 1000;
  const int64_t hold_ms = rule.hold_duration.count();
  const int64_t remaining_ms = hold_ms - (down_at_ms - active_at_ms);
  if (remaining_ms <= 0) return active_at_ms;  // it was already firing
  if (remaining_ms < timing.for_grace_period.count()) {
    return now_ms + timing.for_grace_period.count() - hold_ms;
  }
  return active_at_ms + (now_ms - down_at_ms);
}

}  // namespace

GroupEvaluator::GroupEvaluator(std::shared_ptr<const RuleGroup> group, const RuleContext& context,
                               bool is_restored)
    : group_(std::move(group)),
      context_(context),
      is_restored_(is_restored),
      states_(group_->rules.size()) {
  status_.group = group_;
  status_.rules.resize(group_->rules.size());
  for (size_t i = 0; i < states_.size(); ++i) states_[i].seed = RuleSeedOf(*group_, i);
}

void GroupEvaluator::Evaluate(int64_t time_ms) {
  const Clock::time_point start = Clock::now();
  const int64_t start_ms = SystemTimeMs();
  {
    const MutexLock lock(mutex_);
    status_.samples = 0;
  }
  for (size_t i = 0; i < group_->rules.size(); ++i) EvaluateRule(i, time_ms);
  if (!orphans_.empty()) {
    engine::VectorResult markers;
    for (LabelSet& labels : std::exchange(orphans_, {})) {
      markers.push_back(StaleMarker(std::move(labels), time_ms - group_->query_offset.count()));
    }
    const absl::Status status = context_.write(markers);
    if (!status.ok()) Log(LogLevel::kWarn, "cannot write stale markers", {{"error", status}});
  }
  const MutexLock lock(mutex_);
  status_.evaluation_seconds = SecondsSince(start);
  status_.last_evaluation_ms = start_ms;
}

void GroupEvaluator::EvaluateRule(size_t index, int64_t time_ms) {
  const Clock::time_point start = Clock::now();
  const int64_t start_ms = SystemTimeMs();
  absl::StatusOr<engine::VectorResult> samples = Samples(index, time_ms);
  absl::Status status = samples.status();
  const size_t sample_count = samples.ok() ? samples->size() : 0;
  if (samples.ok()) {
    if (group_->rules[index].kind == RuleKind::kAlerting) Tell(index, time_ms);
    status = Store(index, *std::move(samples), time_ms - group_->query_offset.count());
  } else {
    Log(LogLevel::kWarn, "cannot evaluate a rule",
        {{"group", group_->name}, {"rule", group_->rules[index].name}, {"error", Message(status)}});
  }
  const MutexLock lock(mutex_);
  RuleStatus& rule = status_.rules[index];
  rule.health = status.ok() ? RuleHealth::kGood : RuleHealth::kBad;
  rule.last_error = Message(status);
  rule.evaluation_seconds = SecondsSince(start);
  rule.last_evaluation_ms = start_ms;
  ++status_.evaluations;
  status_.failures += status.ok() ? 0 : 1;
  status_.samples += sample_count;
}

absl::StatusOr<engine::VectorResult> GroupEvaluator::Samples(size_t index, int64_t time_ms) {
  const Rule& rule = group_->rules[index];
  LOCKSTEP_ASSIGN_OR_RETURN(
      engine::VectorResult elements,
      context_.query(rule.expression, time_ms - group_->query_offset.count()));
  if (rule.kind == RuleKind::kAlerting) return AlertSamples(index, elements, time_ms);
  return RecordedSeries(rule, std::move(elements), group_->limit);
}

absl::StatusOr<engine::VectorResult> GroupEvaluator::AlertSamples(
    size_t index, const engine::VectorResult& elements, int64_t time_ms) {
  const Rule& rule = group_->rules[index];
  LOCKSTEP_ASSIGN_OR_RETURN(std::vector<Alert> found,
                            FindAlerts(rule, elements, time_ms, context_));
  const MutexLock lock(mutex_);
  ActiveAlerts& alerts = states_[index].alerts;
  LOCKSTEP_RETURN_IF_ERROR(alerts.Update(rule, std::move(found), time_ms, group_->limit));
  if (!is_restored_) return engine::VectorResult();
  return alerts.Samples(time_ms - group_->query_offset.count());
}

void GroupEvaluator::Tell(size_t index, int64_t time_ms) {
  if (!context_.tell) return;
  const MutexLock telling(telling_);
  std::vector<Alert> unsent;
  {
    const MutexLock lock(mutex_);
    const int64_t now_ms = context_.now_ms ? std::max(context_.now_ms(), time_ms) : time_ms;
    unsent = states_[index].alerts.TakeUnsent(time_ms, now_ms, context_.timing.resend_delay,
                                              group_->interval);
  }
  HandOver(index, std::move(unsent));
}

void GroupEvaluator::HandOver(size_t index, std::vector<Alert> alerts) {
  if (alerts.empty()) return;
  const Rule& rule = group_->rules[index];
  const bool names_tenant = !group_->tenant.empty() && !rule.labels.contains(kTenantLabelName);
  for (Alert& alert : alerts) {
    alert.source = absl::HashOf(states_[index].seed, alert.labels);
    if (names_tenant) alert.labels = WithTenantNamed(alert.labels, group_->tenant);
  }
  context_.tell(rule, std::move(alerts));
}

void GroupEvaluator::TellOfExpiring(int64_t now_ms) {
  if (!context_.tell) return;
  const MutexLock telling(telling_);
  for (size_t i = 0; i < group_->rules.size(); ++i) {
    std::vector<Alert> expiring;
    {
      const MutexLock lock(mutex_);
      if (status_.rules[i].health == RuleHealth::kBad) continue;
      expiring =
          states_[i].alerts.TakeExpiring(now_ms, context_.timing.resend_delay, group_->interval);
    }
    HandOver(i, std::move(expiring));
  }
}

absl::Status GroupEvaluator::Store(size_t index, engine::VectorResult samples,
                                   int64_t timestamp_ms) {
  std::vector<LabelSet> series;
  for (const engine::VectorElement& sample : samples) series.push_back(sample.labels);
  std::sort(series.begin(), series.end());
  std::vector<LabelSet> gone;
  std::ranges::set_difference(states_[index].series, series, std::back_inserter(gone));
  for (LabelSet& labels : gone) {
    samples.push_back(StaleMarker(std::move(labels), timestamp_ms));
  }
  if (samples.empty()) return absl::OkStatus();
  LOCKSTEP_RETURN_IF_ERROR(context_.write(samples));
  const MutexLock lock(mutex_);
  states_[index].series = std::move(series);
  return absl::OkStatus();
}

void GroupEvaluator::Restore(int64_t now_ms) {
  is_restored_ = true;
  if (context_.storage == nullptr) return;
  for (size_t i = 0; i < group_->rules.size(); ++i) {
    const Rule& rule = group_->rules[i];
    // With a shorter `for`, a new alert fires sooner than a restored one may.
    if (rule.kind != RuleKind::kAlerting || rule.hold_duration < context_.timing.for_grace_period) {
      continue;
    }
    RestoreRule(i, now_ms);
  }
}

void GroupEvaluator::RestoreRule(size_t index, int64_t now_ms) {
  absl::StatusOr<std::unique_ptr<Querier>> querier = context_.storage->NewQuerier();
  const absl::Status status =
      querier.ok() ? RestoreFrom(**querier, index, now_ms) : querier.status();
  if (status.ok()) return;
  Log(LogLevel::kError, "cannot restore the alerts of a rule",
      {{"rule", group_->rules[index].name}, {"error", Message(status)}});
}

absl::Status GroupEvaluator::RestoreFrom(Querier& querier, size_t index, int64_t now_ms) {
  const Rule& rule = group_->rules[index];
  const std::vector<Matcher> matchers = {
      Matcher::Equal(std::string(kMetricName), std::string(kForStateMetric)),
      Matcher::Equal(std::string(kAlertName), rule.name)};
  Selection selection;
  selection.matchers = matchers;
  selection.range = {now_ms - context_.timing.outage_tolerance.count(), now_ms};
  LOCKSTEP_ASSIGN_OR_RETURN(const std::unique_ptr<SeriesSet> found, querier.Select(selection));
  SampleColumns columns;
  while (found->Next()) {
    columns.Clear();
    LOCKSTEP_RETURN_IF_ERROR(found->Read(columns));
    if (columns.values.empty() || !std::isfinite(columns.values.back())) continue;
    const Sample last{columns.timestamps_ms.back(), columns.values.back()};
    const MutexLock lock(mutex_);
    states_[index].alerts.SetActiveAt(found->labels().DropMetricName(),
                                      RestoredActiveAt(last, rule, context_.timing, now_ms));
  }
  return found->status();
}

void GroupEvaluator::TakeOver(GroupEvaluator& from) {
  std::vector<bool> taken(from.states_.size(), false);
  const MutexLock lock(mutex_);
  for (size_t i = 0; i < states_.size(); ++i) {
    for (size_t j = 0; j < from.states_.size(); ++j) {
      if (taken[j] || !IsSameRule(group_->rules[i], from.group_->rules[j])) continue;
      taken[j] = true;
      states_[i] = std::move(from.states_[j]);
      break;
    }
  }
  orphans_ = std::move(from.orphans_);
  for (size_t j = 0; j < taken.size(); ++j) {
    if (taken[j]) continue;
    std::move(from.states_[j].series.begin(), from.states_[j].series.end(),
              std::back_inserter(orphans_));
  }
  is_restored_ = from.is_restored_;
}

void GroupEvaluator::Retire(int64_t time_ms) {
  engine::VectorResult markers;
  for (LabelSet& labels : orphans_) markers.push_back(StaleMarker(std::move(labels), time_ms));
  for (RuleState& state : states_) {
    for (const LabelSet& labels : state.series) markers.push_back(StaleMarker(labels, time_ms));
  }
  if (markers.empty()) return;
  const absl::Status status = context_.write(markers);
  if (!status.ok()) {
    Log(LogLevel::kWarn, "cannot write stale markers for a rule group",
        {{"group", group_->name}, {"error", Message(status)}});
  }
}

GroupStatus GroupEvaluator::status() const {
  const MutexLock lock(mutex_);
  GroupStatus status = status_;
  for (size_t i = 0; i < states_.size(); ++i) {
    for (const auto& [labels, alert] : states_[i].alerts.all()) {
      if (alert.resolved_at_ms == 0) status.rules[i].alerts.push_back(alert);
    }
  }
  return status;
}

}  // namespace lockstep::rules
