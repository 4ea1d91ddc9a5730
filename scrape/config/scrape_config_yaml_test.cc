#include "scrape/config/scrape_config_yaml.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
