#include "rules/config/rules_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace lockstep::rules
