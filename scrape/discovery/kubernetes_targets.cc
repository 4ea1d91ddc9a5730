#include "scrape/discovery/kubernetes_targets.h"

#include <map>
#include <set>
#include <utility>

#include "absl/strings/str_format.h"
#include "scrape/discovery/meta_labels.h"

namespace lockstep::scrape {
namespace {

using NameInNamespace = std::pair<std::string_view, std::string_view>;

template <typename Object>
std::map<NameInNamespace, const Object*> ByName(const std::vector<Object>& objects) {
  std::map<NameInNamespace, const Object*> by_name;
  for (const Object& object : objects) by_name[{object.namespace_name, object.name}] = &object;
  return by_name;
}

template <typename Object>
const Object* Find(const std::map<NameInNamespace, const Object*>& objects, std::string_view space,
                   std::string_view name) {
  const auto found = objects.find({space, name});
  return found == objects.end() ? nullptr : found->second;
}

class TargetMaker {
 public:
  TargetMaker(const KubernetesDiscovery& config, const KubernetesObjects& objects)
      : config_(config),
        objects_(objects),
        nodes_(ByName(objects.nodes)),
        pods_(ByName(objects.pods)),
        services_(ByName(objects.services)) {}

  absl::StatusOr<FoundTargets> Make() && {
    switch (config_.role) {
      case KubernetesRole::kNode:
        for (const auto& node : objects_.nodes) LOCKSTEP_RETURN_IF_ERROR(AddNode(node));
        break;
      case KubernetesRole::kPod:
        for (const auto& pod : objects_.pods) LOCKSTEP_RETURN_IF_ERROR(AddPod(pod));
        break;
      case KubernetesRole::kService:
        for (const auto& service : objects_.services) {
          LOCKSTEP_RETURN_IF_ERROR(AddService(service));
        }
        break;
      case KubernetesRole::kEndpoints:
      case KubernetesRole::kEndpointSlice:
        for (const auto& endpoints : objects_.endpoints) {
          LOCKSTEP_RETURN_IF_ERROR(AddEndpoints(endpoints));
        }
        break;
    }
    return std::move(found_);
  }

 private:
  using Ports = std::set<std::pair<uint64_t, std::string_view>>;  // number and protocol
  // Those ports of pods that endpoints have. Sorted by name, so that two looks find the same in the
  // same order.
  using PortsOfPods = std::map<NameInNamespace, Ports>;

  absl::Status Add(const KubernetesObject& object, std::string address, LabelSet labels) {
    TargetGroup group;
    group.source =
        absl::StrFormat("%s/%s/%s", Name(config_.role), object.namespace_name, object.name);
    group.addresses = {std::move(address)};
    group.labels = std::move(labels);
    return found_.Add(std::move(group));
  }

  absl::Status AddNode(const KubernetesNode& node) {
    if (node.address.empty()) return absl::OkStatus();
    const LabelSet instance = LabelSet::Of({{"instance", node.name}});
    return Add(node, HostWithPort(node.address, node.port), Merged({&node.labels, &instance}));
  }

  // Those of the node, if they are asked for.
  const LabelSet& NodeLabels(std::string_view name) const {
    static const LabelSet none;
    const KubernetesNode* const node = config_.attach_node ? Find(nodes_, "", name) : nullptr;
    return node == nullptr ? none : node->labels;
  }

  absl::Status AddPod(const KubernetesPod& pod) {
    // It is starting, or has been evicted.
    if (pod.ip.empty()) return absl::OkStatus();
    const LabelSet& node = NodeLabels(pod.node);
    for (const KubernetesContainer& container : pod.containers) {
      for (const KubernetesPort& port : container.ports) {
        LOCKSTEP_RETURN_IF_ERROR(
            Add(pod, HostWithPort(pod.ip, port.number),
                Merged({&node, &pod.labels, &container.labels, &port.labels})));
      }
      if (!container.ports.empty()) continue;
      LOCKSTEP_RETURN_IF_ERROR(
          Add(pod, HostOfUrl(pod.ip), Merged({&node, &pod.labels, &container.labels})));
    }
    return absl::OkStatus();
  }

  absl::Status AddService(const KubernetesService& service) {
    for (const KubernetesPort& port : service.ports) {
      const std::string host = absl::StrFormat("%s.%s.svc", service.name, service.namespace_name);
      LOCKSTEP_RETURN_IF_ERROR(
          Add(service, HostWithPort(host, port.number), Merged({&service.labels, &port.labels})));
    }
    return absl::OkStatus();
  }

  absl::Status AddEndpoints(const KubernetesEndpoints& object) {
    const KubernetesService* const service = Find(services_, object.namespace_name, object.service);
    const LabelSet common =
        service == nullptr ? object.labels : Merged({&service->labels, &object.labels});
    PortsOfPods ports_of_pods;
    for (const KubernetesEndpointSubset& subset : object.subsets) {
      for (const KubernetesEndpoint& endpoint : subset.endpoints) {
        if (endpoint.addresses.empty()) continue;
        for (const KubernetesPort& port : subset.ports) {
          LOCKSTEP_RETURN_IF_ERROR(AddEndpoint(object, common, endpoint, port, ports_of_pods));
        }
      }
    }
    for (const auto& [name, ports] : ports_of_pods) {
      LOCKSTEP_RETURN_IF_ERROR(
          AddOtherPorts(object, common, *Find(pods_, name.first, name.second), ports));
    }
    return absl::OkStatus();
  }

  absl::Status AddEndpoint(const KubernetesEndpoints& object, const LabelSet& common,
                           const KubernetesEndpoint& endpoint, const KubernetesPort& port,
                           PortsOfPods& ports_of_pods) {
    LabelSet labels = Merged({&NodeLabels(endpoint.node), &common, &endpoint.labels, &port.labels});
    const KubernetesPod* const pod = Find(pods_, endpoint.pod_namespace, endpoint.pod);
    if (pod != nullptr) {
      labels = Merged({&labels, &pod->labels});
      ports_of_pods[{pod->namespace_name, pod->name}].emplace(port.number, port.protocol);
      for (const KubernetesContainer& container : pod->containers) {
        for (const KubernetesPort& own : container.ports) {
          if (own.number != port.number || own.protocol != port.protocol) continue;
          labels = Merged({&labels, &container.labels, &own.labels});
        }
      }
    }
    for (const std::string& address : endpoint.addresses) {
      LOCKSTEP_RETURN_IF_ERROR(Add(object, HostWithPort(address, port.number), labels));
    }
    return absl::OkStatus();
  }

  // Those of the pod that no endpoint has.
  absl::Status AddOtherPorts(const KubernetesEndpoints& object, const LabelSet& common,
                             const KubernetesPod& pod, const Ports& known) {
    if (pod.ip.empty()) return absl::OkStatus();
    const LabelSet& node = NodeLabels(pod.node);
    for (const KubernetesContainer& container : pod.containers) {
      for (const KubernetesPort& port : container.ports) {
        if (known.contains({port.number, port.protocol})) continue;
        LOCKSTEP_RETURN_IF_ERROR(
            Add(object, HostWithPort(pod.ip, port.number),
                Merged({&node, &common, &pod.labels, &container.labels, &port.labels})));
      }
    }
    return absl::OkStatus();
  }

  const KubernetesDiscovery& config_;
  const KubernetesObjects& objects_;
  const std::map<NameInNamespace, const KubernetesNode*> nodes_;
  const std::map<NameInNamespace, const KubernetesPod*> pods_;
  const std::map<NameInNamespace, const KubernetesService*> services_;
  FoundTargets found_;
};

}  // namespace

absl::StatusOr<FoundTargets> KubernetesTargets(const KubernetesDiscovery& config,
                                               const KubernetesObjects& objects) {
  return TargetMaker(config, objects).Make();
}

}  // namespace lockstep::scrape
