#include "scrape/discovery/kubernetes_targets.h"

#include <algorithm>
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
        namespaces_(ByName(objects.namespaces)),
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
      case KubernetesRole::kIngress:
        for (const auto& ingress : objects_.ingresses) {
          LOCKSTEP_RETURN_IF_ERROR(AddIngress(ingress));
        }
        break;
      case KubernetesRole::kNamespace:
        break;
    }
    return std::move(found_);
  }

 private:
  // The ports of pods covered by endpoints, of any protocol, as for Prometheus. Sorted by name, so
  // that two lookups yield the same order.
  using Ports = std::set<uint64_t>;
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
    return Add(node, HostWithPort(node.address, node.port),
               Merged({&node.labels, &node.details, &instance}));
  }

  // The labels of the node, if requested.
  const LabelSet& NodeLabels(std::string_view name) const {
    static const LabelSet none;
    const KubernetesNode* const node = config_.attach_node ? Find(nodes_, "", name) : nullptr;
    return node == nullptr ? none : node->labels;
  }

  // The labels of the namespace, which are there if requested.
  const LabelSet& NamespaceLabels(const KubernetesObject& object) const {
    static const LabelSet none;
    const KubernetesObject* const found = Find(namespaces_, "", object.namespace_name);
    return found == nullptr ? none : found->labels;
  }

  absl::Status AddPod(const KubernetesPod& pod) {
    // The pod is starting or has been evicted.
    if (pod.ip.empty()) return absl::OkStatus();
    // A selector of nodes leaves out their pods, too.
    if (config_.attach_node && Find(nodes_, "", pod.node) == nullptr) return absl::OkStatus();
    const LabelSet& node = NodeLabels(pod.node);
    for (const KubernetesContainer& container : pod.containers) {
      const LabelSet common =
          Merged({&node, &NamespaceLabels(pod), &pod.labels, &container.labels, &container.id});
      for (const KubernetesPort& port : container.ports) {
        LOCKSTEP_RETURN_IF_ERROR(
            Add(pod, HostWithPort(pod.ip, port.number), Merged({&common, &port.labels})));
      }
      if (!container.ports.empty()) continue;
      LOCKSTEP_RETURN_IF_ERROR(Add(pod, HostOfUrl(pod.ip), common));
    }
    return absl::OkStatus();
  }

  absl::Status AddService(const KubernetesService& service) {
    for (const KubernetesPort& port : service.ports) {
      const std::string host = absl::StrFormat("%s.%s.svc", service.name, service.namespace_name);
      LOCKSTEP_RETURN_IF_ERROR(Add(
          service, HostWithPort(host, port.number),
          Merged({&NamespaceLabels(service), &service.labels, &service.details, &port.labels})));
    }
    return absl::OkStatus();
  }

  absl::Status AddIngress(const KubernetesIngress& ingress) {
    for (const KubernetesPath& path : ingress.paths) {
      // A rule for all hosts has no address.
      if (path.host.empty()) continue;
      LOCKSTEP_RETURN_IF_ERROR(Add(
          ingress, path.host, Merged({&NamespaceLabels(ingress), &ingress.labels, &path.labels})));
    }
    return absl::OkStatus();
  }

  absl::Status AddEndpoints(const KubernetesEndpoints& object) {
    const KubernetesService* const service = Find(services_, object.namespace_name, object.service);
    static const LabelSet none;
    const LabelSet common = Merged(
        {&NamespaceLabels(object), service == nullptr ? &none : &service->labels, &object.labels});
    // The slice of a second IP family has the same pods again.
    if (service != nullptr && !service->primary_family.empty() && !object.address_family.empty() &&
        service->primary_family != object.address_family) {
      return absl::OkStatus();
    }
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
      // The namespace stays that of the endpoints.
      labels = Merged({&pod->labels, &labels});
      Ports& known = ports_of_pods[{pod->namespace_name, pod->name}];
      if (port.number != 0) {
        known.insert(port.number);
        AddContainer(*pod, port, labels);
      }
    }
    for (const std::string& address : endpoint.addresses) {
      LOCKSTEP_RETURN_IF_ERROR(
          Add(object, port.number == 0 ? HostOfUrl(address) : HostWithPort(address, port.number),
              labels));
    }
    return absl::OkStatus();
  }

  // Adds the labels of the last container that has the endpoint's port. Only an EndpointSlice
  // leaves the protocol to the container.
  void AddContainer(const KubernetesPod& pod, const KubernetesPort& port, LabelSet& labels) const {
    const KubernetesContainer* having = nullptr;
    const KubernetesPort* found = nullptr;
    for (const KubernetesContainer& container : pod.containers) {
      const auto own = std::ranges::find(container.ports, port.number, &KubernetesPort::number);
      if (own == container.ports.end()) continue;
      having = &container;
      found = &*own;
    }
    if (having == nullptr) return;
    labels = Merged({&labels, &having->labels, &found->labels});
    if (config_.role != KubernetesRole::kEndpoints) return;
    const LabelSet protocol =
        LabelSet::Of({{"__meta_kubernetes_pod_container_port_protocol", port.protocol}});
    labels = Merged({&labels, &protocol});
  }

  // Adds the pod's ports that no endpoint has.
  absl::Status AddOtherPorts(const KubernetesEndpoints& object, const LabelSet& common,
                             const KubernetesPod& pod, const Ports& known) {
    if (pod.ip.empty()) return absl::OkStatus();
    for (const KubernetesContainer& container : pod.containers) {
      for (const KubernetesPort& port : container.ports) {
        if (known.contains(port.number)) continue;
        LOCKSTEP_RETURN_IF_ERROR(
            Add(object, HostWithPort(pod.ip, port.number),
                Merged({&pod.labels, &common, &container.labels, &port.labels})));
      }
    }
    return absl::OkStatus();
  }

  const KubernetesDiscovery& config_;
  const KubernetesObjects& objects_;
  const std::map<NameInNamespace, const KubernetesObject*> namespaces_;
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
