#include "cli/settings/list_settings.h"

#include <charconv>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_format.h"
#include "query/promql/parser/parser.h"

namespace lockstep::cli {
namespace {

struct ListedValue {
  size_t index = 0;
  std::string key;
};

// The contents of a list.
struct ListForm {
  std::string_view name;   // "storage.retention.rules"
  std::string_view needs;  // the error for an item that is not a map: "needs keep"
  std::string_view items;  // "rules"
  size_t max_count = 0;
};

bool IsListed(const GivenValue& value, const ListForm& form) {
  return value.name.size() > form.name.size() && value.name.starts_with(form.name) &&
         value.name[form.name.size()] == '[';
}

// Expects values in the order of the file; `count` is the number of items so far. Errors begin with
// the value's origin. Precondition: IsListed().
absl::StatusOr<ListedValue> ParseListed(const GivenValue& value, const ListForm& form,
                                        size_t count) {
  const std::string_view rest = std::string_view(value.name).substr(form.name.size() + 1);
  size_t index = 0;
  const char* const end = rest.data() + rest.size();
  const auto [at, error] = std::from_chars(rest.data(), end, index);
  const std::string_view key(at, static_cast<size_t>(end - at));
  if (error == std::errc() && key == "]") {
    return absl::InvalidArgumentError(
        absl::StrFormat("%s: \"%s\" %s", value.origin, value.name, form.needs));
  }
  // The file reader assigns the indices; a flag cannot have such a name.
  if (error != std::errc() || !key.starts_with("].") || index > count) {
    return absl::InvalidArgumentError(
        absl::StrFormat("%s: unknown key \"%s\"", value.origin, value.name));
  }
  if (index == form.max_count) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "%s: %s: at most %d %s are allowed", value.origin, form.name, form.max_count, form.items));
  }
  return ListedValue{index, std::string(key.substr(2))};
}

constexpr ListForm kRetentionForm = {.name = "storage.retention.rules",
                                     .needs = "needs keep, and optionally tenant, job and metric",
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

constexpr ListForm kTenantForm = {.name = "tenants.limits",
                                  .needs = "needs tenant, max_series or max_samples_per_second",
                                  .items = "limits",
                                  .max_count = 100};

absl::Status SetCount(uint64_t& count, const std::string& text) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error == std::errc() && end == text.data() + text.size()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrFormat("\"%s\" is not a whole number", text));
}

absl::Status Set(tenants::TenantLimits& limits, const std::string& key, const std::string& text) {
  if (key == "max_series") return SetCount(limits.max_series, text);
  if (key == "max_samples_per_second") return SetCount(limits.max_samples_per_second, text);
  LOCKSTEP_ASSIGN_OR_RETURN(limits.tenant, Matcher::Make(MatchType::kRegex, "tenant", text));
  return absl::OkStatus();
}

}  // namespace

bool RetentionSettings::IsOne(const GivenValue& value) { return IsListed(value, kRetentionForm); }

absl::Status RetentionSettings::Add(const GivenValue& value) {
  LOCKSTEP_ASSIGN_OR_RETURN(const ListedValue listed,
                            ParseListed(value, kRetentionForm, rules_.size()));
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
          "%s: storage.retention.rules[%d] needs \"keep\", the time to keep samples",
          origins_[i].first, i));
    }
    if (rules_[i].keep_ms > retention_ms) {
      return absl::InvalidArgumentError(absl::StrFormat(
          "%s is longer than storage.retention.time, the limit for all samples", origins_[i].keep));
    }
  }
  return std::move(rules_);
}

bool TenantSettings::IsOne(const GivenValue& value) { return IsListed(value, kTenantForm); }

absl::Status TenantSettings::Add(const GivenValue& value) {
  LOCKSTEP_ASSIGN_OR_RETURN(const ListedValue listed,
                            ParseListed(value, kTenantForm, limits_.size()));
  const bool is_known = listed.key == "tenant" || listed.key == "max_series" ||
                        listed.key == "max_samples_per_second";
  if (!is_known) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "%s: unknown key \"%s\"; limits have tenant, max_series and max_samples_per_second",
        value.origin, value.name));
  }
  if (listed.index == limits_.size()) limits_.emplace_back();
  return Annotate(Set(limits_[listed.index], listed.key, value.text),
                  absl::StrFormat("%s: %s", value.origin, value.name));
}

}  // namespace lockstep::cli
