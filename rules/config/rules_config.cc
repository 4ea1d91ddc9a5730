#include "rules/config/rules_config.h"

#include <yaml-cpp/yaml.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

#include "absl/strings/str_format.h"
#include "base/yaml/yaml_reader.h"
#include "scrape/config/config_keys.h"
#include "scrape/config/scrape_config_file.h"

namespace lockstep::rules {
namespace {

constexpr std::string_view kAlertmanager = "alertmanagers";
constexpr std::string_view kWebhook = "webhooks";

absl::StatusOr<LabelSet> ReadExternalLabels(const std::string& path, const YAML::Node& node) {
  if (!node.IsMap()) return YamlError(path, node, "external_labels has to be a map");
  LabelSetBuilder labels;
  for (const auto& entry : node) {
    LOCKSTEP_ASSIGN_OR_RETURN(const std::string name, YamlText(path, entry.first, "a label name"));
    LOCKSTEP_ASSIGN_OR_RETURN(const std::string value, YamlText(path, entry.second, name));
    if (name.empty() || name == kMetricName || !IsValidUtf8(name) || !IsValidUtf8(value)) {
      return YamlError(path, entry.first, absl::StrFormat("\"%s\" is not a label name", name));
    }
    labels.Set(name, value);
  }
  return labels.Build();
}

class RulesConfigReader {
 public:
  explicit RulesConfigReader(const std::string& path) : keys_(path) {}

  absl::StatusOr<RulesConfig> Read(const YAML::Node& root) {
    if (const YAML::Node global = root[std::string(scrape::kGlobalKey)]) {
      LOCKSTEP_RETURN_IF_ERROR(ReadGlobal(global));
    }
    if (const YAML::Node files = root[std::string(kRuleFilesKey)]) {
      LOCKSTEP_RETURN_IF_ERROR(ReadRulePatterns(files));
    }
    if (const YAML::Node alerting = root[std::string(kAlertingKey)]) {
      LOCKSTEP_RETURN_IF_ERROR(ReadYamlMap(
          keys_.path(), alerting, kAlertingKey,
          {keys_.Relabelling("alert_relabel_configs", config_.alert_relabel_rules),
           {kAlertmanager, [&](const YAML::Node& list) { return ReadAlertmanagers(list); }},
           {kWebhook, [&](const YAML::Node& list) { return ReadWebhooks(list); }}}));
    }
    if (const YAML::Node remediation = root[std::string(kRemediationKey)]) {
      LOCKSTEP_ASSIGN_OR_RETURN(config_.remediation, ReadRemediation(keys_.path(), remediation));
    }
    return std::move(config_);
  }

 private:
  // The other keys of `global` concern scraping.
  absl::Status ReadGlobal(const YAML::Node& global) {
    const YAML::Node interval = global["evaluation_interval"];
    const YAML::Node offset = global["rule_query_offset"];
    const YAML::Node labels = global["external_labels"];
    if (interval) {
      LOCKSTEP_RETURN_IF_ERROR(
          keys_.Duration("evaluation_interval", config_.defaults.interval).read(interval));
    }
    if (offset && offset.IsScalar() && offset.Scalar() != "0s") {
      LOCKSTEP_RETURN_IF_ERROR(
          keys_.Duration("rule_query_offset", config_.defaults.query_offset).read(offset));
    }
    if (labels && !labels.IsNull()) {
      LOCKSTEP_ASSIGN_OR_RETURN(config_.external_labels, ReadExternalLabels(keys_.path(), labels));
    }
    return absl::OkStatus();
  }

  absl::Status ReadRulePatterns(const YAML::Node& node) {
    if (node.IsNull()) return absl::OkStatus();
    LOCKSTEP_RETURN_IF_ERROR(keys_.Texts(kRuleFilesKey, config_.rule_files).read(node));
    const std::filesystem::path folder = std::filesystem::absolute(keys_.path()).parent_path();
    for (std::string& pattern : config_.rule_files) {
      const std::filesystem::path file(pattern);
      if (file.parent_path().string().find('*') != std::string::npos) {
        return keys_.Error(
            node, absl::StrFormat("\"%s\" may contain * only in its last component", pattern));
      }
      pattern = (folder / file).lexically_normal().string();
    }
    return absl::OkStatus();
  }

  absl::Status ReadAlertmanagers(const YAML::Node& list) {
    if (list.IsNull()) return absl::OkStatus();
    if (!list.IsSequence()) return keys_.Error(list, "alertmanagers has to be a list");
    for (const YAML::Node& node : list) LOCKSTEP_RETURN_IF_ERROR(ReadAlertmanager(node));
    return absl::OkStatus();
  }

  absl::Status ReadWebhooks(const YAML::Node& list) {
    if (list.IsNull()) return absl::OkStatus();
    if (!list.IsSequence()) return keys_.Error(list, "webhooks has to be a list");
    for (const YAML::Node& node : list) {
      WebhookConfig config;
      std::vector<YamlKey> keys = {
          keys_.Text("url", config.url), keys_.Duration("timeout", config.timeout),
          keys_.Relabelling("alert_relabel_configs", config.alert_relabel_rules)};
      for (YamlKey& key : keys_.HttpClient(config.http)) keys.push_back(std::move(key));
      LOCKSTEP_RETURN_IF_ERROR(ReadYamlMap(keys_.path(), node, kWebhook, keys));
      if (!config.url.starts_with("http://") && !config.url.starts_with("https://")) {
        return keys_.Error(node, absl::StrFormat("\"%s\" is not an http or https URL", config.url));
      }
      LOCKSTEP_RETURN_IF_ERROR(CheckHttpClient(keys_, node, config.http));
      config_.webhooks.push_back(std::move(config));
    }
    return absl::OkStatus();
  }

  absl::Status ReadAlertmanager(const YAML::Node& node) {
    AlertmanagerConfig config;
    std::string api_version = "v2";
    std::vector<YamlKey> keys = {
        keys_.Text("scheme", config.scheme),
        keys_.Text("path_prefix", config.path_prefix),
        keys_.Text("api_version", api_version),
        keys_.Duration("timeout", config.timeout),
        keys_.Relabelling("relabel_configs", config.relabel_rules),
        keys_.Relabelling("alert_relabel_configs", config.alert_relabel_rules),
    };
    for (YamlKey& key : keys_.HttpClient(config.http)) keys.push_back(std::move(key));
    for (YamlKey& key : keys_.Discovery(kAlertmanager, config.discovery)) {
      keys.push_back(std::move(key));
    }
    scrape::ConfigKeys::AddUnsupported(keys_.path(), kAlertmanager, {"sigv4"}, keys);
    LOCKSTEP_RETURN_IF_ERROR(ReadYamlMap(keys_.path(), node, kAlertmanager, keys));
    if (api_version != "v2") {
      return keys_.Error(node, absl::StrFormat("api_version \"%s\" is not v2", api_version));
    }
    if (config.scheme != "http" && config.scheme != "https") {
      return keys_.Error(node,
                         absl::StrFormat("scheme \"%s\" is neither http nor https", config.scheme));
    }
    LOCKSTEP_RETURN_IF_ERROR(CheckHttpClient(keys_, node, config.http));
    config_.alertmanagers.push_back(std::move(config));
    return absl::OkStatus();
  }

  const scrape::ConfigKeys keys_;
  RulesConfig config_;
};

}  // namespace

absl::StatusOr<RulesConfig> ParseRulesConfig(std::string_view yaml, const std::string& path) {
  LOCKSTEP_ASSIGN_OR_RETURN(const YAML::Node root, ParseYamlMap(yaml, path));
  return RulesConfigReader(path).Read(root);
}

absl::StatusOr<RulesConfig> ReadRulesConfig(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream content;
  if (file) content << file.rdbuf();
  if (!file) return absl::NotFoundError(absl::StrFormat("cannot read \"%s\"", path));
  return ParseRulesConfig(std::move(content).str(), path);
}

}  // namespace lockstep::rules
