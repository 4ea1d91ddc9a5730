#include "rules/config/rules_config_yaml.h"

#include "base/text/url.h"
#include "scrape/config/scrape_config_yaml.h"

namespace lockstep::rules {
namespace {

using scrape::WriteDiscovery;
using scrape::WriteDuration;
using scrape::WriteHttpClient;
using scrape::WriteRelabelling;

void WriteAlertmanager(const AlertmanagerConfig& config, YamlWriter& yaml) {
  yaml.BeginMap();
  WriteHttpClient(config.http, yaml);
  yaml.Text("scheme", config.scheme);
  yaml.Text("path_prefix", config.path_prefix);
  WriteDuration("timeout", config.timeout, yaml);
  yaml.Text("api_version", "v2");
  WriteRelabelling("relabel_configs", config.relabel_rules, yaml);
  WriteRelabelling("alert_relabel_configs", config.alert_relabel_rules, yaml);
  WriteDiscovery(config.discovery, yaml);
  yaml.EndMap();
}

void WriteWebhook(const WebhookConfig& config, YamlWriter& yaml) {
  yaml.BeginMap();
  yaml.Text("url", RedactUrlToHost(config.url));
  WriteDuration("timeout", config.timeout, yaml);
  WriteHttpClient(config.http, yaml);
  WriteRelabelling("alert_relabel_configs", config.alert_relabel_rules, yaml);
  yaml.EndMap();
}

void WriteAlerting(const RulesConfig& config, YamlWriter& yaml) {
  if (config.alertmanagers.empty() && config.webhooks.empty() &&
      config.alert_relabel_rules.empty()) {
    return;
  }
  yaml.Key(kAlertingKey);
  yaml.BeginMap();
  WriteRelabelling("alert_relabel_configs", config.alert_relabel_rules, yaml);
  if (!config.alertmanagers.empty()) {
    yaml.Key("alertmanagers");
    yaml.BeginList();
    for (const AlertmanagerConfig& one : config.alertmanagers) WriteAlertmanager(one, yaml);
    yaml.EndList();
  }
  if (!config.webhooks.empty()) {
    yaml.Key("webhooks");
    yaml.BeginList();
    for (const WebhookConfig& one : config.webhooks) WriteWebhook(one, yaml);
    yaml.EndList();
  }
  yaml.EndMap();
}

void WriteHook(const HookConfig& hook, YamlWriter& yaml) {
  yaml.BeginMap();
  yaml.Text("name", hook.name);
  yaml.Key("match");
  yaml.BeginMap();
  for (const auto& [name, value] : hook.match) yaml.Text(name, value);
  yaml.EndMap();
  yaml.Texts("node_labels", hook.node_labels);
  if (!hook.domain_label.empty()) yaml.Text("domain_label", hook.domain_label);
  if (!hook.command.empty()) {
    // Arguments may contain secrets.
    std::vector<std::string> shown(hook.command.size(), std::string(scrape::kSecretText));
    shown.front() = hook.command.front();
    yaml.Texts("command", shown);
  }
  if (!hook.webhook.empty()) yaml.Text("webhook", RedactUrlToHost(hook.webhook));
  WriteDuration("timeout", hook.timeout, yaml);
  yaml.EndMap();
}

void WriteRemediation(const RemediationConfig& config, YamlWriter& yaml) {
  if (config.hooks.empty()) return;
  yaml.Key(kRemediationKey);
  yaml.BeginMap();
  yaml.Bool("dry_run", config.dry_run);
  yaml.Number("max_nodes", config.max_nodes);
  WriteDuration("window", config.window, yaml);
  WriteDuration("min_interval", config.min_interval, yaml);
  yaml.Key("hooks");
  yaml.BeginList();
  for (const HookConfig& hook : config.hooks) WriteHook(hook, yaml);
  yaml.EndList();
  yaml.EndMap();
}

}  // namespace

void WriteRuleDefaults(const RulesConfig& config, YamlWriter& yaml) {
  WriteDuration("evaluation_interval", config.defaults.interval, yaml);
  if (config.defaults.query_offset.count() != 0) {
    WriteDuration("rule_query_offset", config.defaults.query_offset, yaml);
  }
  scrape::WriteLabels("external_labels", config.external_labels, yaml);
}

void WriteRulesConfig(const RulesConfig& config, YamlWriter& yaml) {
  if (!config.rule_files.empty()) yaml.Texts(kRuleFilesKey, config.rule_files);
  WriteAlerting(config, yaml);
  WriteRemediation(config.remediation, yaml);
}

}  // namespace lockstep::rules
