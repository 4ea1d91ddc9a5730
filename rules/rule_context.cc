#include "rules/rule_context.h"

#include <set>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_format.h"
#include "base/log.h"
#include "rules/alerts/active_alerts.h"

namespace lockstep::rules {
namespace {

TextMap MapOf(const LabelSet& labels) {
  TextMap map;
  for (const LabelView& label : labels) map.emplace(label.name, label.value);
  return map;
}

TemplateSamples TemplateSamplesOf(const engine::VectorResult& elements) {
  TemplateSamples samples;
  for (const engine::VectorElement& element : elements) {
    samples.push_back({MapOf(element.labels), element.value});
  }
  return samples;
}

// As in Prometheus, the text contains the error: the alert matters more than its text.
std::string Expanded(const Rule& rule, const std::string& text, const TemplateData& data) {
  if (text.find("{{") == std::string::npos) return text;
  absl::StatusOr<std::string> expanded;
  if (const absl::StatusOr<Template> parsed = Template::Parse(text); parsed.ok()) {
    expanded = parsed->Expand(data);
  } else {
    expanded = parsed.status();
  }
  if (expanded.ok()) return *std::move(expanded);
  Log(LogLevel::kWarn, "cannot expand a template of an alert",
      {{"alert", rule.name}, {"error", Message(expanded.status())}});
  return absl::StrFormat("<error expanding template: %s>", Message(expanded.status()));
}

Alert MakeAlert(const Rule& rule, const engine::VectorElement& element, const TemplateData& data) {
  Alert alert;
  LabelSetBuilder labels(element.labels);
  labels.Delete(kMetricName);
  for (const auto& [name, text] : rule.labels) labels.Set(name, Expanded(rule, text, data));
  labels.Set(kAlertName, rule.name);
  alert.labels = labels.Build();
  for (const auto& [name, text] : rule.annotations) {
    alert.annotations[name] = Expanded(rule, text, data);
  }
  alert.value = element.value;
  return alert;
}

absl::Status SameLabels(std::string_view kind) {
  return absl::InvalidArgumentError(absl::StrFormat(
      "vector contains metrics with the same labelset after applying %s labels", kind));
}

}  // namespace

absl::StatusOr<std::vector<Alert>> FindAlerts(const Rule& rule,
                                              const engine::VectorResult& elements, int64_t time_ms,
                                              const RuleContext& context) {
  TemplateData data;
  data.external_labels =
      context.external_labels ? context.external_labels() : std::make_shared<const TextMap>();
  data.external_url = context.external_url;
  data.time_ms = time_ms;
  data.query = [&](std::string_view text) -> absl::StatusOr<TemplateSamples> {
    LOCKSTEP_ASSIGN_OR_RETURN(const engine::VectorResult answer, context.query(text, time_ms));
    return TemplateSamplesOf(answer);
  };
  std::vector<Alert> alerts;
  absl::flat_hash_set<LabelSet> seen;
  for (const engine::VectorElement& element : elements) {
    data.labels = std::make_shared<const TextMap>(MapOf(element.labels));
    data.value = element.value;
    alerts.push_back(MakeAlert(rule, element, data));
    if (!seen.insert(alerts.back().labels).second) return SameLabels("alert");
  }
  return alerts;
}

absl::StatusOr<engine::VectorResult> RecordedSeries(const Rule& rule, engine::VectorResult elements,
                                                    uint64_t limit) {
  absl::flat_hash_set<LabelSet> seen;
  for (engine::VectorElement& element : elements) {
    LabelSetBuilder labels(element.labels);
    labels.Set(kMetricName, rule.name);
    for (const auto& [name, value] : rule.labels) labels.Set(name, value);
    element.labels = labels.Build();
    if (!seen.insert(element.labels).second) return SameLabels("rule");
  }
  if (limit == 0 || elements.size() <= limit) return elements;
  return absl::ResourceExhaustedError(
      absl::StrFormat("exceeded limit of %d with %d series", limit, elements.size()));
}

}  // namespace lockstep::rules
