#include "scrape/config/scrape_config_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep::scrape {
namespace {

using testing::ElementsAre;

TEST(ScrapeConfigFileTest, ReadsWhatPrometheusReads) {
  const auto configs = ParseScrapeConfigs(R"(
global:
  scrape_interval: 15s
  sample_limit: 1000
http: 127.0.0.1:0
scrape_configs:
- job_name: dcgm
  static_configs:
  - targets: [node0:9400, "node1:9400"]
    labels: {rack: r1, empty: ""}
- job_name: trainers
  scrape_interval: 5s
  metrics_path: /m
  scheme: https
  params: {module: [a, b]}
  honor_labels: true
  honor_timestamps: false
  body_size_limit: 10MB
  scrape_protocols: [PrometheusText0.0.4]
  fallback_scrape_protocol: PrometheusText0.0.4
  basic_auth: {username: me, password_file: secret}
  tls_config: {ca_file: ca.crt, insecure_skip_verify: true}
  file_sd_configs: [{files: [targets/*.json], refresh_interval: 1m}]
  http_sd_configs: [{url: "http://127.0.0.1/sd", bearer_token: t}]
  relabel_configs:
  - {source_labels: [__address__], target_label: node}
  metric_relabel_configs:
  - {action: labelDrop, regex: pod}
)",
                                          "/etc/a.yml");
  ASSERT_TRUE(configs.ok()) << configs.status();
  ASSERT_EQ(configs->size(), 2u);
  const ScrapeConfig& first = (*configs)[0];
  EXPECT_EQ(first.job_name, "dcgm");
  EXPECT_EQ(first.interval, milliseconds(15'000));
  EXPECT_EQ(first.timeout, milliseconds(10'000));
  EXPECT_EQ(first.limits.samples, 1000u);
  EXPECT_EQ(first.protocols.size(), 4u);
  EXPECT_FALSE(first.scrape_native_histograms);
  ASSERT_EQ(first.static_groups.size(), 1u);
  EXPECT_THAT(first.static_groups[0].addresses, ElementsAre("node0:9400", "node1:9400"));
  EXPECT_EQ(first.static_groups[0].labels.ToString(), R"({rack="r1"})");

  const ScrapeConfig& second = (*configs)[1];
  EXPECT_EQ(second.interval, milliseconds(5'000));
  EXPECT_EQ(second.timeout, milliseconds(5'000));  // capped at the interval
  EXPECT_EQ(second.limits.body_bytes, 10u << 20);
  EXPECT_EQ(second.limits.samples, 1000u);
  EXPECT_THAT(second.protocols, ElementsAre(ScrapeProtocol::kPrometheusText004));
  EXPECT_EQ(second.http.user, "me");
  EXPECT_EQ(second.http.password.file, "/etc/secret");
  EXPECT_EQ(second.http.tls.ca_file, "/etc/ca.crt");
  EXPECT_THAT(second.files[0].patterns, ElementsAre("/etc/targets/*.json"));
  EXPECT_EQ(second.urls[0].http.credentials.text, "t");
  EXPECT_EQ(second.relabel_rules.size(), 1u);
  EXPECT_EQ(second.metric_relabel_rules[0].spec().action, RelabelAction::kLabelDrop);
}

TEST(ScrapeConfigFileTest, ReadsDiscoveryInClusters) {
  const auto configs = ParseScrapeConfigs(R"(
scrape_configs:
- job_name: a
  dns_sd_configs: [{names: [a.example, b.example], type: A, port: 9100}, {names: [_m._tcp.c]}]
  slurm_sd_configs: [{port: 9400}, {port: 9100, file: nodes.txt, refresh_interval: 5m}]
  kubernetes_sd_configs:
  - role: endpointslice
    api_server: https://k.example/cluster/
    authorization: {credentials_file: token}
    namespaces: {names: [gpu]}
    selectors: [{role: pod, label: "app=dcgm", field: "spec.nodeName=n"}]
    attach_metadata: {node: true}
  - {role: node, refresh_interval: 10s}
  - {role: ingress, attach_metadata: {namespace: true}}
)",
                                          "/etc/a.yml");
  ASSERT_TRUE(configs.ok()) << configs.status();
  const ScrapeConfig& config = configs->at(0);
  ASSERT_EQ(config.dns.size(), 2u);
  EXPECT_THAT(config.dns[0].names, ElementsAre("a.example", "b.example"));
  EXPECT_EQ(config.dns[0].type, DnsRecordType::kA);
  EXPECT_EQ(config.dns[0].port, 9100);
  EXPECT_EQ(config.dns[1].type, DnsRecordType::kSrv);
  EXPECT_EQ(config.dns[1].refresh_interval, milliseconds(30'000));
  ASSERT_EQ(config.slurm.size(), 2u);
  EXPECT_THAT(config.slurm[0].command, ElementsAre("scontrol", "show", "nodes", "--oneliner"));
  EXPECT_EQ(config.slurm[1].file, "/etc/nodes.txt");
  ASSERT_EQ(config.kubernetes.size(), 3u);
  const KubernetesDiscovery& first = config.kubernetes[0];
  EXPECT_EQ(first.role, KubernetesRole::kEndpointSlice);
  EXPECT_EQ(first.api_server, "https://k.example/cluster");
  EXPECT_EQ(first.http.credentials.file, "/etc/token");
  EXPECT_THAT(first.namespaces, ElementsAre("gpu"));
  ASSERT_EQ(first.selectors.size(), 1u);
  EXPECT_EQ(first.selectors[0].label, "app=dcgm");
  EXPECT_TRUE(first.attach_node);
  EXPECT_FALSE(first.attach_namespace);
  EXPECT_EQ(config.kubernetes[1].refresh_interval, milliseconds(10'000));
  EXPECT_EQ(config.kubernetes[2].role, KubernetesRole::kIngress);
  EXPECT_TRUE(config.kubernetes[2].attach_namespace);
}

TEST(ScrapeConfigFileTest, ReadsDiscoveryInEc2) {
  const auto configs = ParseScrapeConfigs(R"(
scrape_configs:
- job_name: a
  ec2_sd_configs:
  - region: us-east-1
    endpoint: ec2.example:8443/
    access_key: AKIA
    secret_key: s
    port: 9400
    refresh_interval: 5m
    filters: [{name: "tag:role", values: [gpu, cpu]}, {name: vpc-id, values: [v]}]
    tls_config: {ca_file: ca.crt}
    proxy_url: http://proxy:1
  - {}
)",
                                          "/etc/a.yml");
  ASSERT_TRUE(configs.ok()) << configs.status();
  const auto& discoveries = configs->at(0).ec2;
  ASSERT_EQ(discoveries.size(), 2u);
  Ec2Discovery expected;
  expected.region = "us-east-1";
  expected.endpoint = "https://ec2.example:8443";
  expected.access_key = "AKIA";
  expected.secret_key = "s";
  expected.port = 9400;
  expected.refresh_interval = milliseconds(300'000);
  expected.filters = {{"tag:role", {"gpu", "cpu"}}, {"vpc-id", {"v"}}};
  expected.http.tls.ca_file = "/etc/ca.crt";
  expected.http.proxy_url = "http://proxy:1";
  EXPECT_EQ(discoveries[0], expected);
  EXPECT_EQ(discoveries[1].port, 80);
  EXPECT_EQ(discoveries[1].refresh_interval, milliseconds(60'000));
}

// As in Prometheus 3, native histograms make protobuf the preferred format.
TEST(ScrapeConfigFileTest, NativeHistogramsChangeWhatIsAskedFor) {
  const auto configs = ParseScrapeConfigs(
      "global: {scrape_native_histograms: true, always_scrape_classic_histograms: true}\n"
      "scrape_configs:\n- job_name: a\n- {job_name: b, scrape_native_histograms: false}\n"
      "- {job_name: c, scrape_protocols: [OpenMetricsText1.0.0, PrometheusProto]}\n",
      "a.yml");
  ASSERT_TRUE(configs.ok()) << configs.status();
  EXPECT_EQ((*configs)[0].protocols.size(), 5u);
  EXPECT_EQ((*configs)[0].protocols.front(), ScrapeProtocol::kPrometheusProto);
  EXPECT_TRUE((*configs)[0].always_scrape_classic_histograms);
  EXPECT_EQ((*configs)[1].protocols.front(), ScrapeProtocol::kOpenMetrics100);
  EXPECT_THAT((*configs)[2].protocols,
              ElementsAre(ScrapeProtocol::kOpenMetrics100, ScrapeProtocol::kPrometheusProto));
}

TEST(ScrapeConfigFileTest, AFileWithoutJobsHasNone) {
  EXPECT_TRUE(ParseScrapeConfigs("http: 127.0.0.1:0\n", "a.yml")->empty());
  EXPECT_TRUE(ParseScrapeConfigs("scrape_configs:\n", "a.yml")->empty());
}

TEST(ScrapeConfigFileTest, SaysWhereTheFileIsWrong) {
  struct Row {
    std::string_view job;  // the job's keys, in line 2
    std::string_view error;
  };
  for (const Row& row : {
           Row{"job_nam: x", "a.yml line 2: unknown key \"job_nam\" in a scrape configuration"},
           Row{"scheme: http", "a.yml line 2: a scrape configuration needs job_name"},
           Row{"job_name: x, scheme: ftp",
               "a.yml line 2: scheme \"ftp\" is neither http nor https"},
           Row{"job_name: x, scrape_interval: 0s",
               "a.yml line 2: scrape_interval: \"0s\" is not a duration like 500ms, 15s or 1m"},
           Row{"job_name: x, scrape_interval: 1s, scrape_timeout: 2s",
               "a.yml line 2: scrape_timeout of 2000 ms is longer than scrape_interval of 1000 ms"},
           Row{"job_name: x, sample_limit: -1",
               "a.yml line 2: sample_limit: \"-1\" is not a whole number"},
           Row{"job_name: x, scrape_protocols: [PrometheusXml]",
               "a.yml line 2: scrape_protocols: \"PrometheusXml\" is not a scrape protocol"},
           Row{"job_name: x, consul_sd_configs: []",
               "a.yml line 2: \"consul_sd_configs\" of a scrape configuration is not supported "
               "here"},
           Row{"job_name: x, dns_sd_configs: [{names: [a], type: TXT}]",
               "a.yml line 2: dns_sd_configs: type \"TXT\" is not one of SRV, A, AAAA, MX and NS"},
           Row{"job_name: x, dns_sd_configs: [{names: [a], type: A}]",
               "a.yml line 2: dns_sd_configs needs port for records of type A"},
           Row{"job_name: x, dns_sd_configs: [{type: SRV}]",
               "a.yml line 2: dns_sd_configs needs names"},
           Row{"job_name: x, dns_sd_configs: [{names: [a], port: 65536}]",
               "a.yml line 2: port: \"65536\" is not a port from 1 to 65535"},
           Row{"job_name: x, slurm_sd_configs: [{command: [sinfo]}]",
               "a.yml line 2: slurm_sd_configs needs port"},
           Row{"job_name: x, slurm_sd_configs: [{port: 1, command: [a], file: b}]",
               "a.yml line 2: slurm_sd_configs takes either command or file"},
           Row{"job_name: x, slurm_sd_configs: [{port: 1, command: []}]",
               "a.yml line 2: slurm_sd_configs: command has to name a program"},
           Row{"job_name: x, kubernetes_sd_configs: [{api_server: \"http://a\"}]",
               "a.yml line 2: kubernetes_sd_configs needs role"},
           Row{"job_name: x, kubernetes_sd_configs: [{role: namespace}]",
               "a.yml line 2: role \"namespace\" is not one of node, pod, service, endpoints, "
               "endpointslice and ingress"},
           Row{"job_name: x, kubernetes_sd_configs: [{role: pod, api_server: a}]",
               "a.yml line 2: api_server: \"a\" is not an http or https URL"},
           Row{"job_name: x, kubernetes_sd_configs: [{role: pod, bearer_token: a}]",
               "a.yml line 2: kubernetes_sd_configs allows HTTP client keys only with "
               "api_server"},
           Row{"job_name: x, kubernetes_sd_configs: [{role: pod, api_server: \"http://a\", "
               "namespaces: {own_namespace: true}}]",
               "a.yml line 2: namespaces: own_namespace cannot be used with api_server"},
           Row{"job_name: x, kubernetes_sd_configs: [{role: pod, selectors: [{role: node}]}]",
               "a.yml line 2: selectors for node cannot be used with the role pod"},
           Row{"job_name: x, kubernetes_sd_configs: [{role: pod, selectors: [{role: pod}, {role: "
               "pod}]}]",
               "a.yml line 2: selectors has the role pod twice"},
           Row{"job_name: x, kubernetes_sd_configs: [{role: node, attach_metadata: {node: true}}]",
               "a.yml line 2: attach_metadata cannot be used with the role node"},
           Row{"job_name: x, kubernetes_sd_configs: [{role: node, attach_metadata: {namespace: "
               "true}}]",
               "a.yml line 2: attach_metadata cannot be used with the role node"},
           Row{"job_name: x, kubernetes_sd_configs: [{role: pod, attach_metadata: {job: true}}]",
               "a.yml line 2: \"job\" of attach_metadata is not supported here"},
           Row{"job_name: x, kubernetes_sd_configs: [{role: pod, kubeconfig_file: a}]",
               "a.yml line 2: \"kubeconfig_file\" of kubernetes_sd_configs is not supported here"},
           Row{"job_name: x, ec2_sd_configs: [{profile: p}]",
               "a.yml line 2: \"profile\" of ec2_sd_configs is not supported here"},
           Row{"job_name: x, ec2_sd_configs: [{role_arn: a}]",
               "a.yml line 2: \"role_arn\" of ec2_sd_configs is not supported here"},
           Row{"job_name: x, ec2_sd_configs: [{basic_auth: {username: a}}]",
               "a.yml line 2: \"basic_auth\" of ec2_sd_configs is not supported here"},
           Row{"job_name: x, ec2_sd_configs: [{region: \"us-east-1:s3\"}]",
               "a.yml line 2: region: \"us-east-1:s3\" is not the name of a region like "
               "us-east-1"},
           Row{"job_name: x, ec2_sd_configs: [{secret_key: s}]",
               "a.yml line 2: ec2_sd_configs needs access_key and secret_key, or neither"},
           Row{"job_name: x, ec2_sd_configs: [{endpoint: \"http://u:p@h/x\"}]",
               "a.yml line 2: endpoint: \"http://u:xxxxx@h/x\" is not scheme, host and port of a "
               "URL of http or https"},
           Row{"job_name: x, ec2_sd_configs: [{endpoint: \"ftp://h\"}]",
               "a.yml line 2: endpoint: \"ftp://h\" is not scheme, host and port"},
           Row{"job_name: x, ec2_sd_configs: [{filters: [{name: a}]}]",
               "a.yml line 2: the filter \"a\" needs values"},
           Row{"job_name: x, ec2_sd_configs: [{filters: [{values: [a]}]}]",
               "a.yml line 2: a filter needs name"},
           Row{"job_name: x, oauth2: {}",
               "a.yml line 2: \"oauth2\" of an HTTP client is not supported here"},
           Row{"job_name: x, basic_auth: {username: a}, bearer_token: b",
               "a.yml line 2: at most one of basic_auth, authorization and bearer_token can be "
               "given"},
           Row{"job_name: x, file_sd_configs: [{files: [a.txt]}]",
               "a.yml line 2: \"a.txt\" is not a file that ends with .json"},
           Row{"job_name: x, static_configs: [{targets: a}]",
               "a.yml line 2: targets has to be a list"},
           Row{"job_name: x, relabel_configs: [{action: keep, regex: \"(\"}]",
               "a.yml line 2: \"(\" is not a regular expression"},
           Row{"job_name: x, relabel_configs: [{action: keeps}]",
               "a.yml line 2: \"keeps\" is not a relabel action"},
       }) {
    const std::string yaml = "scrape_configs:\n- {" + std::string(row.job) + "}\n";
    const absl::Status status = ParseScrapeConfigs(yaml, "a.yml").status();
    EXPECT_TRUE(Message(status).starts_with(row.error)) << Message(status);
  }
  EXPECT_EQ(Message(ParseScrapeConfigs("global: {runtime: {gogc: 50}}\n", "a.yml").status()),
            "a.yml line 1: \"runtime\" of global is not supported here");
  EXPECT_EQ(
      Message(
          ParseScrapeConfigs("scrape_configs:\n- job_name: x\n- job_name: x\n", "a.yml").status()),
      "a.yml line 3: the job \"x\" appears twice");
}

}  // namespace
}  // namespace lockstep::scrape
