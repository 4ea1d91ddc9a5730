#include "scrape/discovery/kubernetes_targets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

#include "scrape/discovery/kubernetes_source.h"

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

// Without the prefix that all meta labels have.
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
     "conditions": [{"type": "Initialized", "status": "False"}, {"type": "Ready", "status": "True"}],
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
                                         {"node_address_Hostname", "node-7.example"},
                                         {"node_address_InternalIP", "10.0.0.7"}}));
}

TEST(KubernetesTargetsTest, PodsMayHaveTheLabelsOfTheirNode) {
  KubernetesObjects objects;
  Read(KubernetesRole::kPod, kPods, objects);
  Read(KubernetesRole::kNode, kNodes, objects);
  KubernetesDiscovery config = Finding(KubernetesRole::kPod);
  config.attach_node = true;
  EXPECT_THAT(LabelsOf(TargetsOf(config, objects).at(0)),
              IsSupersetOf({Pair("node_name", "node-7"), Pair("node_label_gpu", "h100"),
                            Pair("pod_name", "dcgm-x7")}));
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
  // The pod has two ports besides.
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
  std::string folder = testing::TempDir() + "kubernetes_XXXXXX";
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  std::ofstream(folder + "/namespace") << "training\n";
  KubernetesDiscovery config = Finding(KubernetesRole::kPod);
  config.namespaces = {"gpu"};
  config.own_namespace = true;

  unsetenv("KUBERNETES_SERVICE_HOST");
  EXPECT_EQ(KubernetesAccessOf(config, folder).status().code(),
            absl::StatusCode::kFailedPrecondition);
  setenv("KUBERNETES_SERVICE_HOST", "fd00::1", 1);
  setenv("KUBERNETES_SERVICE_PORT", "443", 1);
  const auto access = KubernetesAccessOf(config, folder);
  unsetenv("KUBERNETES_SERVICE_HOST");
  unsetenv("KUBERNETES_SERVICE_PORT");
  std::filesystem::remove_all(folder);
  ASSERT_TRUE(access.ok()) << access.status();
  EXPECT_EQ(access->url, "https://[fd00::1]:443");
  EXPECT_EQ(access->http.credentials.file, folder + "/token");
  EXPECT_EQ(access->http.tls.ca_file, folder + "/ca.crt");
  EXPECT_THAT(access->namespaces, UnorderedElementsAre("gpu", "training"));
}

}  // namespace
}  // namespace lockstep::scrape
