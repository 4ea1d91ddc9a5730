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

// Nothing here is a secret.
constexpr std::string_view kOpen = R"(
global: {evaluation_interval: 30s, rule_query_offset: 2s, external_labels: {cluster: c1}}
rule_files: [rules/*.yml, more.yml]
alerting:
  alert_relabel_configs: [{action: labeldrop, regex: rank}]
  alertmanagers:
  - scheme: https
    path_prefix: /am
    timeout: 3s
    follow_redirects: false
    relabel_configs: [{action: labeldrop, regex: a}]
    alert_relabel_configs: [{action: labelkeep, regex: b}]
    static_configs: [{targets: ["am0:9093"]}]
  - {}
  webhooks:
  - url: "http://h:1"
    timeout: 4s
    bearer_token_file: token
    alert_relabel_configs: [{action: labeldrop, regex: c}]
remediation:
  dry_run: false
  max_nodes: 3
  window: 12h
  min_interval: 5m
  hooks:
  - {name: drain, match: {severity: critical, a: b}, command: [/usr/bin/drain], timeout: 7s,
     node_labels: [node], domain_label: nvlink_domain}
  - {name: tell, match: {severity: info}, webhook: "http://h:2"}
)";

TEST(RulesConfigYamlTest, SaysTheSameAgain) {
  const auto given = ParseRulesConfig(kOpen, "/etc/a.yml");
  const auto again = ParseRulesConfig(Written(kOpen), "/etc/a.yml");
  ASSERT_TRUE(given.ok()) << given.status();
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(again->defaults.interval, milliseconds(30'000));
  EXPECT_EQ(again->defaults.query_offset, milliseconds(2'000));
  EXPECT_EQ(again->external_labels, given->external_labels);
  EXPECT_EQ(again->rule_files, given->rule_files);
  ASSERT_EQ(again->alert_relabel_rules.size(), 1u);
  EXPECT_EQ(again->alert_relabel_rules[0].spec().regex, "rank");
  ASSERT_EQ(again->alertmanagers.size(), 2u);
  const AlertmanagerConfig& alertmanager = again->alertmanagers[0];
  EXPECT_EQ(alertmanager.scheme, "https");
  EXPECT_EQ(alertmanager.path_prefix, "/am");
  EXPECT_EQ(alertmanager.timeout, milliseconds(3'000));
  EXPECT_EQ(alertmanager.http, given->alertmanagers[0].http);
  EXPECT_EQ(alertmanager.relabel_rules.at(0).spec().regex, "a");
  EXPECT_EQ(alertmanager.alert_relabel_rules.at(0).spec().regex, "b");
  EXPECT_EQ(alertmanager.discovery.static_groups, given->alertmanagers[0].discovery.static_groups);
  EXPECT_EQ(again->alertmanagers[1].scheme, "http");
  EXPECT_TRUE(again->alertmanagers[1].relabel_rules.empty());
  ASSERT_EQ(again->webhooks.size(), 1u);
  EXPECT_EQ(again->webhooks[0].url, "http://h:1");
  EXPECT_EQ(again->webhooks[0].timeout, milliseconds(4'000));
  EXPECT_EQ(again->webhooks[0].http, given->webhooks[0].http);
  EXPECT_EQ(again->webhooks[0].alert_relabel_rules.at(0).spec().regex, "c");
}

TEST(RulesConfigYamlTest, SaysTheSameOfHooksAgain) {
  const auto again = ParseRulesConfig(Written(kOpen), "/etc/a.yml");
  ASSERT_TRUE(again.ok()) << again.status();
  const RemediationConfig& remediation = again->remediation;
  EXPECT_FALSE(remediation.dry_run);
  EXPECT_EQ(remediation.max_nodes, 3u);
  EXPECT_EQ(remediation.window, milliseconds(12 * 3'600'000));
  EXPECT_EQ(remediation.min_interval, milliseconds(300'000));
  ASSERT_EQ(remediation.hooks.size(), 2u);
  EXPECT_EQ(remediation.hooks[0].name, "drain");
  EXPECT_EQ(remediation.hooks[0].match, (Texts{{"a", "b"}, {"severity", "critical"}}));
  EXPECT_EQ(remediation.hooks[0].command, std::vector<std::string>{"/usr/bin/drain"});
  EXPECT_EQ(remediation.hooks[0].node_labels, std::vector<std::string>{"node"});
  EXPECT_EQ(remediation.hooks[0].domain_label, "nvlink_domain");
  EXPECT_EQ(remediation.hooks[0].timeout, milliseconds(7'000));
  EXPECT_EQ(remediation.hooks[1].webhook, "http://h:2");
  EXPECT_EQ(remediation.hooks[1].domain_label, "");
  EXPECT_EQ(remediation.hooks[1].timeout, milliseconds(120'000));
}

TEST(RulesConfigYamlTest, LeavesOutWhatIsNotThere) {
  EXPECT_EQ(Written(""), "global:\n  evaluation_interval: 1m\n");
  const std::string webhook = Written("alerting: {webhooks: [{url: 'http://h'}]}\n");
  EXPECT_THAT(webhook, Not(HasSubstr("alertmanagers")));
  EXPECT_THAT(webhook, Not(HasSubstr("relabel")));
  EXPECT_THAT(webhook, Not(HasSubstr("remediation")));
  const std::string rules =
      Written("alerting: {alert_relabel_configs: [{action: labeldrop, regex: a}]}\n");
  EXPECT_THAT(rules, HasSubstr("regex: a"));
  EXPECT_THAT(rules, Not(HasSubstr("webhooks")));
  EXPECT_THAT(Written("alerting: {alertmanagers: [{}]}\n"), HasSubstr("api_version: v2"));
}

TEST(RulesConfigYamlTest, KeepsSecrets) { EXPECT_THAT(Written(kGiven), Not(HasSubstr("-SECRET"))); }

}  // namespace
}  // namespace lockstep::rules
