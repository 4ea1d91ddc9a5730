#include "scrape/config/scrape_config_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include "scrape/config/target_groups.h"

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

// The error of a job with these keys, without the place.
std::string JobError(const std::string& keys) {
  const std::string error(Message(
      ParseScrapeConfigs("scrape_configs:\n- {job_name: x, " + keys + "}\n", "a.yml").status()));
  return error.substr(std::min(error.find(": ") + 2, error.size()));
}

TEST(ScrapeConfigFileTest, ListsHaveToBeLists) {
  for (const char* key :
       {"file_sd_configs", "http_sd_configs", "dns_sd_configs", "ec2_sd_configs",
        "kubernetes_sd_configs", "slurm_sd_configs", "relabel_configs", "metric_relabel_configs"}) {
    EXPECT_EQ(JobError(std::string(key) + ": {}"), std::string(key) + " has to be a list");
  }
  EXPECT_EQ(JobError("relabel_configs: , metric_relabel_configs: "), "");
  EXPECT_EQ(JobError("static_configs: {}"), "target groups have to be a list");
  EXPECT_EQ(JobError("static_configs: "), "");
  EXPECT_EQ(JobError("static_configs: [{labels: }]"), "");
  EXPECT_EQ(JobError("static_configs: [{labels: [a]}]"), "labels has to map names to values");
  EXPECT_EQ(JobError("static_configs: [{labels: {'': a}}]"), "\"\" is not a label name");
  EXPECT_EQ(JobError("params: [a]"), "params has to map names to lists");
  EXPECT_EQ(JobError("ec2_sd_configs: [{filters: {}}]"), "filters has to be a list");
  EXPECT_EQ(JobError("kubernetes_sd_configs: [{role: pod, selectors: {}}]"),
            "selectors has to be a list");
  EXPECT_EQ(Message(ParseScrapeConfigs("scrape_configs: {}\n", "a.yml").status()),
            "a.yml line 1: scrape_configs has to be a list");
}

TEST(ScrapeConfigFileTest, ValuesHaveTheirLimits) {
  const auto dns = [](const std::string& keys) {
    return JobError("dns_sd_configs: [{" + keys + "}]");
  };
  EXPECT_EQ(dns("names: [a], type: A, port: 1"), "");
  EXPECT_EQ(dns("names: [a], type: A, port: 65535"), "");
  EXPECT_EQ(dns("names: [a], type: A, port: 0"), "port: \"0\" is not a port from 1 to 65535");
  EXPECT_EQ(dns("names: [a], type: A, port: x"), "port: \"x\" is not a port from 1 to 65535");
  EXPECT_EQ(dns("names: [" + std::string(253, 'a') + "]"), "");
  const std::string long_name(254, 'a');
  EXPECT_EQ(dns("names: [" + long_name + "]"),
            "dns_sd_configs: \"" + long_name + "\" is not a DNS name");
  EXPECT_EQ(dns("names: ['']"), "dns_sd_configs: \"\" is not a DNS name");
  EXPECT_EQ(dns("names: [\"a\\0b\"]").substr(0, 17), "dns_sd_configs: \"");
  const auto ec2 = [](const std::string& region) {
    return JobError("ec2_sd_configs: [{region: " + region + "}]");
  };
  EXPECT_EQ(ec2(std::string(63, 'a')), "");
  EXPECT_NE(ec2(std::string(64, 'a')), "");
  EXPECT_EQ(ec2("0a-z9"), "");
  EXPECT_NE(ec2("US"), "");
  EXPECT_EQ(JobError("scrape_interval: 1s, scrape_timeout: 1s"), "");
  EXPECT_EQ(JobError("sample_limit: 18446744073709551615"), "");
  EXPECT_EQ(JobError("sample_limit: 18446744073709551616"),
            "sample_limit: \"18446744073709551616\" is not a whole number");
  EXPECT_EQ(JobError("sample_limit: 1.5"), "sample_limit: \"1.5\" is not a whole number");
  EXPECT_NE(JobError("body_size_limit: many"), "");
  EXPECT_EQ(JobError("scrape_interval: -1s"),
            "scrape_interval: \"-1s\" is not a duration like 500ms, 15s or 1m");
}

TEST(ScrapeConfigFileTest, ProtocolsAreEachNamedOnce) {
  EXPECT_EQ(JobError("scrape_protocols: []"), "scrape_protocols is empty");
  EXPECT_EQ(JobError("scrape_protocols: [PrometheusProto, PrometheusProto]"),
            "scrape_protocols names PrometheusProto twice");
  EXPECT_EQ(JobError("fallback_scrape_protocol: [PrometheusProto, PrometheusText0.0.4]"),
            "fallback_scrape_protocol has to be one protocol");
  EXPECT_EQ(JobError("fallback_scrape_protocol: x"),
            "fallback_scrape_protocol: \"x\" is not a scrape protocol");
  const auto configs = ParseScrapeConfigs(
      "scrape_configs: [{job_name: a, scrape_protocols: [PrometheusProto, OpenMetricsText1.0.0, "
      "OpenMetricsText0.0.1, PrometheusText1.0.0, PrometheusText0.0.4]}, {job_name: b}]\n",
      "a.yml");
  ASSERT_TRUE(configs.ok()) << configs.status();
  EXPECT_THAT((*configs)[0].protocols,
              ElementsAre(ScrapeProtocol::kPrometheusProto, ScrapeProtocol::kOpenMetrics100,
                          ScrapeProtocol::kOpenMetrics001, ScrapeProtocol::kPrometheusText100,
                          ScrapeProtocol::kPrometheusText004));
  EXPECT_THAT((*configs)[1].protocols,
              ElementsAre(ScrapeProtocol::kOpenMetrics100, ScrapeProtocol::kOpenMetrics001,
                          ScrapeProtocol::kPrometheusText100, ScrapeProtocol::kPrometheusText004));
}

TEST(ScrapeConfigFileTest, FilesHaveTypesAndAtMostOneStar) {
  const auto files = [](const std::string& name) {
    return JobError("file_sd_configs: [{files: ['" + name + "']}]");
  };
  for (const char* name : {"a.json", "a.yml", "a.yaml", "a/*.json", "a*b.yml", "/*.yaml"}) {
    EXPECT_EQ(files(name), "") << name;
  }
  for (const char* name : {"a", "a.yam", "*/a.json", "*a*.json", "a/**.json", "json"}) {
    EXPECT_EQ(files(name), "\"" + std::string(name) +
                               "\" is not a file that ends with .json, .yml or .yaml, with at most "
                               "one * in its name");
  }
  EXPECT_EQ(JobError("file_sd_configs: [{}]"), "file_sd_configs needs files");
  EXPECT_EQ(JobError("file_sd_configs: [{files: []}]"), "file_sd_configs needs files");
}

TEST(ScrapeConfigFileTest, ClientsHaveOneWayToLogIn) {
  EXPECT_EQ(JobError("basic_auth: {}"), "basic_auth needs username");
  EXPECT_EQ(JobError("basic_auth: {username: a, password: b, password_file: c}"),
            "basic_auth takes either password or password_file");
  EXPECT_EQ(JobError("basic_auth: {username: a}"), "");
  EXPECT_EQ(JobError("authorization: {type: Basic, credentials: a}"),
            "authorization cannot have type Basic: use basic_auth");
  EXPECT_EQ(JobError("authorization: {type: basic, credentials: a}"),
            "authorization cannot have type Basic: use basic_auth");
  EXPECT_EQ(JobError("bearer_token: a, bearer_token_file: b"),
            "credentials are given both as text and as a file");
  EXPECT_EQ(JobError("basic_auth: {username: a}, bearer_token_file: b"),
            "at most one of basic_auth, authorization and bearer_token can be given");
  EXPECT_EQ(JobError("bearer_token_file: ''"), "bearer_token_file has to name a file");
  EXPECT_EQ(JobError("tls_config: {cert_file: a}"),
            "tls_config needs both cert_file and key_file, or neither");
  EXPECT_EQ(JobError("tls_config: {key_file: a}"),
            "tls_config needs both cert_file and key_file, or neither");
  EXPECT_EQ(JobError("tls_config: {cert_file: a, key_file: b}"), "");
  EXPECT_EQ(JobError("tls_config: {server_name: a}"),
            "\"server_name\" of tls_config is not supported here");
  EXPECT_EQ(JobError("basic_auth: {username_file: a}"),
            "\"username_file\" of basic_auth is not supported here");
  EXPECT_EQ(JobError("authorization: {credentials_ref: a}"),
            "\"credentials_ref\" of authorization is not supported here");
  EXPECT_EQ(JobError("http_sd_configs: [{url: 'http://h', bearer_token: a, bearer_token_file: b}]"),
            "credentials are given both as text and as a file");
  EXPECT_EQ(JobError("kubernetes_sd_configs: [{role: pod, api_server: 'http://h', bearer_token: a, "
                     "bearer_token_file: b}]"),
            "credentials are given both as text and as a file");
  EXPECT_EQ(JobError("http_sd_configs: [{url: h}]"), "\"h\" is not an http or https URL");
  EXPECT_EQ(JobError("http_sd_configs: [{url: 'https://h'}]"), "");
}

TEST(ScrapeConfigFileTest, WhatEachRoleOfKubernetesMayHave) {
  const auto error = [](const std::string& keys) {
    return JobError("kubernetes_sd_configs: [{" + keys + "}]");
  };
  for (const char* role : {"pod", "endpoints", "endpointslice"}) {
    EXPECT_EQ(error("role: " + std::string(role) +
                    ", attach_metadata: {node: true}, selectors: "
                    "[{role: node}, {role: pod}]"),
              "")
        << role;
    // Without it, no nodes are listed.
    EXPECT_EQ(error("role: " + std::string(role) + ", selectors: [{role: node}]"),
              "selectors for node cannot be used with the role " + std::string(role));
  }
  for (const char* role : {"service", "ingress"}) {
    EXPECT_EQ(error("role: " + std::string(role) + ", attach_metadata: {node: true}"),
              "attach_metadata cannot be used with the role " + std::string(role));
    EXPECT_EQ(error("role: " + std::string(role) + ", selectors: [{role: pod}]"),
              "selectors for pod cannot be used with the role " + std::string(role));
    EXPECT_EQ(error("role: " + std::string(role) + ", attach_metadata: {namespace: true}"), "");
  }
  EXPECT_EQ(error("role: endpoints, selectors: [{role: service}, {role: endpoints}]"), "");
  EXPECT_EQ(error("role: pod, selectors: [{role: service}]"),
            "selectors for service cannot be used with the role pod");
  EXPECT_EQ(error("role: endpoints, selectors: [{role: endpointslice}]"),
            "selectors for endpointslice cannot be used with the role endpoints");
  EXPECT_EQ(error("role: pod, namespaces: {names: ['']}"), "namespaces: a name is empty");
  EXPECT_EQ(error("role: pod, namespaces: {own_namespace: true}"), "");
  EXPECT_EQ(error("role: pod, api_server: 'https://h///'"), "");
}

TEST(ScrapeConfigFileTest, TheGlobalTimeoutIsAtMostTheInterval) {
  const auto defaults = ParseScrapeDefaults("global: {scrape_interval: 5s}\n", "a.yml");
  ASSERT_TRUE(defaults.ok()) << defaults.status();
  EXPECT_EQ(defaults->timeout, milliseconds(5'000));
  EXPECT_EQ(
      Message(ParseScrapeDefaults("global: {scrape_interval: 5s, scrape_timeout: 6s}\n", "a.yml")
                  .status()),
      "a.yml line 1: scrape_timeout of 6000 ms is longer than scrape_interval of 5000 ms");
  const auto equal =
      ParseScrapeDefaults("global: {scrape_interval: 5s, scrape_timeout: 5s}\n", "a.yml");
  EXPECT_EQ(equal->timeout, milliseconds(5'000));
  const auto none = ParseScrapeDefaults("", "a.yml");
  EXPECT_EQ(none->interval, milliseconds(60'000));
  EXPECT_EQ(none->timeout, milliseconds(10'000));
  EXPECT_TRUE(ParseScrapeDefaults("global: {evaluation_interval: x, rule_query_offset: y, "
                                  "external_labels: z}\n",
                                  "a.yml")
                  .ok());
}

TEST(ScrapeConfigFileTest, ReadsFiles) {
  const std::string path = testing::TempDir() + "scrape_config.yml";
  std::ofstream(path) << "global: {scrape_interval: 7s}\nscrape_configs: [{job_name: a}]\n";
  const auto configs = ReadScrapeConfigs(path);
  const auto defaults = ReadScrapeDefaults(path);
  std::remove(path.c_str());
  ASSERT_TRUE(configs.ok()) << configs.status();
  EXPECT_EQ(configs->at(0).interval, milliseconds(7'000));
  EXPECT_EQ(defaults->interval, milliseconds(7'000));
  for (const absl::Status& status :
       {ReadScrapeConfigs(path).status(), ReadScrapeDefaults(path).status()}) {
    EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
    EXPECT_EQ(Message(status), "cannot read \"" + path + "\"");
  }
}

TEST(TargetGroupsTest, AreYamlOrJson) {
  const auto groups = ParseTargetGroups(R"([{"targets": ["a:1"], "labels": {"x": 1}}, {}])", "s");
  ASSERT_TRUE(groups.ok()) << groups.status();
  ASSERT_EQ(groups->size(), 2u);
  EXPECT_EQ((*groups)[0].source, "s:0");
  EXPECT_EQ((*groups)[1].source, "s:1");
  EXPECT_EQ((*groups)[0].labels.ToString(), "{x=\"1\"}");
  EXPECT_TRUE((*groups)[1].addresses.empty());
  EXPECT_TRUE(ParseTargetGroups("", "s")->empty());
  const std::string error(Message(ParseTargetGroups("\n[{", "s").status()));
  EXPECT_TRUE(error.starts_with("s line 2: not YAML or JSON: ")) << error;
}

}  // namespace
}  // namespace lockstep::scrape
