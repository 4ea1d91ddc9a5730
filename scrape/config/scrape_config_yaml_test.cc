#include "scrape/config/scrape_config_yaml.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "scrape/config/scrape_config_file.h"

namespace lockstep::scrape {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr std::string_view kGiven = R"(
global: {scrape_interval: 15s, sample_limit: 1000, scrape_protocols: [PrometheusText0.0.4]}
scrape_configs:
- job_name: "1"
  static_configs:
  - targets: [node0:9400, "node1:9400"]
    labels: {rack: "7", __param_token: LABEL-SECRET}
- job_name: trainers
  scrape_interval: 5s
  metrics_path: /m
  scheme: https
  params: {module: [a, b], token: [PARAM-SECRET]}
  honor_labels: true
  body_size_limit: 10MB
  fallback_scrape_protocol: PrometheusText0.0.4
  basic_auth: {username: me, password: PASSWORD-SECRET}
  tls_config: {ca_file: ca.crt, insecure_skip_verify: true}
  proxy_url: http://me:PROXY-SECRET@proxy:1
  file_sd_configs: [{files: [targets/*.json]}]
  http_sd_configs:
  - {url: "http://u:SD-SECRET@h/sd?api_key=KEY-SECRET", bearer_token: BEARER-SECRET}
  dns_sd_configs: [{names: [a.example], type: AAAA, port: 9100}]
  kubernetes_sd_configs:
  - role: pod
    api_server: https://me:API-SECRET@k.example
    bearer_token: KUBERNETES-SECRET
    namespaces: {names: [gpu]}
    selectors: [{role: pod, label: "app=dcgm", field: "spec.nodeName=n"}]
    attach_metadata: {node: true, namespace: true}
  - {role: node, namespaces: {own_namespace: true}}
  ec2_sd_configs:
  - region: us-east-1
    endpoint: https://ec2.example
    access_key: AKIA
    secret_key: EC2-SECRET
    port: 9402
    filters: [{name: "tag:role", values: [gpu]}]
    proxy_url: http://me:EC2-PROXY-SECRET@proxy:1
  - {}
  slurm_sd_configs: [{port: 9400}, {port: 9401, file: nodes.txt}]
  relabel_configs:
  - {source_labels: [__address__], regex: "(.*):\\d+", target_label: node, replacement: "$1"}
  - {source_labels: [a, b], modulus: 8, target_label: shard, action: hashmod, separator: "/"}
  metric_relabel_configs:
  - {action: labelDrop, regex: pod}
)";

std::string Written(std::string_view yaml) {
  const auto defaults = ParseScrapeDefaults(yaml, "/etc/a.yml");
  const auto configs = ParseScrapeConfigs(yaml, "/etc/a.yml");
  EXPECT_TRUE(defaults.ok() && configs.ok()) << configs.status();
  if (!defaults.ok() || !configs.ok()) return "";
  YamlWriter out;
  out.BeginMap();
  out.Key("global");
  out.BeginMap();
  WriteScrapeDefaults(*defaults, out);
  out.EndMap();
  WriteScrapeConfigs(*configs, out);
  out.EndMap();
  return out.TakeText();
}

TEST(ScrapeConfigYamlTest, WritesWhatCanBeReadAgain) {
  const std::string once = Written(kGiven);
  EXPECT_EQ(Written(once), once);
}

TEST(ScrapeConfigYamlTest, SaysAllOfIt) {
  const std::string written = Written(kGiven);
  for (const std::string_view said : {"global:\n  scrape_interval: 15s\n  scrape_timeout: 10s\n",
                                      "sample_limit: 1000",
                                      "job_name: \"1\"",
                                      "- node1:9400",
                                      "rack: \"7\"",
                                      "scrape_interval: 5s",
                                      "scrape_timeout: 5s",
                                      "metrics_path: /m",
                                      "scheme: https",
                                      "module:\n        - a\n        - b",
                                      "honor_labels: true",
                                      "body_size_limit: 10485760B",
                                      "fallback_scrape_protocol: PrometheusText0.0.4",
                                      "username: me",
                                      "password: <secret>",
                                      "ca_file: /etc/ca.crt",
                                      "insecure_skip_verify: true",
                                      "- /etc/targets/*.json",
                                      "refresh_interval: 1m",
                                      "credentials: <secret>",
                                      "type: AAAA",
                                      "port: 9100",
                                      "api_server: https://me:xxxxx@k.example",
                                      "role: pod",
                                      "label: app=dcgm",
                                      "field: spec.nodeName=n",
                                      "own_namespace: true",
                                      "attach_metadata:\n          node: true",
                                      "          namespace: true",
                                      "region: us-east-1",
                                      "endpoint: https://ec2.example",
                                      "access_key: AKIA",
                                      "secret_key: <secret>",
                                      "port: 9402",
                                      "name: tag:role",
                                      "- scontrol",
                                      "file: /etc/nodes.txt",
                                      "regex: (.*):\\d+",
                                      "modulus: 8",
                                      "separator: /",
                                      "action: labeldrop"}) {
    EXPECT_THAT(written, HasSubstr(said));
  }
}

// Nothing here is a secret, and no key has its default.
constexpr std::string_view kOpen = R"(
scrape_configs:
- job_name: trainers
  scrape_interval: 5s
  scrape_timeout: 3s
  metrics_path: /m
  scheme: https
  params: {module: [a, b], x: [y]}
  honor_labels: true
  honor_timestamps: false
  track_timestamps_staleness: true
  enable_compression: false
  scrape_protocols: [PrometheusText0.0.4, PrometheusProto]
  fallback_scrape_protocol: OpenMetricsText1.0.0
  scrape_native_histograms: true
  always_scrape_classic_histograms: true
  body_size_limit: 10MB
  sample_limit: 1
  label_limit: 2
  label_name_length_limit: 3
  label_value_length_limit: 4
  target_limit: 5
  keep_dropped_targets: 6
  follow_redirects: false
  basic_auth: {username: me, password_file: password}
  tls_config: {ca_file: ca.crt, cert_file: cert, key_file: key, insecure_skip_verify: true}
  proxy_url: http://proxy:1
  static_configs:
  - {targets: [h:1, h:2], labels: {rack: "7"}}
  - {targets: [h:3]}
  file_sd_configs: [{files: [targets/*.json, more.yml]}]
  http_sd_configs: [{url: "http://h/sd", refresh_interval: 2m, bearer_token_file: token}]
  dns_sd_configs:
  - {names: [a.example, b.example], type: AAAA, port: 9100, refresh_interval: 7s}
  - {names: [c.example]}
  kubernetes_sd_configs:
  - role: pod
    api_server: https://k.example
    authorization: {type: Token, credentials_file: token}
    namespaces: {names: [gpu, cpu]}
    selectors: [{role: pod, label: "app=dcgm", field: "spec.nodeName=n"}, {role: node, label: "x"}]
    attach_metadata: {node: true, namespace: true}
    refresh_interval: 8s
  - {role: node, namespaces: {own_namespace: true}}
  ec2_sd_configs:
  - region: us-east-1
    endpoint: https://ec2.example
    port: 9402
    refresh_interval: 9s
    filters: [{name: "tag:role", values: [gpu, cpu]}, {name: vpc-id, values: [v]}]
    tls_config: {ca_file: ca.crt}
    proxy_url: http://proxy:2
  - {}
  slurm_sd_configs:
  - {port: 9400, refresh_interval: 10s, command: [sinfo, -x]}
  - {port: 9401, file: nodes.txt}
  relabel_configs:
  - {source_labels: [a, b], regex: "(.*):x", target_label: node, replacement: "$1", separator: "/"}
  - {source_labels: [a], modulus: 8, target_label: shard, action: hashmod}
  metric_relabel_configs:
  - {action: labeldrop, regex: pod}
)";

ScrapeConfig OnlyJobOf(const std::string& yaml) {
  const auto configs = ParseScrapeConfigs(yaml, "/etc/a.yml");
  EXPECT_TRUE(configs.ok()) << configs.status();
  return configs.ok() && configs->size() == 1 ? configs->front() : ScrapeConfig();
}

std::string RulesText(const std::vector<RelabelRule>& rules) {
  std::string text;
  for (const RelabelRule& rule : rules) {
    const RelabelSpec& spec = rule.spec();
    text += std::string(Name(spec.action)) + " from";
    for (const std::string& label : spec.source_labels) text += " " + label;
    text += " by " + spec.separator.value_or("-") + " of " + spec.regex.value_or("-") + " to " +
            spec.replacement.value_or("-") + " in " + spec.target_label + " mod " +
            std::to_string(spec.modulus) + "\n";
  }
  return text;
}

TEST(ScrapeConfigYamlTest, SaysTheSameOfAJobAgain) {
  const ScrapeConfig config = OnlyJobOf(Written(kOpen));
  EXPECT_EQ(config.job_name, "trainers");
  EXPECT_EQ(config.interval, milliseconds(5'000));
  EXPECT_EQ(config.timeout, milliseconds(3'000));
  EXPECT_EQ(config.metrics_path, "/m");
  EXPECT_EQ(config.scheme, "https");
  ASSERT_EQ(config.params.size(), 2u);
  EXPECT_EQ(config.params[0].first, "module");
  EXPECT_EQ(config.params[0].second, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(config.params[1].first, "x");
  EXPECT_TRUE(config.honor_labels);
  EXPECT_FALSE(config.honor_timestamps);
  EXPECT_TRUE(config.track_timestamps_staleness);
  EXPECT_FALSE(config.enable_compression);
  EXPECT_EQ(config.protocols,
            (std::vector{ScrapeProtocol::kPrometheusText004, ScrapeProtocol::kPrometheusProto}));
  EXPECT_EQ(config.fallback_protocol, std::vector{ScrapeProtocol::kOpenMetrics100});
  EXPECT_TRUE(config.scrape_native_histograms);
  EXPECT_TRUE(config.always_scrape_classic_histograms);
  EXPECT_EQ(config.limits.body_bytes, 10u << 20);
  EXPECT_EQ(config.limits.samples, 1u);
  EXPECT_EQ(config.limits.labels, 2u);
  EXPECT_EQ(config.limits.label_name_bytes, 3u);
  EXPECT_EQ(config.limits.label_value_bytes, 4u);
  EXPECT_EQ(config.limits.targets, 5u);
  EXPECT_EQ(config.limits.kept_dropped_targets, 6u);
  EXPECT_EQ(config.http.user, "me");
  EXPECT_EQ(config.http.password.file, "/etc/password");
  EXPECT_FALSE(config.http.follow_redirects);
  EXPECT_EQ(config.http.tls.ca_file, "/etc/ca.crt");
  EXPECT_EQ(config.http.tls.cert_file, "/etc/cert");
  EXPECT_EQ(config.http.tls.key_file, "/etc/key");
  EXPECT_TRUE(config.http.tls.insecure_skip_verify);
  EXPECT_EQ(config.http.proxy_url, "http://proxy:1");
  EXPECT_EQ(RulesText(config.relabel_rules),
            "replace from a b by / of (.*):x to $1 in node mod 0\n"
            "hashmod from a by - of - to - in shard mod 8\n");
  EXPECT_EQ(RulesText(config.metric_relabel_rules), "labeldrop from by - of pod to - in  mod 0\n");
}

TEST(ScrapeConfigYamlTest, SaysTheSameOfDiscoveryAgain) {
  const ScrapeConfig given = OnlyJobOf(std::string(kOpen));
  const ScrapeConfig again = OnlyJobOf(Written(kOpen));
  ASSERT_EQ(again.static_groups.size(), 2u);
  EXPECT_EQ(again.static_groups, given.static_groups);
  ASSERT_EQ(again.files.size(), 1u);
  EXPECT_EQ(again.files[0].patterns,
            (std::vector<std::string>{"/etc/targets/*.json", "/etc/more.yml"}));
  ASSERT_EQ(again.urls.size(), 1u);
  EXPECT_EQ(again.urls, given.urls);
  ASSERT_EQ(again.dns.size(), 2u);
  EXPECT_EQ(again.dns, given.dns);
  ASSERT_EQ(again.kubernetes.size(), 2u);
  EXPECT_EQ(again.kubernetes, given.kubernetes);
  ASSERT_EQ(again.ec2.size(), 2u);
  EXPECT_EQ(again.ec2, given.ec2);
  ASSERT_EQ(again.slurm.size(), 2u);
  EXPECT_EQ(again.slurm, given.slurm);
}

TEST(ScrapeConfigYamlTest, LeavesOutWhatIsNotThere) {
  const std::string written = Written("scrape_configs: [{job_name: a}]\n");
  for (const char* key :
       {"params", "limit", "keep_dropped", "fallback", "basic_auth", "authorization", "tls_config",
        "proxy_url", "_sd_configs", "static_configs", "relabel"}) {
    EXPECT_THAT(written, Not(HasSubstr(key)));
  }
  EXPECT_THAT(written, HasSubstr("job_name: a\n"));
  const std::string dns = Written(
      "scrape_configs: [{job_name: a, dns_sd_configs: [{names: [b]}], ec2_sd_configs: [{}], "
      "slurm_sd_configs: [{port: 1}], static_configs: [{targets: [c]}], kubernetes_sd_configs: "
      "[{role: pod, attach_metadata: {namespace: true}}], relabel_configs: [{target_label: "
      "t}]}]\n");
  for (const char* key : {" labels:", "selectors", "namespaces:", "api_server", "own_namespace",
                          "filters", "region", "endpoint", "access_key", "file:", "node:",
                          "source_labels", "separator", "regex", "modulus", "replacement"}) {
    EXPECT_THAT(dns, Not(HasSubstr(key))) << key;
  }
  EXPECT_THAT(dns, HasSubstr("namespace: true"));
  // An SRV record has its own port.
  EXPECT_EQ(dns.find("port:"), dns.find("port: 80"));
}

TEST(ScrapeConfigYamlTest, KeepsSecrets) {
  EXPECT_THAT(Written(kGiven), Not(HasSubstr("-SECRET")));
}

TEST(ScrapeConfigYamlTest, SaysTheDefaults) {
  EXPECT_EQ(Written(""),
            "global:\n"
            "  scrape_interval: 1m\n"
            "  scrape_timeout: 10s\n"
            "  scrape_native_histograms: false\n"
            "  always_scrape_classic_histograms: false\n");
}

}  // namespace
}  // namespace lockstep::scrape
