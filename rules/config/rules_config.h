// The part of a configuration file that concerns rules and alerts, in Prometheus' YAML: three keys
// of `global`, `rule_files`, `alerting` and `remediation`. Unknown keys are errors.
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

// Alertmanagers that share one configuration.
struct AlertmanagerConfig {
  std::string scheme = "http";
  std::string path_prefix = "/";
  milliseconds timeout{10'000};
  scrape::HttpClientConfig http;
  scrape::DiscoveryConfig discovery;
  std::vector<scrape::RelabelRule> relabel_rules;        // for the Alertmanagers
  std::vector<scrape::RelabelRule> alert_relabel_rules;  // for the alerts sent to them
};

// A lockstep extension: `webhooks` next to `alertmanagers`.
struct WebhookConfig {
  std::string url;
  milliseconds timeout{10'000};
  scrape::HttpClientConfig http;
  std::vector<scrape::RelabelRule> alert_relabel_rules;  // `keep` selects alerts
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

// Parses a whole file and ignores its other keys. File names in it are relative to the folder of
// `path`. Returns kInvalidArgument ("FILE line 7: ...") for errors.
absl::StatusOr<RulesConfig> ParseRulesConfig(std::string_view yaml, const std::string& path);
absl::StatusOr<RulesConfig> ReadRulesConfig(const std::string& path);

}  // namespace lockstep::rules
