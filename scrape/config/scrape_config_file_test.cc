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
  EXPECT_EQ(second.timeout, milliseconds(5'000));  // no longer than the interval
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
  ASSERT_EQ(config.kubernetes.size(), 2u);
  const KubernetesDiscovery& first = config.kubernetes[0];
  EXPECT_EQ(first.role, KubernetesRole::kEndpointSlice);
  EXPECT_EQ(first.api_server, "https://k.example/cluster");
  EXPECT_EQ(first.http.credentials.file, "/etc/token");
  EXPECT_THAT(first.namespaces, ElementsAre("gpu"));
  ASSERT_EQ(first.selectors.size(), 1u);
  EXPECT_EQ(first.selectors[0].label, "app=dcgm");
  EXPECT_TRUE(first.attach_node);
  EXPECT_EQ(config.kubernetes[1].refresh_interval, milliseconds(10'000));
}

// As in Prometheus 3: who wants native histograms asks for protobuf first.
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
    std::string_view job;  // its keys, in line 2
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
               "a.yml line 2: slurm_sd_configs takes one of command and file"},
           Row{"job_name: x, slurm_sd_configs: [{port: 1, command: []}]",
               "a.yml line 2: slurm_sd_configs: command has to name a program"},
           Row{"job_name: x, kubernetes_sd_configs: [{api_server: \"http://a\"}]",
               "a.yml line 2: kubernetes_sd_configs needs role"},
           Row{"job_name: x, kubernetes_sd_configs: [{role: ingress}]",
               "a.yml line 2: role \"ingress\" is not one of node, pod, service, endpoints and "
               "endpointslice"},
           Row{"job_name: x, kubernetes_sd_configs: [{role: pod, api_server: a}]",
               "a.yml line 2: api_server: \"a\" is not a URL of http or https"},
           Row{"job_name: x, kubernetes_sd_configs: [{role: pod, bearer_token: a}]",
               "a.yml line 2: kubernetes_sd_configs takes keys of an HTTP client only with "
               "api_server"},
           Row{"job_name: x, kubernetes_sd_configs: [{role: pod, api_server: \"http://a\", "
               "namespaces: {own_namespace: true}}]",
               "a.yml line 2: namespaces: own_namespace does not go with api_server"},
           Row{"job_name: x, kubernetes_sd_configs: [{role: pod, selectors: [{role: node}]}]",
               "a.yml line 2: selectors for node do not go with the role pod"},
           Row{"job_name: x, kubernetes_sd_configs: [{role: pod, selectors: [{role: pod}, {role: "
               "pod}]}]",
               "a.yml line 2: selectors has the role pod twice"},
           Row{"job_name: x, kubernetes_sd_configs: [{role: node, attach_metadata: {node: true}}]",
               "a.yml line 2: attach_metadata does not go with the role node"},
           Row{"job_name: x, kubernetes_sd_configs: [{role: pod, kubeconfig_file: a}]",
               "a.yml line 2: \"kubeconfig_file\" of kubernetes_sd_configs is not supported here"},
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
      "a.yml line 3: the job \"x\" is there twice");
}

}  // namespace
}  // namespace lockstep::scrape
