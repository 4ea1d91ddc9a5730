// The part of a configuration file that rules and their alerts need, in Prometheus' YAML: of `global` three keys,
// `rule_files`, `alerting` and `remediation`. Every key has to be known.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "model/labels.h"
#include "rules/config/hook_config.h"
#include "rules/config/rule_file.h"
#include "scrape/config/scrape_config.h"

namespace lockstep::rules {

inline constexpr std::string_view kRuleFilesKey = "rule_files";
inline constexpr std::string_view kAlertingKey = "alerting";

// Alertmanagers that are asked in one way.
struct AlertmanagerConfig {
  std::string scheme = "http";
  std::string path_prefix = "/";
  milliseconds timeout{10'000};
  scrape::HttpClientConfig http;
  scrape::DiscoveryConfig discovery;
  std::vector<scrape::RelabelRule> relabel_rules;        // of the Alertmanagers
  std::vector<scrape::RelabelRule> alert_relabel_rules;  // of what they are sent
};

// Lockstep's own: `webhooks` beside `alertmanagers`.
struct WebhookConfig {
  std::string url;
  milliseconds timeout{10'000};
  scrape::HttpClientConfig http;
  std::vector<scrape::RelabelRule> alert_relabel_rules;  // `keep` chooses alerts
};

struct RulesConfig {
  GroupDefaults defaults;  // evaluation_interval, rule_query_offset
  LabelSet external_labels;
  std::vector<std::string> rule_files;  // patterns, absolute
  std::vector<scrape::RelabelRule> alert_relabel_rules;
  std::vector<AlertmanagerConfig> alertmanagers;
  std::vector<WebhookConfig> webhooks;
  RemediationConfig remediation;
};

// Of a whole file; its other keys are not looked at. kInvalidArgument: "FILE line 7: ...". File names in it
// are relative to the folder of `path`.
absl::StatusOr<RulesConfig> ParseRulesConfig(std::string_view yaml, const std::string& path);
absl::StatusOr<RulesConfig> ReadRulesConfig(const std::string& path);

}  // namespace lockstep::rules
