#include "cli/retention_settings.h"

#include <optional>
#include <string_view>
#include <utility>

#include "absl/strings/str_format.h"
#include "cli/list_setting.h"
#include "query/promql/parser.h"

namespace lockstep::cli {
namespace {

constexpr ListForm kForm = {.name = "storage.retention.rules",
                            .needs = "needs keep, and may have tenant, job and metric",
                            .items = "rules",
                            .max_count = kMaxRetentionRules};

absl::Status SetPattern(std::optional<Matcher>& pattern, std::string label,
                        const std::string& text) {
  LOCKSTEP_ASSIGN_OR_RETURN(pattern, Matcher::Make(MatchType::kRegex, std::move(label), text));
  return absl::OkStatus();
}

absl::Status SetKeep(int64_t& keep_ms, const std::string& text) {
  const absl::StatusOr<int64_t> duration_ms = promql::ParseDurationMs(text);
  if (!duration_ms.ok() || *duration_ms <= 0) {
    return absl::InvalidArgumentError(
        absl::StrFormat("\"%s\" is not a duration like 30s, 5m, 12h or 15d", text));
  }
  keep_ms = *duration_ms;
  return absl::OkStatus();
}

}  // namespace

bool RetentionSettings::IsOne(const GivenValue& value) { return IsListed(value, kForm); }

absl::Status RetentionSettings::Add(const GivenValue& value) {
  LOCKSTEP_ASSIGN_OR_RETURN(const ListedValue listed, ParseListed(value, kForm, rules_.size()));
  if (listed.index == rules_.size()) {
    rules_.emplace_back();
    origins_.push_back({value.origin, ""});
  }
  return Set(value, listed.key, listed.index);
}

absl::Status RetentionSettings::Set(const GivenValue& value, const std::string& key, size_t index) {
  const std::string where = absl::StrFormat("%s: %s", value.origin, value.name);
  RetentionRule& rule = rules_[index];
  if (key == "tenant") return Annotate(SetPattern(rule.tenant, "tenant", value.text), where);
  if (key == "job") return Annotate(SetPattern(rule.job, "job", value.text), where);
  if (key == "metric") {
    return Annotate(SetPattern(rule.metric, std::string(kMetricName), value.text), where);
  }
  if (key != "keep") {
    return absl::InvalidArgumentError(
        absl::StrFormat("%s: unknown key \"%s\"; a rule has tenant, job, metric and keep",
                        value.origin, value.name));
  }
  origins_[index].keep = where;
  return Annotate(SetKeep(rule.keep_ms, value.text), where);
}

absl::StatusOr<std::vector<RetentionRule>> RetentionSettings::Finish(int64_t retention_ms) {
  for (size_t i = 0; i < rules_.size(); ++i) {
    if (origins_[i].keep.empty()) {
      return absl::InvalidArgumentError(absl::StrFormat(
          "%s: storage.retention.rules[%d] needs \"keep\", how long it keeps samples",
          origins_[i].first, i));
    }
    if (rules_[i].keep_ms > retention_ms) {
      return absl::InvalidArgumentError(absl::StrFormat(
          "%s is longer than storage.retention.time, which is for all", origins_[i].keep));
    }
  }
  return std::move(rules_);
}

}  // namespace lockstep::cli
