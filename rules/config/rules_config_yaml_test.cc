#include "rules/config/rules_config_yaml.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep::rules {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr std::string_view kGiven = R"(
global:
  evaluation_interval: 30s
  rule_query_offset: 2s
  external_labels: {cluster: c1, replica: "1"}
rule_files: [rules/*.yml]
alerting:
  alert_relabel_configs: [{action: labeldrop, regex: rank}]
  alertmanagers:
  - scheme: https
    path_prefix: /am
    timeout: 3s
    basic_auth: {username: me, password: PASSWORD-SECRET}
    static_configs: [{targets: ["am0:9093"]}]
  webhooks:
  - url: "http://user:HOOK-SECRET@h:1/services/PATH-SECRET"
    authorization: {credentials: TOKEN-SECRET}
remediation:
  dry_run: false
  hooks:
  - {name: drain, match: {severity: critical}, command: [/usr/bin/drain, ARGUMENT-SECRET]}
  - {name: tell, match: {severity: info}, webhook: "http://h:2/CALL-SECRET"}
)";

std::string Written(std::string_view yaml) {
  const auto config = ParseRulesConfig(yaml, "/etc/a.yml");
  EXPECT_TRUE(config.ok()) << config.status();
  if (!config.ok()) return "";
  YamlWriter out;
  out.BeginMap();
  out.Key("global");
  out.BeginMap();
  WriteRuleDefaults(*config, out);
  out.EndMap();
  WriteRulesConfig(*config, out);
  out.EndMap();
  return out.TakeText();
}

TEST(RulesConfigYamlTest, WritesWhatCanBeReadAgain) {
  const std::string once = Written(kGiven);
  EXPECT_EQ(Written(once), once);
}

TEST(RulesConfigYamlTest, SaysAllOfIt) {
  const std::string written = Written(kGiven);
  for (const std::string_view said :
       {"evaluation_interval: 30s", "rule_query_offset: 2s",
        "external_labels:\n    cluster: c1\n    replica: \"1\"\n", "- /etc/rules/*.yml",
        "action: labeldrop", "path_prefix: /am", "timeout: 3s", "password: <secret>", "- am0:9093",
        "url: http://h:1", "credentials: <secret>", "dry_run: false", "name: drain",
        "severity: critical", "- /usr/bin/drain\n        - <secret>", "webhook: http://h:2"}) {
    EXPECT_THAT(written, HasSubstr(said));
  }
}

TEST(RulesConfigYamlTest, KeepsSecrets) { EXPECT_THAT(Written(kGiven), Not(HasSubstr("-SECRET"))); }

}  // namespace
}  // namespace lockstep::rules
