#include "rules/config/hook_config.h"

#include <utility>

#include "absl/strings/str_format.h"
#include "base/yaml/yaml_reader.h"
#include "rules/template/template.h"
#include "scrape/config/config_keys.h"

namespace lockstep::rules {
namespace {

absl::Status ReadMatch(const scrape::ConfigKeys& keys, const YAML::Node& node, Texts& match) {
  if (!node.IsMap()) return keys.Error(node, "match has to be a map of labels to values");
  for (const auto& entry : node) {
    LOCKSTEP_ASSIGN_OR_RETURN(const std::string name,
                              YamlText(keys.path(), entry.first, "a label name"));
    LOCKSTEP_ASSIGN_OR_RETURN(match[name], YamlText(keys.path(), entry.second, name));
  }
  return absl::OkStatus();
}

absl::Status CheckHook(const scrape::ConfigKeys& keys, const YAML::Node& node,
                       const HookConfig& hook) {
  if (hook.name.empty()) return keys.Error(node, "a hook needs a name");
  if (hook.match.empty()) return keys.Error(node, "a hook needs labels to match");
  if (hook.command.empty() == hook.webhook.empty()) {
    return keys.Error(node, "a hook needs either command or webhook");
  }
  if (!hook.command.empty() && !hook.command.front().starts_with('/')) {
    return keys.Error(
        node, absl::StrFormat("the command \"%s\" is not an absolute path", hook.command.front()));
  }
  if (!hook.command.empty() && hook.command.front().find("{{") != std::string::npos) {
    return keys.Error(node, "the program of a command must not contain a template");
  }
  for (const std::string& argument : hook.command) {
    const absl::Status status = Template::Parse(argument).status();
    if (!status.ok()) return keys.Error(node["command"], Message(status));
  }
  return absl::OkStatus();
}

absl::StatusOr<HookConfig> ReadHook(const scrape::ConfigKeys& keys, const YAML::Node& node) {
  HookConfig hook;
  LOCKSTEP_RETURN_IF_ERROR(ReadYamlMap(
      keys.path(), node, "a hook",
      {keys.Text("name", hook.name),
       {"match", [&](const YAML::Node& value) { return ReadMatch(keys, value, hook.match); }},
       keys.Texts("node_labels", hook.node_labels),
       keys.Text("domain_label", hook.domain_label),
       keys.Texts("command", hook.command),
       keys.Text("webhook", hook.webhook),
       keys.Duration("timeout", hook.timeout)}));
  LOCKSTEP_RETURN_IF_ERROR(CheckHook(keys, node, hook));
  return hook;
}

}  // namespace

absl::StatusOr<RemediationConfig> ReadRemediation(const std::string& path, const YAML::Node& node) {
  const scrape::ConfigKeys keys(path);
  RemediationConfig config;
  LOCKSTEP_RETURN_IF_ERROR(ReadYamlMap(path, node, kRemediationKey,
                                       {keys.Bool("dry_run", config.dry_run),
                                        keys.Number("max_nodes", config.max_nodes),
                                        keys.Duration("window", config.window),
                                        keys.Duration("min_interval", config.min_interval),
                                        {"hooks", [&](const YAML::Node& list) -> absl::Status {
                                           if (!list.IsSequence())
                                             return keys.Error(list, "hooks has to be a list");
                                           for (const YAML::Node& item : list) {
                                             LOCKSTEP_ASSIGN_OR_RETURN(HookConfig hook,
                                                                       ReadHook(keys, item));
                                             config.hooks.push_back(std::move(hook));
                                           }
                                           return absl::OkStatus();
                                         }}}));
  return config;
}

}  // namespace lockstep::rules
