// The effective RulesConfig as YAML, as scrape/config/scrape_config_yaml.h does it for what is
// scraped.
#pragma once

#include "base/yaml/yaml_writer.h"
#include "rules/config/rules_config.h"

namespace lockstep::rules {

// The keys of `global` that are about rules.
void WriteRuleDefaults(const RulesConfig& config, YamlWriter& yaml);
// The keys rule_files, alerting and remediation; those with nothing in them are left out.
void WriteRulesConfig(const RulesConfig& config, YamlWriter& yaml);

}  // namespace lockstep::rules
