#include "storage/db/retention/retention_rules.h"

#include <algorithm>

#include "absl/strings/str_format.h"
#include "model/tenant.h"

namespace lockstep {

absl::StatusOr<RetentionRules> RetentionRules::Make(std::vector<RetentionRule> rules,
                                                    int64_t retention_ms) {
  if (rules.size() > kMaxRetentionRules) {
    return absl::InvalidArgumentError(
        absl::StrFormat("there are %d retention rules, and at most %d are allowed", rules.size(),
                        kMaxRetentionRules));
  }
  for (const RetentionRule& rule : rules) {
    if (rule.keep_ms > 0 && rule.keep_ms <= retention_ms) continue;
    return absl::InvalidArgumentError(
        absl::StrFormat("a retention rule keeps samples for %d ms; it must be above 0 and at most "
                        "the retention of %d ms",
                        rule.keep_ms, retention_ms));
  }
  RetentionRules made(retention_ms);
  made.rules_ = std::move(rules);
  return made;
}

int64_t RetentionRules::KeepMs(const LabelSet& labels) const {
  for (const RetentionRule& rule : rules_) {
    const bool fits =
        (!rule.tenant.has_value() || rule.tenant->Matches(IdOfTenant(TenantOf(labels)))) &&
        (!rule.job.has_value() || rule.job->Matches(labels.Get("job"))) &&
        (!rule.metric.has_value() || rule.metric->Matches(labels.metric_name()));
    if (fits) return rule.keep_ms;
  }
  return retention_ms_;
}

int64_t RetentionRules::ShortestKeepMs() const {
  int64_t shortest_ms = retention_ms_;
  for (const RetentionRule& rule : rules_) shortest_ms = std::min(shortest_ms, rule.keep_ms);
  return shortest_ms;
}

int64_t FamilyRetention::KeepMs(uint32_t family, absl::FunctionRef<LabelSet()> labels) {
  const auto [at, is_new] = keep_ms_.try_emplace(family);
  if (is_new) at->second = rules_.KeepMs(labels());
  return at->second;
}

}  // namespace lockstep
