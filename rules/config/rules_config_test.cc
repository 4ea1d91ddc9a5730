#include "rules/config/rules_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

namespace lockstep::rules {
namespace {

TEST(RulesConfigTest, ReadsItsPartOfTheFile) {
  const auto config = ParseRulesConfig(R"(
global:
  scrape_interval: 5s
  evaluation_interval: 30s
  rule_query_offset: 2s
  external_labels: {cluster: c1}
rule_files: [rules/*.yml, /etc/more.yml]
alerting:
  alert_relabel_configs: [{action: labeldrop, regex: rank}]
  alertmanagers:
  - scheme: https
    path_prefix: /am
    timeout: 3s
    basic_auth: {username: me, password: secret}
    static_configs: [{targets: ["am0:9093"]}]
storage: {retention: {time: 30d}}
)",
                                       "/etc/lockstep/a.yml");
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->defaults.interval, milliseconds(30'000));
  EXPECT_EQ(config->defaults.query_offset, milliseconds(2'000));
  EXPECT_EQ(config->external_labels.ToString(), "{cluster=\"c1\"}");
  EXPECT_THAT(config->rule_files,
              testing::ElementsAre("/etc/lockstep/rules/*.yml", "/etc/more.yml"));
  EXPECT_EQ(config->alert_relabel_rules.size(), 1u);
  ASSERT_EQ(config->alertmanagers.size(), 1u);
  const AlertmanagerConfig& alertmanager = config->alertmanagers[0];
  EXPECT_EQ(alertmanager.scheme, "https");
  EXPECT_EQ(alertmanager.timeout, milliseconds(3'000));
  EXPECT_EQ(alertmanager.http.user, "me");
  EXPECT_THAT(alertmanager.discovery.static_groups[0].addresses, testing::ElementsAre("am0:9093"));
}

TEST(RulesConfigTest, ComplaintsNameTheLine) {
  const auto error = [](std::string_view yaml) {
    return std::string(Message(ParseRulesConfig(yaml, "a.yml").status()));
  };
  EXPECT_EQ(error("rule_files: [a/*/b.yml]\n"),
            "a.yml line 1: \"a/*/b.yml\" may contain * only in its last component");
  EXPECT_EQ(error("alerting:\n  alertmanagers: [{api_version: v1}]\n"),
            "a.yml line 2: api_version \"v1\" is not v2");
  EXPECT_EQ(error("global: {evaluation_interval: often}\n"),
            "a.yml line 1: evaluation_interval: \"often\" is not a duration like 500ms, 15s or 1m");
}

// "a.yml line N: " is left out.
std::string ConfigError(const std::string& yaml) {
  const std::string error(Message(ParseRulesConfig(yaml, "a.yml").status()));
  return error.substr(std::min(error.find(": ") + 2, error.size()));
}

TEST(RulesConfigTest, AFileWithoutRulesHasTheDefaults) {
  for (const char* yaml :
       {"", "global:\nrule_files:\n",
        "global: {external_labels: }\nalerting: {alertmanagers: , webhooks: }\n"}) {
    const auto config = ParseRulesConfig(yaml, "/a.yml");
    ASSERT_TRUE(config.ok()) << config.status();
    EXPECT_EQ(config->defaults.interval, milliseconds(60'000));
    EXPECT_EQ(config->defaults.query_offset, milliseconds(0));
    EXPECT_TRUE(config->external_labels.empty());
    EXPECT_TRUE(config->rule_files.empty());
    EXPECT_TRUE(config->alertmanagers.empty());
    EXPECT_TRUE(config->webhooks.empty());
    EXPECT_TRUE(config->remediation.dry_run);
    EXPECT_EQ(config->remediation.max_nodes, 1u);
    EXPECT_TRUE(config->remediation.hooks.empty());
  }
}

TEST(RulesConfigTest, AnOffsetMayBeZero) {
  const auto config = ParseRulesConfig("global: {rule_query_offset: 0s}\n", "/a.yml");
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->defaults.query_offset, milliseconds(0));
  EXPECT_EQ(ConfigError("global: {rule_query_offset: -1s}\n"),
            "rule_query_offset: \"-1s\" is not a duration like 500ms, 15s or 1m");
}

TEST(RulesConfigTest, ReadsReceivers) {
  const auto config = ParseRulesConfig(R"(
alerting:
  alertmanagers:
  - {alert_relabel_configs: [{action: labeldrop, regex: a}, {action: labeldrop, regex: b}],
     relabel_configs: [{action: labeldrop, regex: c}], bearer_token: t}
  - {api_version: v2}
  webhooks:
  - {url: "https://h/one", timeout: 7s, bearer_token: u,
     alert_relabel_configs: [{action: labeldrop, regex: d}]}
  - {url: "http://h/two"}
)",
                                       "/a.yml");
  ASSERT_TRUE(config.ok()) << config.status();
  ASSERT_EQ(config->alertmanagers.size(), 2u);
  EXPECT_EQ(config->alertmanagers[0].alert_relabel_rules.size(), 2u);
  EXPECT_EQ(config->alertmanagers[0].relabel_rules.size(), 1u);
  EXPECT_EQ(config->alertmanagers[0].http.credentials.text, "t");
  EXPECT_EQ(config->alertmanagers[1].scheme, "http");
  EXPECT_EQ(config->alertmanagers[1].path_prefix, "/");
  EXPECT_EQ(config->alertmanagers[1].timeout, milliseconds(10'000));
  ASSERT_EQ(config->webhooks.size(), 2u);
  EXPECT_EQ(config->webhooks[0].url, "https://h/one");
  EXPECT_EQ(config->webhooks[0].timeout, milliseconds(7'000));
  EXPECT_EQ(config->webhooks[0].http.credentials.text, "u");
  EXPECT_EQ(config->webhooks[0].alert_relabel_rules.size(), 1u);
  EXPECT_EQ(config->webhooks[1].timeout, milliseconds(10'000));
}

TEST(RulesConfigTest, SaysWhatIsWrong) {
  EXPECT_EQ(ConfigError("global: {external_labels: [a]}\n"), "external_labels has to be a map");
  EXPECT_EQ(ConfigError("global: {external_labels: {__name__: a}}\n"),
            "\"__name__\" is not a label name");
  EXPECT_EQ(ConfigError("global: {external_labels: {'': a}}\n"), "\"\" is not a label name");
  EXPECT_EQ(ConfigError("rule_files: a\n"), "rule_files has to be a list");
  const auto alerting = [](const std::string& keys) {
    return ConfigError("alerting: {" + keys + "}\n");
  };
  EXPECT_EQ(alerting("alertmanagers: {}"), "alertmanagers has to be a list");
  EXPECT_EQ(alerting("alertmanagers: [{scheme: ftp}]"), "scheme \"ftp\" is neither http nor https");
  EXPECT_EQ(alerting("alertmanagers: [{sigv4: {}}]"),
            "\"sigv4\" of alertmanagers is not supported here");
  EXPECT_EQ(alerting("alertmanagers: [{basic_auth: {username: a}, bearer_token: b}]"),
            "at most one of basic_auth, authorization and bearer_token can be given");
  EXPECT_EQ(alerting("webhooks: {}"), "webhooks has to be a list");
  EXPECT_EQ(alerting("webhooks: [{}]"), "\"\" is not an http or https URL");
  EXPECT_EQ(alerting("webhooks: [{url: 'ftp://h'}]"), "\"ftp://h\" is not an http or https URL");
  EXPECT_EQ(alerting("webhooks: [{url: 'http://h', basic_auth: {username: a}, bearer_token: b}]"),
            "at most one of basic_auth, authorization and bearer_token can be given");
  EXPECT_EQ(alerting("routes: []"),
            "unknown key \"routes\" in alerting; the known keys are alert_relabel_configs, "
            "alertmanagers, webhooks");
}

TEST(RulesConfigTest, ReadsAFile) {
  const std::string path = testing::TempDir() + "rules_config.yml";
  std::ofstream(path) << "global: {evaluation_interval: 7s}\nrule_files: [../r.yml]\n";
  const auto config = ReadRulesConfig(path);
  std::remove(path.c_str());
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->defaults.interval, milliseconds(7'000));
  EXPECT_THAT(
      config->rule_files,
      testing::ElementsAre(
          (std::filesystem::path(path).parent_path() / "../r.yml").lexically_normal().string()));
  const absl::Status missing = ReadRulesConfig(path).status();
  EXPECT_EQ(missing.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(Message(missing), "cannot read \"" + path + "\"");
}

TEST(RemediationTest, ReadsHooks) {
  const auto config = ParseRulesConfig(R"(
remediation:
  dry_run: false
  max_nodes: 2
  window: 12h
  min_interval: 5m
  hooks:
  - name: drain
    match: {action: drain, level: "1"}
    node_labels: [Hostname]
    domain_label: nvlink_domain
    command: [/bin/drain, "{{ $labels.Hostname }}"]
    timeout: 1m
  - {name: tell, match: {a: b}, webhook: "http://h"}
)",
                                       "/a.yml");
  ASSERT_TRUE(config.ok()) << config.status();
  const RemediationConfig& remediation = config->remediation;
  EXPECT_FALSE(remediation.dry_run);
  EXPECT_EQ(remediation.max_nodes, 2u);
  EXPECT_EQ(remediation.window, milliseconds(12 * 3'600'000));
  EXPECT_EQ(remediation.min_interval, milliseconds(300'000));
  ASSERT_EQ(remediation.hooks.size(), 2u);
  const HookConfig& drain = remediation.hooks[0];
  EXPECT_EQ(drain.name, "drain");
  EXPECT_EQ(drain.match, (Texts{{"action", "drain"}, {"level", "1"}}));
  EXPECT_THAT(drain.node_labels, testing::ElementsAre("Hostname"));
  EXPECT_EQ(drain.domain_label, "nvlink_domain");
  EXPECT_THAT(drain.command, testing::ElementsAre("/bin/drain", "{{ $labels.Hostname }}"));
  EXPECT_EQ(drain.timeout, milliseconds(60'000));
  EXPECT_EQ(remediation.hooks[1].webhook, "http://h");
  EXPECT_THAT(remediation.hooks[1].node_labels,
              testing::ElementsAre("Hostname", "hostname", "node", "instance"));
}

TEST(RemediationTest, SaysWhatIsWrong) {
  const auto error = [](const std::string& hook) {
    return ConfigError("remediation: {hooks: [{" + hook + "}]}\n");
  };
  const std::string named = "name: a, match: {b: c}, ";
  EXPECT_EQ(ConfigError("remediation: {hooks: {}}\n"), "hooks has to be a list");
  EXPECT_EQ(ConfigError("remediation: {max_nodes: -1}\n"),
            "max_nodes: \"-1\" is not a whole number");
  EXPECT_EQ(error("match: {b: c}, command: [/c]"), "a hook needs a name");
  EXPECT_EQ(error("name: a, command: [/c]"), "a hook needs labels to match");
  EXPECT_EQ(error("name: a, match: [b], command: [/c]"),
            "match has to be a map of labels to values");
  EXPECT_EQ(error("name: a, match: {b: c}"), "a hook needs either command or webhook");
  EXPECT_EQ(error(named + "command: [/c], webhook: 'http://h'"),
            "a hook needs either command or webhook");
  EXPECT_EQ(error(named + "command: [c]"), "the command \"c\" is not an absolute path");
  EXPECT_EQ(error(named + "command: ['/{{ $labels.a }}']"),
            "the program of a command must not contain a template");
  EXPECT_EQ(error(named + "command: [/c, '{{ frob }}']"), "line 1: function \"frob\" not defined");
  EXPECT_EQ(error(named + "command: [/c], color: red"),
            "unknown key \"color\" in a hook; the known keys are name, match, node_labels, "
            "domain_label, command, webhook, timeout");
}

}  // namespace
}  // namespace lockstep::rules
