#include "scrape/discovery/kubernetes_objects.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "scrape/discovery/kubernetes_targets.h"

namespace lockstep::scrape {
namespace {

using testing::ElementsAre;

// The targets of the objects of this role, and of others that were read before.
class KubernetesObjectsTest : public testing::Test {
 protected:
  void Add(KubernetesRole role, const std::string& items) {
    const auto next = ReadKubernetesPage(role, R"({"items": )" + items + "}", objects_);
    ASSERT_TRUE(next.ok()) << next.status();
  }

  std::vector<TargetGroup> Targets(KubernetesRole role, bool attach_node = false) const {
    KubernetesDiscovery config;
    config.role = role;
    config.attach_node = attach_node;
    const auto found = KubernetesTargets(config, objects_);
    EXPECT_TRUE(found.ok()) << found.status();
    return found.ok() ? found->groups : std::vector<TargetGroup>();
  }

  static std::string Meta(const TargetGroup& group, const std::string& name) {
    return std::string(group.labels.Get("__meta_kubernetes_" + name));
  }

  KubernetesObjects objects_;
};

// The order is that of Prometheus' documentation of the role.
TEST_F(KubernetesObjectsTest, ANodeHasTheFirstAddressOfTheBestType) {
  const std::vector<std::string> types = {"InternalIP",  "InternalDNS",  "ExternalIP",
                                          "ExternalDNS", "LegacyHostIP", "Hostname"};
  for (size_t best = 0; best < types.size(); ++best) {
    std::string addresses;
    for (size_t i = types.size(); i-- > best;) {
      for (const char* number : {"1", "2"}) {
        absl::StrAppendFormat(&addresses, R"(%s{"type": "%s", "address": "%s-%s"})",
                              addresses.empty() ? "" : ",", types[i], types[i], number);
      }
    }
    objects_ = KubernetesObjects();
    Add(KubernetesRole::kNode,
        R"([{"metadata": {"name": "n"}, "status": {"addresses": [)" + addresses + "]}}]");
    const auto groups = Targets(KubernetesRole::kNode);
    ASSERT_EQ(groups.size(), 1u);
    EXPECT_THAT(groups[0].addresses, ElementsAre(types[best] + "-1:0"));
    EXPECT_EQ(Meta(groups[0], "node_address_" + types.back()), types.back() + "-1");
  }
}

TEST_F(KubernetesObjectsTest, ASourceIsTheObjectOfATarget) {
  Add(KubernetesRole::kPod,
      R"([{"metadata": {"name": "p", "namespace": "gpu"}, "status": {"podIP": "10.0.0.1"},
           "spec": {"containers": [{}]}}])");
  EXPECT_EQ(Targets(KubernetesRole::kPod).at(0).source, "pod/gpu/p");
  EXPECT_TRUE(Targets(KubernetesRole::kNamespace).empty());
}

TEST_F(KubernetesObjectsTest, APodIsAsReadyAsItsConditionSays) {
  const auto ready = [&](const std::string& conditions) {
    objects_ = KubernetesObjects();
    Add(KubernetesRole::kPod, R"([{"status": {"podIP": "10.0.0.1", "conditions": )" + conditions +
                                  R"(}, "spec": {"containers": [{}]}}])");
    return Meta(Targets(KubernetesRole::kPod).at(0), "pod_ready");
  };
  EXPECT_EQ(ready("[]"), "unknown");
  EXPECT_EQ(ready(R"([{"type": "Ready", "status": "False"}])"), "false");
  EXPECT_EQ(ready(R"([{"type": "Ready", "status": "True"}, {"type": "Other", "status": "False"}])"),
            "true");
}

TEST_F(KubernetesObjectsTest, ContainersHaveTheirOwnIds) {
  Add(KubernetesRole::kPod, R"([{"status": {"podIP": "10.0.0.1",
        "initContainerStatuses": [{"name": "same", "containerID": "of-init"}],
        "containerStatuses": [{"name": "same", "containerID": "of-main"}]},
      "spec": {"initContainers": [{"name": "same"}],
               "containers": [{"name": "same"}, {"name": "other"}]}}])");
  const auto groups = Targets(KubernetesRole::kPod);
  ASSERT_EQ(groups.size(), 3u);
  EXPECT_EQ(Meta(groups[0], "pod_container_id"), "of-main");
  EXPECT_EQ(Meta(groups[1], "pod_container_id"), "");
  EXPECT_EQ(Meta(groups[2], "pod_container_id"), "of-init");
  EXPECT_EQ(Meta(groups[2], "pod_container_init"), "true");
}

TEST_F(KubernetesObjectsTest, AServiceHasTheAddressesOfItsType) {
  Add(KubernetesRole::kService,
      R"([{"metadata": {"name": "a", "namespace": "n"}, "spec": {"type": "LoadBalancer",
           "clusterIP": "10.0.0.1", "loadBalancerIP": "1.2.3.4", "externalName": "x",
           "ports": [{"port": 1, "protocol": "UDP"}, {"port": 2}]}},
          {"metadata": {"name": "b", "namespace": "n"}, "spec": {"type": "ClusterIP",
           "clusterIP": "10.0.0.2", "loadBalancerIP": "1.2.3.4", "ports": [{"port": 1}]}},
          {"metadata": {"name": "c", "namespace": "n"}, "spec": {"type": "ExternalName",
           "clusterIP": "10.0.0.3", "externalName": "x", "ports": [{"port": 1}]}}])");
  const auto groups = Targets(KubernetesRole::kService);
  ASSERT_EQ(groups.size(), 4u);
  EXPECT_EQ(Meta(groups[0], "service_cluster_ip"), "10.0.0.1");
  EXPECT_EQ(Meta(groups[0], "service_loadbalancer_ip"), "1.2.3.4");
  EXPECT_EQ(Meta(groups[0], "service_external_name"), "");
  EXPECT_EQ(Meta(groups[0], "service_port_protocol"), "UDP");
  EXPECT_EQ(Meta(groups[1], "service_port_protocol"), "TCP");
  EXPECT_EQ(Meta(groups[2], "service_cluster_ip"), "10.0.0.2");
  EXPECT_EQ(Meta(groups[2], "service_loadbalancer_ip"), "");
  EXPECT_EQ(Meta(groups[3], "service_cluster_ip"), "");
  EXPECT_EQ(Meta(groups[3], "service_external_name"), "x");
}

TEST_F(KubernetesObjectsTest, EveryAddressOfASliceIsATarget) {
  Add(KubernetesRole::kEndpointSlice,
      R"([{"metadata": {"name": "s", "namespace": "n"}, "ports": [{"port": 1}, {"port": 2}],
           "endpoints": [{"addresses": ["10.0.0.1", "", "10.0.0.2"], "hostname": "h"},
                         {"addresses": [], "hostname": "none"}, {"hostname": "none"},
                         {"addresses": ["10.0.0.3"], "conditions": {"serving": false}}]}])");
  const auto groups = Targets(KubernetesRole::kEndpointSlice);
  std::vector<std::string> addresses;
  for (const TargetGroup& group : groups) addresses.push_back(group.addresses.at(0));
  EXPECT_THAT(addresses, ElementsAre("10.0.0.1:1", "10.0.0.2:1", "10.0.0.1:2", "10.0.0.2:2",
                                     "10.0.0.3:1", "10.0.0.3:2"));
  EXPECT_EQ(Meta(groups[0], "endpointslice_endpoint_hostname"), "h");
  EXPECT_EQ(Meta(groups[0], "endpointslice_endpoint_conditions_ready"), "");
  EXPECT_EQ(Meta(groups[4], "endpointslice_endpoint_hostname"), "");
  EXPECT_EQ(Meta(groups[4], "endpointslice_endpoint_conditions_serving"), "false");
  EXPECT_EQ(Meta(groups[4], "endpointslice_endpoint_conditions_ready"), "");
  EXPECT_EQ(Meta(groups[4], "endpointslice_port_protocol"), "TCP");
}

TEST_F(KubernetesObjectsTest, AllThatAreInANamespaceMayHaveItsLabels) {
  Add(KubernetesRole::kNamespace, R"([{"metadata": {"name": "n", "labels": {"team": "x"}}}])");
  Add(KubernetesRole::kService,
      R"([{"metadata": {"name": "s", "namespace": "n"}, "spec": {"ports": [{"port": 1}]}}])");
  Add(KubernetesRole::kIngress,
      R"([{"metadata": {"name": "i", "namespace": "n"}, "spec": {"rules": [{"host": "h"}]}}])");
  Add(KubernetesRole::kEndpoints,
      R"([{"metadata": {"name": "e", "namespace": "n"}, "subsets": [{"ports": [{"port": 1}],
           "addresses": [{"ip": "10.0.0.1"}]}]}])");
  for (const KubernetesRole role :
       {KubernetesRole::kService, KubernetesRole::kIngress, KubernetesRole::kEndpoints}) {
    EXPECT_EQ(Meta(Targets(role).at(0), "namespace_label_team"), "x") << Name(role);
  }
}

TEST_F(KubernetesObjectsTest, AnEndpointOfAPodWithoutAnAddressHasNoOtherPorts) {
  Add(KubernetesRole::kPod, R"([{"metadata": {"name": "p", "namespace": "n"},
      "spec": {"containers": [{"ports": [{"containerPort": 7}]}]}}])");
  Add(KubernetesRole::kEndpoints, R"([{"metadata": {"name": "e", "namespace": "n"},
      "subsets": [{"ports": [{"port": 1}], "addresses": [{"ip": "fd00::1", "targetRef":
        {"kind": "Pod", "namespace": "n", "name": "p"}}]}]}])");
  const auto groups = Targets(KubernetesRole::kEndpoints);
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_THAT(groups[0].addresses, ElementsAre("[fd00::1]:1"));
  EXPECT_EQ(Meta(groups[0], "pod_name"), "p");
  EXPECT_EQ(Meta(groups[0], "pod_container_port_number"), "");
}

TEST_F(KubernetesObjectsTest, ObjectsOfOtherNamespacesAreOthers) {
  Add(KubernetesRole::kPod, R"([{"metadata": {"name": "p", "namespace": "other"},
      "spec": {"containers": [{}]}, "status": {"podIP": "10.0.0.9"}}])");
  Add(KubernetesRole::kService, R"([{"metadata": {"name": "e", "namespace": "other"}}])");
  Add(KubernetesRole::kEndpoints, R"([{"metadata": {"name": "e", "namespace": "n"},
      "subsets": [{"ports": [{"port": 1}], "addresses": [{"ip": "10.0.0.1", "targetRef":
        {"kind": "Pod", "namespace": "n", "name": "p"}}]}]}])");
  const auto groups = Targets(KubernetesRole::kEndpoints);
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(Meta(groups[0], "pod_name"), "");
  EXPECT_EQ(Meta(groups[0], "service_name"), "");
}

TEST_F(KubernetesObjectsTest, NodesAreAttachedOnlyIfAskedFor) {
  Add(KubernetesRole::kNode, R"([{"metadata": {"name": "n7", "labels": {"gpu": "h100"}}}])");
  Add(KubernetesRole::kEndpoints, R"([{"metadata": {"name": "e"}, "subsets": [{
      "ports": [{"port": 1}], "addresses": [{"ip": "10.0.0.1", "nodeName": "n7"}]}]}])");
  EXPECT_EQ(Meta(Targets(KubernetesRole::kEndpoints, true).at(0), "node_label_gpu"), "h100");
  EXPECT_EQ(Meta(Targets(KubernetesRole::kEndpoints, false).at(0), "node_label_gpu"), "");
}

TEST_F(KubernetesObjectsTest, ARuleWithAnEmptyListOfPathsHasNone) {
  Add(KubernetesRole::kIngress, R"([{"metadata": {"name": "i"}, "spec": {
      "tls": [{"hosts": []}, {"hosts": ["b"]}],
      "rules": [{"host": "a", "http": {"paths": []}}, {"host": "b", "http": {"paths": [{}]}}]}}])");
  const auto groups = Targets(KubernetesRole::kIngress);
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_THAT(groups[0].addresses, ElementsAre("b"));
  EXPECT_EQ(Meta(groups[0], "ingress_scheme"), "https");
}

TEST_F(KubernetesObjectsTest, ValuesOfLabelsThatAreNoTextsAreLeftOut) {
  Add(KubernetesRole::kNamespace,
      R"([{"metadata": {"name": "n", "labels": {"a": 7, "b": "x"}, "annotations": []}}])");
  Add(KubernetesRole::kService,
      R"([{"metadata": {"name": "s", "namespace": "n"}, "spec": {"ports": [{"port": 1}]}}])");
  const auto groups = Targets(KubernetesRole::kService);
  EXPECT_EQ(Meta(groups.at(0), "namespace_labelpresent_a"), "");
  EXPECT_EQ(Meta(groups.at(0), "namespace_label_b"), "x");
}

TEST_F(KubernetesObjectsTest, WhatIsReadIsCharged) {
  const std::string text(100'000, 'x');
  Add(KubernetesRole::kPod, R"([{"metadata": {"name": ")" + text + R"(", "namespace": "n"}}])");
  // The name, and the label that has it.
  EXPECT_GE(objects_.memory.bytes(), 200'000u);
  EXPECT_LT(objects_.memory.bytes(), 210'000u);
}

TEST(KubernetesRefusalTest, IsTheStartOfTheMessage) {
  const auto refusal = [](size_t message_bytes, size_t more_bytes) {
    return KubernetesRefusal(R"({"message": ")" + std::string(message_bytes, 'm') + "\"" +
                             std::string(more_bytes, ' ') + "}");
  };
  EXPECT_EQ(refusal(300, 0), std::string(300, 'm'));
  EXPECT_EQ(refusal(301, 0), std::string(300, 'm'));
  // With the rest of the object, 64 KiB.
  EXPECT_EQ(refusal(1, 65'536 - 16), "m");
  EXPECT_EQ(refusal(1, 65'537 - 16), "");
}

TEST(KubernetesPageTest, SaysWhatItIsNot) {
  KubernetesObjects objects;
  const auto error = [&](const std::string& text) {
    return std::string(Message(ReadKubernetesPage(KubernetesRole::kPod, text, objects).status()));
  };
  EXPECT_TRUE(error("{").starts_with("not JSON: ")) << error("{");
  EXPECT_EQ(error("{}"), "the answer is not a list of objects");
  EXPECT_EQ(error(R"({"items": {}})"), "the answer is not a list of objects");
}

}  // namespace
}  // namespace lockstep::scrape
