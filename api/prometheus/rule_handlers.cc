#include "api/prometheus/rule_handlers.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "api/http/params.h"
#include "api/http/reply.h"
#include "api/prometheus/never.h"
#include "api/query/result_json.h"
#include "base/text/url.h"
#include "base/utc_text.h"

namespace lockstep::api {
namespace {

using rules::Alert;
using rules::AlertState;
using rules::GroupStatus;
using rules::Rule;
using rules::RuleHealth;
using rules::RuleKind;
using rules::RuleStatus;

std::vector<GroupStatus> GroupsOf(const Call& call, const rules::RuleRunner* runner) {
  std::vector<GroupStatus> groups;
  if (runner == nullptr) return groups;
  groups = runner->groups();
  std::erase_if(groups, [&](const GroupStatus& group) {
    return std::ranges::none_of(call.data->tenants(), [&](const auto& tenant) {
      return tenant->name == group.group->tenant;
    });
  });
  return groups;
}

std::string_view HealthName(RuleHealth health) {
  return health == RuleHealth::kGood ? "ok" : health == RuleHealth::kBad ? "err" : "unknown";
}

// Like Go's strconv.FormatFloat(value, 'e', -1, 64): the shortest digits with an exponent.
std::string ExponentText(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  std::string text;
  for (int digits = 0; digits <= 17; ++digits) {
    text = absl::StrFormat("%.*e", digits, value);
    if (std::strtod(text.c_str(), nullptr) == value) break;
  }
  return text;
}

void WriteRuleTexts(JsonWriter& json, std::string_view key, const rules::Texts& texts) {
  json.Key(key);
  json.BeginObject();
  for (const auto& [name, text] : texts) {
    json.LabelKey(name);
    json.Label(text);
  }
  json.EndObject();
}

void WriteAlert(JsonWriter& json, const Alert& alert) {
  json.BeginObject();
  json.Key("labels");
  WriteLabels(json, alert.labels);
  WriteRuleTexts(json, "annotations", alert.annotations);
  json.Field("state", rules::Name(alert.state));
  json.Field("activeAt", Rfc3339Text(alert.active_at_ms));
  if (alert.keep_firing_since_ms != 0) {
    json.Field("keepFiringSince", Rfc3339Text(alert.keep_firing_since_ms));
  }
  json.Field("value", ExponentText(alert.value));
  json.EndObject();
}

void WriteAlerts(JsonWriter& json, const std::vector<Alert>& alerts, bool with_alerts) {
  if (!with_alerts) {
    json.Null();
    return;
  }
  json.BeginArray();
  for (const Alert& alert : alerts) WriteAlert(json, alert);
  json.EndArray();
}

// The most advanced state of its alerts; unknown before the first evaluation.
std::string_view StateOf(const RuleStatus& status) {
  if (status.last_evaluation_ms == 0) return "unknown";
  AlertState furthest = AlertState::kInactive;
  for (const Alert& alert : status.alerts) furthest = std::max(furthest, alert.state);
  return rules::Name(furthest);
}

void WriteRule(JsonWriter& json, const Rule& rule, const RuleStatus& status, bool with_alerts) {
  const bool is_alert = rule.kind == RuleKind::kAlerting;
  json.BeginObject();
  if (is_alert) json.Field("state", StateOf(status));
  json.Field("name", rule.name);
  json.Field("query", rule.expression);
  if (is_alert) {
    json.Field("duration", static_cast<double>(rule.hold_duration.count()) / 1e3);
    json.Field("keepFiringFor", static_cast<double>(rule.keep_firing_for.count()) / 1e3);
  }
  if (is_alert || !rule.labels.empty()) WriteRuleTexts(json, "labels", rule.labels);
  if (is_alert) {
    WriteRuleTexts(json, "annotations", rule.annotations);
    json.Key("alerts");
    WriteAlerts(json, status.alerts, with_alerts);
  }
  json.Field("health", HealthName(status.health));
  if (!status.last_error.empty()) json.Field("lastError", status.last_error);
  json.Field("evaluationTime", status.evaluation_seconds);
  json.Field("lastEvaluation", status.last_evaluation_ms == 0
                                   ? std::string(kNever)
                                   : Rfc3339Text(status.last_evaluation_ms));
  json.Field("type", is_alert ? "alerting" : "recording");
  json.EndObject();
}

// The rules that a request selects.
struct WantedRules {
  bool recording = true;
  bool alerting = true;
  bool with_alerts = true;
  std::vector<std::string_view> names;   // empty: all
  std::vector<std::string_view> groups;  // empty: all
  std::vector<std::string_view> files;
  std::vector<std::vector<Matcher>> selectors;
  size_t group_limit = kNoLimit;
  std::string_view next_token;
};

bool IsListed(const std::vector<std::string_view>& list, std::string_view name) {
  return list.empty() || std::ranges::find(list, name) != list.end();
}

bool Selects(const std::vector<Matcher>& matchers, const rules::Texts& labels) {
  return std::ranges::all_of(matchers, [&](const Matcher& matcher) {
    const auto found = labels.find(matcher.name());
    return matcher.Matches(found == labels.end() ? std::string_view() : found->second);
  });
}

bool IsWanted(const WantedRules& wanted, const Rule& rule) {
  if (!(rule.kind == RuleKind::kAlerting ? wanted.alerting : wanted.recording)) return false;
  if (!IsListed(wanted.names, rule.name)) return false;
  return wanted.selectors.empty() ||
         std::ranges::any_of(wanted.selectors, [&](const std::vector<Matcher>& matchers) {
           return Selects(matchers, rule.labels);
         });
}

// The start of the next page: a hash of the group's name and file.
std::string TokenOf(const GroupStatus& group) {
  const LabelSet named = LabelSet::Of({{"file", group.group->file}, {"name", group.group->name}});
  return absl::StrFormat("%016x", named.Hash());
}

struct RulesPage {
  std::vector<GroupStatus> groups;
  std::string next_token;
};

// Returns false if the group has none of the selected rules.
bool KeepWanted(const WantedRules& wanted, GroupStatus& status) {
  auto group = std::make_shared<rules::RuleGroup>(*status.group);
  std::vector<Rule> kept;
  std::vector<RuleStatus> kept_status;
  for (size_t i = 0; i < group->rules.size(); ++i) {
    if (!IsWanted(wanted, group->rules[i])) continue;
    kept.push_back(std::move(group->rules[i]));
    kept_status.push_back(std::move(status.rules[i]));
  }
  group->rules = std::move(kept);
  status.rules = std::move(kept_status);
  status.group = std::move(group);
  return !status.rules.empty();
}

absl::StatusOr<RulesPage> PageOf(const WantedRules& wanted, std::vector<GroupStatus> groups) {
  RulesPage page;
  bool is_found = wanted.next_token.empty();
  for (GroupStatus& group : groups) {
    if (!is_found && TokenOf(group) != wanted.next_token) continue;
    is_found = true;
    const bool is_listed =
        IsListed(wanted.groups, group.group->name) && IsListed(wanted.files, group.group->file);
    if (!is_listed || !KeepWanted(wanted, group)) continue;
    if (page.groups.size() == wanted.group_limit) {
      page.next_token = TokenOf(group);
      break;
    }
    page.groups.push_back(std::move(group));
  }
  if (is_found) return page;
  return absl::InvalidArgumentError(
      absl::StrFormat("invalid parameter \"group_next_token\": invalid group_next_token '%s'. "
                      "were rule groups changed?",
                      wanted.next_token));
}

absl::Status ReadPaging(const Form& form, WantedRules& wanted) {
  const std::string_view limit = form.Get("group_limit");
  wanted.next_token = form.Get("group_next_token");
  if (!wanted.next_token.empty() && limit.empty()) {
    return absl::InvalidArgumentError(
        "invalid parameter \"group_next_token\": group_limit needs to be present in order to "
        "paginate over the groups");
  }
  if (limit.empty()) return absl::OkStatus();
  const auto count = ParseInteger(limit);
  if (!count.ok()) {
    return Annotate(count.status(),
                    "invalid parameter \"group_limit\": group_limit needs to be a valid number");
  }
  if (*count <= 0) {
    return absl::InvalidArgumentError(
        "invalid parameter \"group_limit\": group_limit needs to be greater than 0");
  }
  wanted.group_limit = static_cast<size_t>(*count);
  return absl::OkStatus();
}

absl::StatusOr<WantedRules> WantedRulesOf(const Form& form) {
  WantedRules wanted;
  const std::string_view type = form.Get("type");
  if (!type.empty() && type != "alert" && type != "record") {
    return absl::InvalidArgumentError(
        absl::StrFormat("invalid parameter \"type\": not supported value \"%s\"", type));
  }
  wanted.recording = type != "alert";
  wanted.alerting = type != "record";
  wanted.names = form.GetAll("rule_name[]");
  wanted.groups = form.GetAll("rule_group[]");
  wanted.files = form.GetAll("file[]");
  // Quick endpoints respond at once, so expressions that take long to compile are rejected.
  const QueryBudget budget(0, QueryBudget::Clock::now() + std::chrono::seconds(1));
  LOCKSTEP_ASSIGN_OR_RETURN(wanted.selectors, ParseMatcherSets(form.GetAll("match[]"), &budget));
  const absl::StatusOr<bool> excludes = ParseBool(form.Get("exclude_alerts"));
  LOCKSTEP_RETURN_IF_ERROR(Annotate(excludes.status(),
                                    "invalid parameter \"exclude_alerts\": error converting "
                                    "exclude_alerts"));
  wanted.with_alerts = !*excludes;
  LOCKSTEP_RETURN_IF_ERROR(ReadPaging(form, wanted));
  return wanted;
}

void WriteGroup(JsonWriter& json, const GroupStatus& status, bool with_alerts) {
  json.BeginObject();
  json.Field("name", status.group->name);
  json.Field("file", status.group->file);
  json.Key("rules");
  json.BeginArray();
  for (size_t i = 0; i < status.rules.size(); ++i) {
    WriteRule(json, status.group->rules[i], status.rules[i], with_alerts);
  }
  json.EndArray();
  json.Field("interval", static_cast<double>(status.group->interval.count()) / 1e3);
  json.Field("limit", status.group->limit);
  json.Field("evaluationTime", status.evaluation_seconds);
  json.Field("lastEvaluation", status.last_evaluation_ms == 0
                                   ? std::string(kNever)
                                   : Rfc3339Text(status.last_evaluation_ms));
  json.EndObject();
}

void WriteUrls(JsonWriter& json, std::string_view key, const std::vector<std::string>& urls) {
  json.Key(key);
  json.BeginArray();
  for (const std::string& url : urls) {
    json.BeginObject();
    json.Field("url", RedactUrl(url));
    json.EndObject();
  }
  json.EndArray();
}

}  // namespace

Response HandleRules(const Call& call, const rules::RuleRunner* runner) {
  const absl::StatusOr<WantedRules> wanted = WantedRulesOf(call.form);
  if (!wanted.ok()) return ErrorReply(ErrorType::kBadData, Message(wanted.status()));
  const absl::StatusOr<RulesPage> page = PageOf(*wanted, GroupsOf(call, runner));
  if (!page.ok()) return ErrorReply(ErrorType::kBadData, Message(page.status()));
  return SuccessReply([&](JsonWriter& json) {
    json.BeginObject();
    json.Key("groups");
    json.BeginArray();
    for (const GroupStatus& group : page->groups) WriteGroup(json, group, wanted->with_alerts);
    json.EndArray();
    if (!page->next_token.empty()) json.Field("groupNextToken", page->next_token);
    json.EndObject();
  });
}

Response HandleAlerts(const Call& call, const rules::RuleRunner* runner) {
  return SuccessReply([&](JsonWriter& json) {
    json.BeginObject();
    json.Key("alerts");
    json.BeginArray();
    for (const GroupStatus& group : GroupsOf(call, runner)) {
      for (const RuleStatus& rule : group.rules) {
        for (const Alert& alert : rule.alerts) WriteAlert(json, alert);
      }
    }
    json.EndArray();
    json.EndObject();
  });
}

Response HandleAlertmanagers(const rules::Notifier* notifier) {
  const rules::Notifier::Alertmanagers known =
      notifier == nullptr ? rules::Notifier::Alertmanagers() : notifier->alertmanagers();
  return SuccessReply([&](JsonWriter& json) {
    json.BeginObject();
    WriteUrls(json, "activeAlertmanagers", known.active);
    WriteUrls(json, "droppedAlertmanagers", known.dropped);
    json.EndObject();
  });
}

}  // namespace lockstep::api
