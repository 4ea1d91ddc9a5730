#include "cli/retention_settings.h"

#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

#include "absl/strings/str_format.h"
#include "query/promql/parser.h"

namespace lockstep::cli {
namespace {

constexpr std::string_view kPrefix = "storage.retention.rules[";

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

bool RetentionSettings::IsOne(const GivenValue& value) { return value.name.starts_with(kPrefix); }

absl::Status RetentionSettings::Add(const GivenValue& value) {
  const std::string_view rest = std::string_view(value.name).substr(kPrefix.size());
  size_t index = 0;
  const char* const end = rest.data() + rest.size();
  const auto [at, error] = std::from_chars(rest.data(), end, index);
  const std::string_view key(at, static_cast<size_t>(end - at));
  if (error == std::errc() && key == "]") {
    return absl::InvalidArgumentError(
        absl::StrFormat("%s: \"%s\" needs job, metric and keep", value.origin, value.name));
  }
  // The file counts them; a flag cannot be called so.
  if (error != std::errc() || !key.starts_with("].") || index > rules_.size()) {
    return absl::InvalidArgumentError(
        absl::StrFormat("%s: unknown key \"%s\"", value.origin, value.name));
  }
  if (index == kMaxRetentionRules) {
    return absl::InvalidArgumentError(
        absl::StrFormat("%s: storage.retention.rules: at most %d rules can be given", value.origin,
                        kMaxRetentionRules));
  }
  if (index == rules_.size()) {
    rules_.emplace_back();
    origins_.push_back({value.origin, ""});
  }
  return Set(value, std::string(key.substr(2)), index);
}

absl::Status RetentionSettings::Set(const GivenValue& value, const std::string& key, size_t index) {
  const std::string where = absl::StrFormat("%s: %s", value.origin, value.name);
  RetentionRule& rule = rules_[index];
  if (key == "job") return Annotate(SetPattern(rule.job, "job", value.text), where);
  if (key == "metric") {
    return Annotate(SetPattern(rule.metric, std::string(kMetricName), value.text), where);
  }
  if (key != "keep") {
    return absl::InvalidArgumentError(absl::StrFormat(
        "%s: unknown key \"%s\"; a rule has job, metric and keep", value.origin, value.name));
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
