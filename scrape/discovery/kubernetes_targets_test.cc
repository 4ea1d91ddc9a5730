#include "scrape/discovery/kubernetes_targets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

#include "scrape/discovery/sources.h"
#include "tests/support/test_folder.h"

namespace lockstep::scrape {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsSupersetOf;
using testing::Key;
using testing::Not;
using testing::Pair;
using testing::UnorderedElementsAre;

using Labels = std::map<std::string, std::string>;

KubernetesDiscovery Finding(KubernetesRole role) {
  KubernetesDiscovery config;
  config.role = role;
  return config;
}

void Read(KubernetesRole role, const std::string& items, KubernetesObjects& objects) {
  const auto next = ReadKubernetesPage(role, R"({"items": )" + items + "}", objects);
  ASSERT_TRUE(next.ok()) << next.status();
  EXPECT_EQ(*next, "");
}

std::vector<TargetGroup> TargetsOf(const KubernetesDiscovery& config,
                                   const KubernetesObjects& objects) {
  const auto found = KubernetesTargets(config, objects);
  EXPECT_TRUE(found.ok()) << found.status();
  return found.ok() ? found->groups : std::vector<TargetGroup>();
}

std::vector<std::string> Addresses(const std::vector<TargetGroup>& groups) {
  std::vector<std::string> addresses;
  for (const TargetGroup& group : groups) addresses.push_back(group.addresses.at(0));
  return addresses;
}

// Without the common prefix of meta labels.
Labels LabelsOf(const TargetGroup& group) {
  constexpr std::string_view kPrefix = "__meta_kubernetes_";
  Labels labels;
  for (const LabelView& label : group.labels) {
    const bool is_meta = label.name.starts_with(kPrefix);
    labels[std::string(is_meta ? label.name.substr(kPrefix.size()) : label.name)] = label.value;
  }
  return labels;
}

constexpr const char* kPods = R"([
  {"metadata": {"name": "dcgm-x7", "namespace": "gpu", "uid": "0c4e",
     "labels": {"app.kubernetes.io/name": "dcgm", "empty": ""},
     "annotations": {"scrape/port": "9400"},
     "ownerReferences": [{"kind": "Other", "name": "o", "controller": false},
                         {"kind": "DaemonSet", "name": "dcgm", "controller": true}]},
   "spec": {"nodeName": "node-7",
     "initContainers": [{"name": "wait", "image": "busy:1", "ports": [{"containerPort": 7}]}],
     "containers": [
       {"name": "exporter", "image": "dcgm:3",
        "ports": [{"name": "metrics", "containerPort": 9400, "protocol": "TCP"},
                  {"containerPort": 9401, "protocol": "UDP"}]},
       {"name": "side", "image": "side:1"}]},
   "status": {"phase": "Running", "podIP": "10.1.0.7", "hostIP": "10.0.0.7",
     "conditions": [{"type": "Initialized", "status": "False"},
                    {"type": "Ready", "status": "True"}],
     "containerStatuses": [{"name": "side", "containerID": "containerd://s"},
                           {"name": "exporter", "containerID": "containerd://e"}]}},
  {"metadata": {"name": "starting", "namespace": "gpu"},
   "spec": {"containers": [{"name": "c", "ports": [{"containerPort": 1}]}]},
   "status": {"phase": "Pending"}}
])";

TEST(KubernetesTargetsTest, EveryPortOfAPodIsATarget) {
  KubernetesObjects objects;
  Read(KubernetesRole::kPod, kPods, objects);
  const auto groups = TargetsOf(Finding(KubernetesRole::kPod), objects);
  EXPECT_THAT(Addresses(groups),
              ElementsAre("10.1.0.7:9400", "10.1.0.7:9401", "10.1.0.7", "10.1.0.7:7"));
  EXPECT_EQ(LabelsOf(groups.at(0)), (Labels{{"namespace", "gpu"},
                                            {"pod_name", "dcgm-x7"},
                                            {"pod_uid", "0c4e"},
                                            {"pod_ip", "10.1.0.7"},
                                            {"pod_host_ip", "10.0.0.7"},
                                            {"pod_node_name", "node-7"},
                                            {"pod_phase", "Running"},
                                            {"pod_ready", "true"},
                                            {"pod_controller_kind", "DaemonSet"},
                                            {"pod_controller_name", "dcgm"},
                                            {"pod_label_app_kubernetes_io_name", "dcgm"},
                                            {"pod_labelpresent_app_kubernetes_io_name", "true"},
                                            {"pod_labelpresent_empty", "true"},
                                            {"pod_annotation_scrape_port", "9400"},
                                            {"pod_annotationpresent_scrape_port", "true"},
                                            {"pod_container_name", "exporter"},
                                            {"pod_container_image", "dcgm:3"},
                                            {"pod_container_id", "containerd://e"},
                                            {"pod_container_init", "false"},
                                            {"pod_container_port_name", "metrics"},
                                            {"pod_container_port_number", "9400"},
                                            {"pod_container_port_protocol", "TCP"}}));
  EXPECT_THAT(LabelsOf(groups.at(2)), Not(Contains(Key("pod_container_port_number"))));
  EXPECT_THAT(LabelsOf(groups.at(3)),
              IsSupersetOf({Pair("pod_container_init", "true"), Pair("pod_container_name", "wait"),
                            Pair("pod_container_port_protocol", "TCP")}));
}

TEST(KubernetesTargetsTest, MissingFieldsAreEmpty) {
  KubernetesObjects objects;
  Read(KubernetesRole::kPod,
       R"([{}, 7, {"metadata": [], "spec": {"containers": {}}}, {"status": {"podIP": "fd00::7"},
           "spec": {"containers": [{"ports": [{"containerPort": "x"}]}, {}]}}])",
       objects);
  const auto groups = TargetsOf(Finding(KubernetesRole::kPod), objects);
  EXPECT_THAT(Addresses(groups), ElementsAre("[fd00::7]:0", "[fd00::7]"));
  EXPECT_EQ(
      LabelsOf(groups.at(1)),
      (Labels{{"pod_ip", "fd00::7"}, {"pod_ready", "unknown"}, {"pod_container_init", "false"}}));
}

constexpr const char* kNodes = R"([
  {"metadata": {"name": "node-7", "labels": {"gpu": "h100"}, "annotations": {"a": "b"}},
   "spec": {"providerID": "cloud:///7"},
   "status": {"addresses": [{"type": "Hostname", "address": "node-7.example"},
                            {"type": "InternalIP", "address": "10.0.0.7"},
                            {"type": "InternalIP", "address": "10.0.1.7"}],
              "conditions": [{"type": "Ready", "status": "True"},
                             {"type": "example.org/Hot", "status": "Unknown"}],
              "daemonEndpoints": {"kubeletEndpoint": {"Port": 10250}}}},
  {"metadata": {"name": "without-address"}}
])";

TEST(KubernetesTargetsTest, NodesHaveTheBestAddressAndTheirName) {
  KubernetesObjects objects;
  Read(KubernetesRole::kNode, kNodes, objects);
  const auto groups = TargetsOf(Finding(KubernetesRole::kNode), objects);
  ASSERT_THAT(Addresses(groups), ElementsAre("10.0.0.7:10250"));
  EXPECT_EQ(LabelsOf(groups[0]), (Labels{{"instance", "node-7"},
                                         {"node_name", "node-7"},
                                         {"node_provider_id", "cloud:///7"},
                                         {"node_label_gpu", "h100"},
                                         {"node_labelpresent_gpu", "true"},
                                         {"node_annotation_a", "b"},
                                         {"node_annotationpresent_a", "true"},
                                         {"node_condition_ready", "true"},
                                         {"node_condition_example_org_hot", "unknown"},
                                         {"node_address_Hostname", "node-7.example"},
                                         {"node_address_InternalIP", "10.0.0.7"}}));
}

TEST(KubernetesTargetsTest, PodsMayHaveTheLabelsOfTheirNode) {
  KubernetesObjects objects;
  Read(KubernetesRole::kPod, kPods, objects);
  Read(KubernetesRole::kNode, kNodes, objects);
  Read(KubernetesRole::kPod, R"([{"metadata": {"name": "elsewhere"}, "spec":
    {"nodeName": "node-8", "containers": [{}]}, "status": {"podIP": "10.1.0.8"}}])",
       objects);
  KubernetesDiscovery config = Finding(KubernetesRole::kPod);
  config.attach_node = true;
  const auto groups = TargetsOf(config, objects);
  EXPECT_THAT(LabelsOf(groups.at(0)),
              IsSupersetOf({Pair("node_name", "node-7"), Pair("node_label_gpu", "h100"),
                            Pair("node_annotation_a", "b"), Pair("pod_name", "dcgm-x7")}));
  // Labels of a node that is itself a target.
  for (const char* name : {"node_provider_id", "node_address_InternalIP", "node_condition_ready"}) {
    EXPECT_THAT(LabelsOf(groups.at(0)), Not(Contains(Key(name))));
  }
  // A pod of a node that is not there, or was not selected, is left out.
  EXPECT_THAT(Addresses(groups), Not(Contains("10.1.0.8")));
  EXPECT_THAT(Addresses(TargetsOf(Finding(KubernetesRole::kPod), objects)), Contains("10.1.0.8"));
}

TEST(KubernetesTargetsTest, AnyMayHaveTheLabelsOfTheirNamespace) {
  KubernetesObjects objects;
  Read(KubernetesRole::kPod, kPods, objects);
  Read(KubernetesRole::kNamespace,
       R"([{"metadata": {"name": "gpu", "labels": {"team": "x"}, "annotations": {"a": ""}}},
           {"metadata": {"name": "other", "labels": {"team": "y"}}}])",
       objects);
  const Labels labels = LabelsOf(TargetsOf(Finding(KubernetesRole::kPod), objects).at(0));
  EXPECT_THAT(labels, IsSupersetOf({Pair("namespace", "gpu"), Pair("namespace_label_team", "x"),
                                    Pair("namespace_labelpresent_team", "true"),
                                    Pair("namespace_annotationpresent_a", "true")}));
  EXPECT_THAT(labels, Not(Contains(Key("namespace_name"))));
}

constexpr const char* kServices = R"([
  {"metadata": {"name": "dcgm", "namespace": "gpu", "labels": {"team": "infra"}},
   "spec": {"type": "ClusterIP", "clusterIP": "10.2.0.1",
            "ports": [{"name": "metrics", "port": 80, "protocol": "TCP"}]}},
  {"metadata": {"name": "far", "namespace": "gpu"},
   "spec": {"type": "ExternalName", "externalName": "far.example", "ports": [{"port": 443}]}}
])";

TEST(KubernetesTargetsTest, EveryPortOfAServiceIsATarget) {
  KubernetesObjects objects;
  Read(KubernetesRole::kService, kServices, objects);
  const auto groups = TargetsOf(Finding(KubernetesRole::kService), objects);
  ASSERT_THAT(Addresses(groups), ElementsAre("dcgm.gpu.svc:80", "far.gpu.svc:443"));
  EXPECT_EQ(LabelsOf(groups[0]), (Labels{{"namespace", "gpu"},
                                         {"service_name", "dcgm"},
                                         {"service_label_team", "infra"},
                                         {"service_labelpresent_team", "true"},
                                         {"service_type", "ClusterIP"},
                                         {"service_cluster_ip", "10.2.0.1"},
                                         {"service_port_name", "metrics"},
                                         {"service_port_number", "80"},
                                         {"service_port_protocol", "TCP"}}));
  EXPECT_THAT(LabelsOf(groups[1]), Contains(Pair("service_external_name", "far.example")));
}

TEST(KubernetesTargetsTest, EndpointsBringTheirPodsAndServices) {
  KubernetesObjects objects;
  Read(KubernetesRole::kPod, kPods, objects);
  Read(KubernetesRole::kService, kServices, objects);
  Read(KubernetesRole::kEndpoints, R"([
    {"metadata": {"name": "dcgm", "namespace": "gpu", "labels": {"own": "yes"}},
     "subsets": [{
       "addresses": [{"ip": "10.1.0.7", "nodeName": "node-7",
                      "targetRef": {"kind": "Pod", "namespace": "gpu", "name": "dcgm-x7"}}],
       "notReadyAddresses": [{"ip": "10.1.0.8", "hostname": "h8",
                              "targetRef": {"kind": "Pod", "namespace": "gpu", "name": "gone"}}],
       "ports": [{"name": "metrics", "port": 9400, "protocol": "TCP"}]}]},
    {"metadata": {"name": "none", "namespace": "gpu"}}])",
       objects);
  const auto groups = TargetsOf(Finding(KubernetesRole::kEndpoints), objects);
  // The pod has two more ports.
  ASSERT_THAT(Addresses(groups),
              ElementsAre("10.1.0.7:9400", "10.1.0.8:9400", "10.1.0.7:9401", "10.1.0.7:7"));
  EXPECT_THAT(
      LabelsOf(groups[0]),
      IsSupersetOf(
          {Pair("namespace", "gpu"), Pair("endpoints_name", "dcgm"),
           Pair("endpoints_label_own", "yes"), Pair("endpoint_ready", "true"),
           Pair("endpoint_node_name", "node-7"), Pair("endpoint_port_name", "metrics"),
           Pair("endpoint_port_protocol", "TCP"), Pair("endpoint_address_target_kind", "Pod"),
           Pair("endpoint_address_target_name", "dcgm-x7"), Pair("service_name", "dcgm"),
           Pair("service_label_team", "infra"), Pair("pod_name", "dcgm-x7"),
           Pair("pod_container_name", "exporter"), Pair("pod_container_port_name", "metrics")}));
  EXPECT_EQ(LabelsOf(groups[1])["endpoint_ready"], "false");
  EXPECT_EQ(LabelsOf(groups[1])["endpoint_hostname"], "h8");
  EXPECT_THAT(LabelsOf(groups[1]), Not(Contains(Key("pod_name"))));
  EXPECT_THAT(LabelsOf(groups[2]), Contains(Pair("pod_container_port_number", "9401")));
  EXPECT_THAT(LabelsOf(groups[2]), Not(Contains(Key("endpoint_ready"))));
}

TEST(KubernetesTargetsTest, EndpointsShowNoDetailsOfOthers) {
  KubernetesObjects objects;
  Read(KubernetesRole::kPod, kPods, objects);
  Read(KubernetesRole::kService, kServices, objects);
  Read(KubernetesRole::kNode, kNodes, objects);
  Read(KubernetesRole::kEndpoints, R"([
    {"metadata": {"name": "dcgm", "namespace": "gpu"},
     "subsets": [{
       "addresses": [{"ip": "10.1.0.7", "nodeName": "node-7",
                      "targetRef": {"kind": "Pod", "namespace": "gpu", "name": "dcgm-x7"}}],
       "ports": [{"port": 9400}]}]}])",
       objects);
  KubernetesDiscovery config = Finding(KubernetesRole::kEndpoints);
  config.attach_node = true;
  const auto groups = TargetsOf(config, objects);
  ASSERT_THAT(Addresses(groups), ElementsAre("10.1.0.7:9400", "10.1.0.7:9401", "10.1.0.7:7"));
  for (const TargetGroup& group : groups) {
    const Labels labels = LabelsOf(group);
    EXPECT_THAT(labels, Contains(Pair("service_label_team", "infra")));
    EXPECT_THAT(labels, Not(Contains(Key("service_type"))));
    EXPECT_THAT(labels, Not(Contains(Key("service_cluster_ip"))));
    EXPECT_THAT(labels, Not(Contains(Key("pod_container_id"))));
    EXPECT_THAT(labels, Not(Contains(Key("node_address_InternalIP"))));
  }
  EXPECT_THAT(LabelsOf(groups[0]), Contains(Pair("node_label_gpu", "h100")));
  EXPECT_THAT(LabelsOf(groups[1]), Not(Contains(Key("node_label_gpu"))));
}

TEST(KubernetesTargetsTest, EndpointsHaveTheLastContainerWithTheirPort) {
  KubernetesObjects objects;
  Read(KubernetesRole::kPod, R"([{
    "metadata": {"name": "names", "namespace": "a"}, "status": {"podIP": "10.1.0.7"},
    "spec": {"containers": [
      {"name": "first", "ports": [{"name": "dns", "containerPort": 53, "protocol": "UDP"}]},
      {"name": "last", "ports": [{"containerPort": 53, "protocol": "SCTP"},
                                 {"name": "tcp", "containerPort": 53}]}]}}])",
       objects);
  const std::string rest = R"("targetRef": {"kind": "Pod", "namespace": "a", "name": "names"}}],
    "ports": [{"port": 53, "protocol": "TCP"}])";
  Read(KubernetesRole::kEndpoints,
       R"([{"metadata": {"name": "e", "namespace": "b"},
    "subsets": [{"addresses": [{"ip": "10.1.0.7", )" +
           rest + "}]}]",
       objects);
  const auto groups = TargetsOf(Finding(KubernetesRole::kEndpoints), objects);
  ASSERT_THAT(Addresses(groups), ElementsAre("10.1.0.7:53"));
  Labels labels = LabelsOf(groups[0]);
  EXPECT_EQ(labels["namespace"], "b");
  EXPECT_EQ(labels["pod_container_name"], "last");
  EXPECT_EQ(labels["pod_container_port_protocol"], "TCP");
  EXPECT_THAT(labels, Not(Contains(Key("pod_container_port_name"))));

  objects.endpoints.clear();
  Read(KubernetesRole::kEndpointSlice,
       R"([{"metadata": {"name": "s", "namespace": "a"},
    "endpoints": [{"addresses": ["10.1.0.7"], )" +
           rest + "}]",
       objects);
  const auto slices = TargetsOf(Finding(KubernetesRole::kEndpointSlice), objects);
  ASSERT_EQ(slices.size(), 1u);
  EXPECT_EQ(LabelsOf(slices[0])["pod_container_port_protocol"], "SCTP");
}

TEST(KubernetesTargetsTest, AnEndpointSliceMayLeaveThePortOpen) {
  KubernetesObjects objects;
  Read(KubernetesRole::kPod, kPods, objects);
  Read(KubernetesRole::kEndpointSlice, R"([{
    "metadata": {"name": "s", "namespace": "gpu"}, "ports": [{"name": "any"}],
    "endpoints": [{"addresses": ["10.1.0.9"], "targetRef": {"kind": "Pod", "namespace": "gpu",
                   "name": "dcgm-x7"}}]}])",
       objects);
  const auto groups = TargetsOf(Finding(KubernetesRole::kEndpointSlice), objects);
  ASSERT_THAT(Addresses(groups),
              ElementsAre("10.1.0.9", "10.1.0.7:9400", "10.1.0.7:9401", "10.1.0.7:7"));
  EXPECT_THAT(LabelsOf(groups[0]), Not(Contains(Key("endpointslice_port"))));
  EXPECT_THAT(LabelsOf(groups[0]), Contains(Pair("endpointslice_port_name", "any")));
}

TEST(KubernetesTargetsTest, TheSliceOfASecondIpFamilyIsLeftOut) {
  const std::string services = R"([{"metadata": {"name": "s", "namespace": "a"},
    "spec": {"ipFamilyPolicy": "%s", "ipFamilies": ["IPv6", "IPv4"]}}])";
  const std::string slices = R"([
    {"metadata": {"name": "4", "namespace": "a", "labels": {"kubernetes.io/service-name": "s"}},
     "addressType": "IPv4", "endpoints": [{"addresses": ["10.0.0.1"]}], "ports": [{"port": 1}]},
    {"metadata": {"name": "6", "namespace": "a", "labels": {"kubernetes.io/service-name": "s"}},
     "addressType": "IPv6", "endpoints": [{"addresses": ["fd00::1"]}], "ports": [{"port": 1}]}])";
  for (const auto& [policy, expected] : std::map<std::string, std::vector<std::string>>{
           {"RequireDualStack", {"[fd00::1]:1"}},
           {"PreferDualStack", {"[fd00::1]:1"}},
           {"SingleStack", {"10.0.0.1:1", "[fd00::1]:1"}}}) {
    KubernetesObjects objects;
    std::string of_policy = services;
    Read(KubernetesRole::kService, of_policy.replace(of_policy.find("%s"), 2, policy), objects);
    Read(KubernetesRole::kEndpointSlice, slices, objects);
    EXPECT_EQ(Addresses(TargetsOf(Finding(KubernetesRole::kEndpointSlice), objects)), expected)
        << policy;
  }
}

TEST(KubernetesTargetsTest, ATargetThatIsANodeHasItsLabels) {
  KubernetesObjects objects;
  Read(KubernetesRole::kNode, R"([{"metadata": {"name": "named"}}, {"metadata": {"name": "is"}}])",
       objects);
  const std::string both = R"("nodeName": "named", "targetRef": {"kind": "Node", "name": "is"}}],
                              "ports": [{"port": 1}])";
  Read(KubernetesRole::kEndpoints,
       R"([{"metadata": {"name": "e"}, "subsets": [{"addresses": [{"ip": "10.0.0.1", )" + both +
           "}]}]",
       objects);
  KubernetesDiscovery config = Finding(KubernetesRole::kEndpoints);
  config.attach_node = true;
  EXPECT_EQ(LabelsOf(TargetsOf(config, objects).at(0))["node_name"], "named");
  objects.endpoints.clear();
  Read(KubernetesRole::kEndpointSlice,
       R"([{"metadata": {"name": "s"}, "endpoints": [{"addresses": ["10.0.0.1"], )" + both + "}]",
       objects);
  config.role = KubernetesRole::kEndpointSlice;
  EXPECT_EQ(LabelsOf(TargetsOf(config, objects).at(0))["node_name"], "is");
}

TEST(KubernetesTargetsTest, EveryPathOfAnIngressIsATarget) {
  KubernetesObjects objects;
  Read(KubernetesRole::kIngress, R"([{
    "metadata": {"name": "web", "namespace": "a", "labels": {"team": "x"}},
    "spec": {"ingressClassName": "nginx", "tls": [{"hosts": ["a.example", "*.b.example"]}],
             "rules": [{"host": "a.example", "http": {"paths": [{"path": "/one"}, {}]}},
                       {"host": "x.b.example"}, {"host": "x.y.b.example"}, {"host": "b.example"},
                       {"http": {"paths": [{"path": "/"}]}}]}}])",
       objects);
  const auto groups = TargetsOf(Finding(KubernetesRole::kIngress), objects);
  ASSERT_THAT(Addresses(groups),
              ElementsAre("a.example", "a.example", "x.b.example", "x.y.b.example", "b.example"));
  EXPECT_EQ(LabelsOf(groups[0]), (Labels{{"namespace", "a"},
                                         {"ingress_name", "web"},
                                         {"ingress_label_team", "x"},
                                         {"ingress_labelpresent_team", "true"},
                                         {"ingress_class_name", "nginx"},
                                         {"ingress_scheme", "https"},
                                         {"ingress_host", "a.example"},
                                         {"ingress_path", "/one"}}));
  EXPECT_EQ(LabelsOf(groups[1])["ingress_path"], "/");
  std::vector<std::string> schemes;
  for (const TargetGroup& group : groups) schemes.push_back(LabelsOf(group)["ingress_scheme"]);
  EXPECT_THAT(schemes, ElementsAre("https", "https", "https", "http", "http"));
}

TEST(KubernetesTargetsTest, EndpointSlicesBringTheirPodsAndServices) {
  KubernetesObjects objects;
  Read(KubernetesRole::kPod, kPods, objects);
  Read(KubernetesRole::kService, kServices, objects);
  Read(KubernetesRole::kEndpointSlice, R"([
    {"metadata": {"name": "dcgm-abc", "namespace": "gpu",
                  "labels": {"kubernetes.io/service-name": "dcgm"}},
     "addressType": "IPv4",
     "endpoints": [{"addresses": ["10.1.0.7"], "nodeName": "node-7", "zone": "z1",
                    "conditions": {"ready": true, "serving": true, "terminating": false},
                    "targetRef": {"kind": "Pod", "namespace": "gpu", "name": "dcgm-x7"},
                    "deprecatedTopology": {"kubernetes.io/hostname": "node-7"}}],
     "ports": [{"name": "metrics", "port": 9400, "protocol": "TCP", "appProtocol": "http"}]}])",
       objects);
  const auto groups = TargetsOf(Finding(KubernetesRole::kEndpointSlice), objects);
  ASSERT_THAT(Addresses(groups), ElementsAre("10.1.0.7:9400", "10.1.0.7:9401", "10.1.0.7:7"));
  EXPECT_THAT(
      LabelsOf(groups[0]),
      IsSupersetOf(
          {Pair("endpointslice_name", "dcgm-abc"), Pair("endpointslice_address_type", "IPv4"),
           Pair("endpointslice_label_kubernetes_io_service_name", "dcgm"),
           Pair("endpointslice_endpoint_conditions_ready", "true"),
           Pair("endpointslice_endpoint_conditions_terminating", "false"),
           Pair("endpointslice_endpoint_topology_kubernetes_io_hostname", "node-7"),
           Pair("endpointslice_endpoint_topology_present_kubernetes_io_hostname", "true"),
           Pair("endpointslice_endpoint_node_name", "node-7"),
           Pair("endpointslice_endpoint_zone", "z1"), Pair("endpointslice_port", "9400"),
           Pair("endpointslice_port_name", "metrics"), Pair("endpointslice_port_protocol", "TCP"),
           Pair("endpointslice_port_app_protocol", "http"),
           Pair("endpointslice_address_target_name", "dcgm-x7"), Pair("service_name", "dcgm"),
           Pair("pod_name", "dcgm-x7")}));
}

TEST(KubernetesTargetsTest, WhatIsNoListIsRefused) {
  KubernetesObjects objects;
  for (const char* text : {"", "[]", "{}", R"({"items": 7})", R"({"items": [)"}) {
    const auto next = ReadKubernetesPage(KubernetesRole::kPod, text, objects);
    EXPECT_EQ(next.status().code(), absl::StatusCode::kInvalidArgument) << text;
  }
  const auto next = ReadKubernetesPage(
      KubernetesRole::kPod, R"({"items": null, "metadata": {"continue": "t/2"}})", objects);
  ASSERT_TRUE(next.ok()) << next.status();
  EXPECT_EQ(*next, "t/2");
  EXPECT_EQ(KubernetesRefusal(R"({"kind": "Status", "message": "pods is forbidden"})"),
            "pods is forbidden");
  EXPECT_EQ(KubernetesRefusal("<html>"), "");
}

// A few endpoints and ports become many targets, each with all labels.
TEST(KubernetesTargetsTest, WhatHasNoMemoryIsRefused) {
  const auto repeated = [](const std::string& item) {
    std::string list = "[" + item;
    for (int i = 1; i < 300; ++i) list += "," + item;
    return list + "]";
  };
  const std::string items =
      R"([{"metadata": {"name": "e", "namespace": "n"}, "subsets": [{"addresses": )" +
      repeated(R"({"ip": "10.0.0.1"})") + R"(, "ports": )" + repeated(R"({"port": 1})") + "}]}]";
  KubernetesObjects objects;
  Read(KubernetesRole::kEndpoints, items, objects);
  MemoryBudget::OfProcess().set_max_bytes(64 << 20);
  const auto found = KubernetesTargets(Finding(KubernetesRole::kEndpoints), objects);
  MemoryBudget::OfProcess().set_max_bytes(MemoryBudget::kNoLimit);
  EXPECT_EQ(found.status().code(), absl::StatusCode::kResourceExhausted) << found.status();
}

TEST(KubernetesAccessTest, APodAsksItsOwnCluster) {
  const TestFolder folder;
  folder.Write("namespace", "training\n");
  KubernetesDiscovery config = Finding(KubernetesRole::kPod);
  config.namespaces = {"gpu"};
  config.own_namespace = true;

  unsetenv("KUBERNETES_SERVICE_HOST");
  EXPECT_EQ(KubernetesAccessOf(config, folder.path()).status().code(),
            absl::StatusCode::kFailedPrecondition);
  setenv("KUBERNETES_SERVICE_HOST", "fd00::1", 1);
  setenv("KUBERNETES_SERVICE_PORT", "443", 1);
  const auto access = KubernetesAccessOf(config, folder.path());
  unsetenv("KUBERNETES_SERVICE_HOST");
  unsetenv("KUBERNETES_SERVICE_PORT");
  ASSERT_TRUE(access.ok()) << access.status();
  EXPECT_EQ(access->url, "https://[fd00::1]:443");
  EXPECT_EQ(access->http.credentials.file, folder.path() + "/token");
  EXPECT_EQ(access->http.tls.ca_file, folder.path() + "/ca.crt");
  EXPECT_THAT(access->namespaces, UnorderedElementsAre("gpu", "training"));
}

}  // namespace
}  // namespace lockstep::scrape
