// Writes the effective RulesConfig as YAML, like scrape/config/scrape_config_yaml.h does for the
// scrape configuration.
#pragma once

#include "base/yaml/yaml_writer.h"
#include "rules/config/rules_config.h"

namespace lockstep::rules {

// Writes the keys of `global` that concern rules.
void WriteRuleDefaults(const RulesConfig& config, YamlWriter& yaml);
// Writes the keys rule_files, alerting and remediation; omits empty ones.
void WriteRulesConfig(const RulesConfig& config, YamlWriter& yaml);

}  // namespace lockstep::rules
