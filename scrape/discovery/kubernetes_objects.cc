#include "scrape/discovery/kubernetes_objects.h"

#include <simdjson.h>

#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_format.h"
#include "scrape/discovery/meta_labels.h"

namespace lockstep::scrape {
namespace {

using simdjson::SUCCESS;
using simdjson::dom::element;
using JsonField = simdjson::simdjson_result<element>;

// The parser's memory per byte of text.
constexpr uint64_t kParsedBytesPerByte = 16;
constexpr size_t kMaxRefusalBytes = 300;

std::string_view TextOf(JsonField field) {
  std::string_view text;
  return field.get(text) == SUCCESS ? text : std::string_view();
}

std::string LowerTextOf(JsonField field) {
  std::string text(TextOf(field));
  absl::AsciiStrToLower(&text);
  return text;
}

std::string_view TruthOf(JsonField field) {
  bool truth = false;
  if (field.get(truth) != SUCCESS) return "";
  return truth ? "true" : "false";
}

uint64_t NumberOf(JsonField field) {
  uint64_t number = 0;
  return field.get(number) == SUCCESS ? number : 0;
}

// Calls `visit` with each item of an array.
template <typename Visit>
absl::Status ForEach(JsonField field, const Visit& visit) {
  simdjson::dom::array array;
  if (field.get(array) != SUCCESS) return absl::OkStatus();
  for (const element item : array) LOCKSTEP_RETURN_IF_ERROR(visit(JsonField(element(item))));
  return absl::OkStatus();
}

// Sets a label for each member of an object whose value is a string, and one for its presence.
void SetMap(std::string_view prefix, JsonField field, MetaLabels& labels) {
  simdjson::dom::object object;
  if (field.get(object) != SUCCESS) return;
  for (const auto& [key, value] : object) {
    std::string_view text;
    if (value.get(text) == SUCCESS) labels.SetEntry(prefix, key, text);
  }
}

class PageReader {
 public:
  explicit PageReader(KubernetesObjects& objects) : objects_(objects) {}

  absl::Status Read(KubernetesRole role, JsonField item) {
    switch (role) {
      case KubernetesRole::kNode:
        return ReadNode(item);
      case KubernetesRole::kPod:
        return ReadPod(item);
      case KubernetesRole::kService:
        return ReadService(item);
      case KubernetesRole::kEndpoints:
        return ReadEndpoints(item);
      case KubernetesRole::kEndpointSlice:
        return ReadEndpointSlice(item);
      case KubernetesRole::kIngress:
        return ReadIngress(item);
      case KubernetesRole::kNamespace:
        return ReadNamespace(item);
    }
    return absl::OkStatus();
  }

 private:
  MetaLabels NewLabels() const { return MetaLabels("__meta_kubernetes_"); }

  // Charges one object with these texts.
  absl::Status Charge(std::initializer_list<std::string_view> texts) {
    constexpr uint64_t kObjectBytes = 256;
    uint64_t bytes = kObjectBytes;
    for (const std::string_view text : texts) bytes += text.size();
    return objects_.memory.Add(bytes);
  }

  absl::Status Take(const MetaLabels& made, LabelSet& into) {
    LOCKSTEP_ASSIGN_OR_RETURN(into, made.Build());
    return objects_.memory.Add(into.bytes().size());
  }

  // Reads namespace, name, labels and annotations; `kind` prefixes the label names: "pod".
  absl::Status ReadMetadata(std::string_view kind, JsonField item, KubernetesObject& object,
                            MetaLabels& labels) {
    const JsonField metadata = item["metadata"];
    const std::string_view name = TextOf(metadata["name"]);
    const std::string_view space = TextOf(metadata["namespace"]);
    LOCKSTEP_RETURN_IF_ERROR(Charge({name, space}));
    object.name = name;
    object.namespace_name = space;
    labels.Set("namespace", space);
    labels.Set(absl::StrFormat("%s_name", kind), name);
    SetMaps(kind, metadata, labels);
    return absl::OkStatus();
  }

  static void SetMaps(std::string_view kind, JsonField metadata, MetaLabels& labels) {
    SetMap(absl::StrFormat("%s_label", kind), metadata["labels"], labels);
    SetMap(absl::StrFormat("%s_annotation", kind), metadata["annotations"], labels);
  }

  absl::Status ReadNode(JsonField item) {
    KubernetesNode node;
    MetaLabels labels = NewLabels();
    LOCKSTEP_RETURN_IF_ERROR(ReadMetadata("node", item, node, labels));
    LOCKSTEP_RETURN_IF_ERROR(Take(labels, node.labels));
    MetaLabels details = NewLabels();
    details.Set("node_provider_id", TextOf(item["spec"]["providerID"]));
    const JsonField status = item["status"];
    LOCKSTEP_RETURN_IF_ERROR(ForEach(status["conditions"], [&](JsonField condition) {
      const std::string type = LabelNameOf(LowerTextOf(condition["type"]));
      details.Set(absl::StrFormat("node_condition_%s", type), LowerTextOf(condition["status"]));
      return absl::OkStatus();
    }));
    node.port = NumberOf(status["daemonEndpoints"]["kubeletEndpoint"]["Port"]);
    node.address = AddressOf(status["addresses"]);
    std::set<std::string_view> types;  // the first address of each type wins
    LOCKSTEP_RETURN_IF_ERROR(ForEach(status["addresses"], [&](JsonField address) {
      const std::string_view type = TextOf(address["type"]);
      if (!types.insert(type).second) return absl::OkStatus();
      details.Set(absl::StrFormat("node_address_%s", LabelNameOf(type)),
                  TextOf(address["address"]));
      return absl::OkStatus();
    }));
    LOCKSTEP_RETURN_IF_ERROR(Take(details, node.details));
    objects_.nodes.push_back(std::move(node));
    return absl::OkStatus();
  }

  // The first address of the most preferred type.
  static std::string AddressOf(JsonField addresses) {
    for (const std::string_view type :
         {"InternalIP", "InternalDNS", "ExternalIP", "ExternalDNS", "LegacyHostIP", "Hostname"}) {
      std::string_view found;
      ForEach(addresses, [&](JsonField address) {
        if (found.empty() && TextOf(address["type"]) == type) found = TextOf(address["address"]);
        return absl::OkStatus();
      }).IgnoreError();
      if (!found.empty()) return std::string(found);
    }
    return "";
  }

  absl::Status ReadPod(JsonField item) {
    KubernetesPod pod;
    MetaLabels labels = NewLabels();
    LOCKSTEP_RETURN_IF_ERROR(ReadMetadata("pod", item, pod, labels));
    const JsonField spec = item["spec"], status = item["status"];
    pod.ip = TextOf(status["podIP"]);
    pod.node = TextOf(spec["nodeName"]);
    labels.Set("pod_ip", pod.ip);
    labels.Set("pod_ready", ReadinessOf(status["conditions"]));
    labels.Set("pod_phase", TextOf(status["phase"]));
    labels.Set("pod_node_name", pod.node);
    labels.Set("pod_host_ip", TextOf(status["hostIP"]));
    labels.Set("pod_uid", TextOf(item["metadata"]["uid"]));
    LOCKSTEP_RETURN_IF_ERROR(ForEach(item["metadata"]["ownerReferences"], [&](JsonField owner) {
      if (TruthOf(owner["controller"]) != "true") return absl::OkStatus();
      labels.Set("pod_controller_kind", TextOf(owner["kind"]));
      labels.Set("pod_controller_name", TextOf(owner["name"]));
      return absl::OkStatus();
    }));
    LOCKSTEP_RETURN_IF_ERROR(Take(labels, pod.labels));
    for (const bool is_init : {false, true}) {
      const JsonField statuses = status[is_init ? "initContainerStatuses" : "containerStatuses"];
      LOCKSTEP_RETURN_IF_ERROR(ForEach(
          spec[is_init ? "initContainers" : "containers"],
          [&](JsonField container) { return ReadContainer(container, statuses, is_init, pod); }));
    }
    objects_.pods.push_back(std::move(pod));
    return absl::OkStatus();
  }

  static std::string ReadinessOf(JsonField conditions) {
    std::string ready = "unknown";
    ForEach(conditions, [&](JsonField condition) {
      if (TextOf(condition["type"]) == "Ready") ready = LowerTextOf(condition["status"]);
      return absl::OkStatus();
    }).IgnoreError();
    return ready;
  }

  absl::Status ReadContainer(JsonField item, JsonField statuses, bool is_init, KubernetesPod& pod) {
    LOCKSTEP_RETURN_IF_ERROR(Charge({}));
    const std::string_view name = TextOf(item["name"]);
    KubernetesContainer container;
    MetaLabels labels = NewLabels();
    labels.Set("pod_container_name", name);
    labels.Set("pod_container_image", TextOf(item["image"]));
    labels.Set("pod_container_init", is_init ? "true" : "false");
    LOCKSTEP_RETURN_IF_ERROR(Take(labels, container.labels));
    MetaLabels id = NewLabels();
    LOCKSTEP_RETURN_IF_ERROR(ForEach(statuses, [&](JsonField status) {
      if (TextOf(status["name"]) == name) id.Set("pod_container_id", TextOf(status["containerID"]));
      return absl::OkStatus();
    }));
    LOCKSTEP_RETURN_IF_ERROR(Take(id, container.id));
    LOCKSTEP_RETURN_IF_ERROR(ForEach(item["ports"], [&](JsonField port) {
      return ReadPort("pod_container_port", "containerPort", port, container.ports);
    }));
    pod.containers.push_back(std::move(container));
    return absl::OkStatus();
  }

  absl::Status ReadPort(std::string_view prefix, std::string_view number_key, JsonField item,
                        std::vector<KubernetesPort>& ports) {
    const std::string_view protocol = TextOf(item["protocol"]);
    LOCKSTEP_RETURN_IF_ERROR(Charge({protocol}));
    KubernetesPort port;
    port.number = NumberOf(item[number_key]);
    port.protocol = protocol.empty() ? "TCP" : protocol;
    MetaLabels labels = NewLabels();
    labels.Set(absl::StrFormat("%s_name", prefix), TextOf(item["name"]));
    labels.Set(absl::StrFormat("%s_number", prefix), std::to_string(port.number));
    labels.Set(absl::StrFormat("%s_protocol", prefix), port.protocol);
    LOCKSTEP_RETURN_IF_ERROR(Take(labels, port.labels));
    ports.push_back(std::move(port));
    return absl::OkStatus();
  }

  absl::Status ReadService(JsonField item) {
    KubernetesService service;
    MetaLabels labels = NewLabels();
    LOCKSTEP_RETURN_IF_ERROR(ReadMetadata("service", item, service, labels));
    LOCKSTEP_RETURN_IF_ERROR(Take(labels, service.labels));
    MetaLabels details = NewLabels();
    const JsonField spec = item["spec"];
    const std::string_view type = TextOf(spec["type"]);
    details.Set("service_type", type);
    if (type == "ExternalName") {
      details.Set("service_external_name", TextOf(spec["externalName"]));
    } else {
      details.Set("service_cluster_ip", TextOf(spec["clusterIP"]));
    }
    if (type == "LoadBalancer") {
      details.Set("service_loadbalancer_ip", TextOf(spec["loadBalancerIP"]));
    }
    LOCKSTEP_RETURN_IF_ERROR(Take(details, service.details));
    const std::string_view policy = TextOf(spec["ipFamilyPolicy"]);
    if (policy == "PreferDualStack" || policy == "RequireDualStack") {
      const std::string_view family = TextOf(spec["ipFamilies"].at(0));
      LOCKSTEP_RETURN_IF_ERROR(Charge({family}));
      service.primary_family = family;
    }
    LOCKSTEP_RETURN_IF_ERROR(ForEach(spec["ports"], [&](JsonField port) {
      return ReadPort("service_port", "port", port, service.ports);
    }));
    objects_.services.push_back(std::move(service));
    return absl::OkStatus();
  }

  absl::Status ReadEndpoints(JsonField item) {
    KubernetesEndpoints object;
    MetaLabels labels = NewLabels();
    LOCKSTEP_RETURN_IF_ERROR(ReadMetadata("endpoints", item, object, labels));
    LOCKSTEP_RETURN_IF_ERROR(Take(labels, object.labels));
    object.service = object.name;
    LOCKSTEP_RETURN_IF_ERROR(ForEach(item["subsets"], [&](JsonField subset) -> absl::Status {
      LOCKSTEP_RETURN_IF_ERROR(Charge({}));
      KubernetesEndpointSubset& into = object.subsets.emplace_back();
      LOCKSTEP_RETURN_IF_ERROR(ForEach(subset["addresses"], [&](JsonField address) {
        return ReadAddress(address, "true", into.endpoints);
      }));
      LOCKSTEP_RETURN_IF_ERROR(ForEach(subset["notReadyAddresses"], [&](JsonField address) {
        return ReadAddress(address, "false", into.endpoints);
      }));
      return ForEach(subset["ports"], [&](JsonField port) { return ReadEndpointPort(port, into); });
    }));
    objects_.endpoints.push_back(std::move(object));
    return absl::OkStatus();
  }

  absl::Status ReadAddress(JsonField item, std::string_view ready,
                           std::vector<KubernetesEndpoint>& endpoints) {
    KubernetesEndpoint endpoint;
    MetaLabels labels = NewLabels();
    labels.Set("endpoint_ready", ready);
    labels.Set("endpoint_hostname", TextOf(item["hostname"]));
    labels.Set("endpoint_node_name", TextOf(item["nodeName"]));
    LOCKSTEP_RETURN_IF_ERROR(AddAddress(TextOf(item["ip"]), endpoint));
    LOCKSTEP_RETURN_IF_ERROR(ReadTarget("endpoint_address_target", item, endpoint, labels));
    // Beside the name of its node, a target that is a node does not count.
    if (const std::string_view node = TextOf(item["nodeName"]); !node.empty()) endpoint.node = node;
    LOCKSTEP_RETURN_IF_ERROR(Take(labels, endpoint.labels));
    endpoints.push_back(std::move(endpoint));
    return absl::OkStatus();
  }

  absl::Status AddAddress(std::string_view address, KubernetesEndpoint& endpoint) {
    LOCKSTEP_RETURN_IF_ERROR(Charge({address}));
    if (!address.empty()) endpoint.addresses.emplace_back(address);
    return absl::OkStatus();
  }

  // Reads the endpoint's target. The node is the target itself, or else the one that is named.
  absl::Status ReadTarget(std::string_view prefix, JsonField item, KubernetesEndpoint& endpoint,
                          MetaLabels& labels) {
    const JsonField target = item["targetRef"];
    const std::string_view kind = TextOf(target["kind"]), name = TextOf(target["name"]);
    const std::string_view space = TextOf(target["namespace"]);
    const std::string_view node = TextOf(item["nodeName"]);
    LOCKSTEP_RETURN_IF_ERROR(Charge({name, space, node}));
    labels.Set(absl::StrFormat("%s_kind", prefix), kind);
    labels.Set(absl::StrFormat("%s_name", prefix), name);
    endpoint.node = kind == "Node" ? name : node;
    if (kind != "Pod") return absl::OkStatus();
    endpoint.pod = name;
    endpoint.pod_namespace = space;
    return absl::OkStatus();
  }

  absl::Status ReadEndpointPort(JsonField item, KubernetesEndpointSubset& subset) {
    KubernetesPort port;
    port.number = NumberOf(item["port"]);
    const std::string_view protocol = TextOf(item["protocol"]);
    LOCKSTEP_RETURN_IF_ERROR(Charge({protocol}));
    port.protocol = protocol.empty() ? "TCP" : protocol;
    MetaLabels labels = NewLabels();
    labels.Set("endpoint_port_name", TextOf(item["name"]));
    labels.Set("endpoint_port_protocol", port.protocol);
    LOCKSTEP_RETURN_IF_ERROR(Take(labels, port.labels));
    subset.ports.push_back(std::move(port));
    return absl::OkStatus();
  }

  absl::Status ReadEndpointSlice(JsonField item) {
    KubernetesEndpoints object;
    MetaLabels labels = NewLabels();
    LOCKSTEP_RETURN_IF_ERROR(ReadMetadata("endpointslice", item, object, labels));
    const std::string_view family = TextOf(item["addressType"]);
    labels.Set("endpointslice_address_type", family);
    LOCKSTEP_RETURN_IF_ERROR(Take(labels, object.labels));
    const std::string_view service =
        TextOf(item["metadata"]["labels"]["kubernetes.io/service-name"]);
    LOCKSTEP_RETURN_IF_ERROR(Charge({service, family}));
    object.service = service;
    object.address_family = family;
    KubernetesEndpointSubset& subset = object.subsets.emplace_back();
    LOCKSTEP_RETURN_IF_ERROR(ForEach(item["endpoints"], [&](JsonField endpoint) {
      return ReadSliceEndpoint(endpoint, subset.endpoints);
    }));
    LOCKSTEP_RETURN_IF_ERROR(
        ForEach(item["ports"], [&](JsonField port) { return ReadSlicePort(port, subset); }));
    objects_.endpoints.push_back(std::move(object));
    return absl::OkStatus();
  }

  absl::Status ReadSliceEndpoint(JsonField item, std::vector<KubernetesEndpoint>& endpoints) {
    KubernetesEndpoint endpoint;
    MetaLabels labels = NewLabels();
    const JsonField conditions = item["conditions"];
    for (const std::string_view condition : {"ready", "serving", "terminating"}) {
      labels.Set(absl::StrFormat("endpointslice_endpoint_conditions_%s", condition),
                 TruthOf(conditions[condition]));
    }
    labels.Set("endpointslice_endpoint_hostname", TextOf(item["hostname"]));
    labels.Set("endpointslice_endpoint_node_name", TextOf(item["nodeName"]));
    labels.Set("endpointslice_endpoint_zone", TextOf(item["zone"]));
    SetTopology(item["deprecatedTopology"], labels);
    LOCKSTEP_RETURN_IF_ERROR(ForEach(item["addresses"], [&](JsonField address) {
      return AddAddress(TextOf(address), endpoint);
    }));
    LOCKSTEP_RETURN_IF_ERROR(ReadTarget("endpointslice_address_target", item, endpoint, labels));
    LOCKSTEP_RETURN_IF_ERROR(Take(labels, endpoint.labels));
    endpoints.push_back(std::move(endpoint));
    return absl::OkStatus();
  }

  static void SetTopology(JsonField field, MetaLabels& labels) {
    simdjson::dom::object object;
    if (field.get(object) != SUCCESS) return;
    for (const auto& [key, value] : object) {
      const std::string name = LabelNameOf(key);
      labels.Set(absl::StrFormat("endpointslice_endpoint_topology_%s", name),
                 TextOf(element(value)));
      labels.Set(absl::StrFormat("endpointslice_endpoint_topology_present_%s", name), "true");
    }
  }

  absl::Status ReadSlicePort(JsonField item, KubernetesEndpointSubset& subset) {
    KubernetesPort port;
    port.number = NumberOf(item["port"]);
    const std::string_view protocol = TextOf(item["protocol"]);
    LOCKSTEP_RETURN_IF_ERROR(Charge({protocol}));
    port.protocol = protocol.empty() ? "TCP" : protocol;
    MetaLabels labels = NewLabels();
    if (port.number != 0) labels.Set("endpointslice_port", std::to_string(port.number));
    labels.Set("endpointslice_port_name", TextOf(item["name"]));
    labels.Set("endpointslice_port_protocol", port.protocol);
    labels.Set("endpointslice_port_app_protocol", TextOf(item["appProtocol"]));
    LOCKSTEP_RETURN_IF_ERROR(Take(labels, port.labels));
    subset.ports.push_back(std::move(port));
    return absl::OkStatus();
  }

  absl::Status ReadIngress(JsonField item) {
    KubernetesIngress ingress;
    MetaLabels labels = NewLabels();
    LOCKSTEP_RETURN_IF_ERROR(ReadMetadata("ingress", item, ingress, labels));
    const JsonField spec = item["spec"];
    labels.Set("ingress_class_name", TextOf(spec["ingressClassName"]));
    LOCKSTEP_RETURN_IF_ERROR(Take(labels, ingress.labels));
    LOCKSTEP_RETURN_IF_ERROR(ForEach(spec["rules"], [&](JsonField rule) -> absl::Status {
      const std::string_view host = TextOf(rule["host"]);
      const std::string_view scheme = HasTls(spec["tls"], host) ? "https" : "http";
      if (rule["http"].error() != SUCCESS) return AddPath(host, scheme, "/", ingress.paths);
      return ForEach(rule["http"]["paths"], [&](JsonField path) {
        const std::string_view text = TextOf(path["path"]);
        return AddPath(host, scheme, text.empty() ? "/" : text, ingress.paths);
      });
    }));
    objects_.ingresses.push_back(std::move(ingress));
    return absl::OkStatus();
  }

  absl::Status ReadNamespace(JsonField item) {
    KubernetesObject object;
    const JsonField metadata = item["metadata"];
    const std::string_view name = TextOf(metadata["name"]);
    LOCKSTEP_RETURN_IF_ERROR(Charge({name}));
    object.name = name;
    MetaLabels labels = NewLabels();
    SetMaps("namespace", metadata, labels);
    LOCKSTEP_RETURN_IF_ERROR(Take(labels, object.labels));
    objects_.namespaces.push_back(std::move(object));
    return absl::OkStatus();
  }

  static bool HasTls(JsonField tls, std::string_view host) {
    bool found = false;
    ForEach(tls, [&](JsonField item) {
      return ForEach(item["hosts"], [&](JsonField pattern) {
        found |= MatchesHost(TextOf(pattern), host);
        return absl::OkStatus();
      });
    }).IgnoreError();
    return found;
  }

  // Whether the host is what the pattern says; a first part "*" stands for any one part.
  static bool MatchesHost(std::string_view pattern, std::string_view host) {
    if (pattern == host) return true;
    if (!pattern.starts_with("*.")) return false;
    const size_t dot = host.find('.');
    return dot != std::string_view::npos && host.substr(dot) == pattern.substr(1);
  }

  absl::Status AddPath(std::string_view host, std::string_view scheme, std::string_view path,
                       std::vector<KubernetesPath>& paths) {
    LOCKSTEP_RETURN_IF_ERROR(Charge({host}));
    MetaLabels labels = NewLabels();
    labels.Set("ingress_scheme", scheme);
    labels.Set("ingress_host", host);
    labels.Set("ingress_path", path);
    KubernetesPath& added = paths.emplace_back();
    added.host = host;
    return Take(labels, added.labels);
  }

  KubernetesObjects& objects_;
};

}  // namespace

absl::StatusOr<std::string> ReadKubernetesPage(KubernetesRole role, const std::string& json,
                                               KubernetesObjects& objects) {
  MemoryCharge parsed(MemoryAccount::kScrapes);
  LOCKSTEP_RETURN_IF_ERROR(parsed.Add(kParsedBytesPerByte * json.size()));
  simdjson::dom::parser parser;
  const JsonField document = parser.parse(json);
  if (document.error() != SUCCESS) {
    return absl::InvalidArgumentError(
        absl::StrFormat("not JSON: %s", simdjson::error_message(document.error())));
  }
  const JsonField items = document["items"];
  if (items.error() != SUCCESS || !(items.is_array() || items.is_null())) {
    return absl::InvalidArgumentError("the answer is not a list of objects");
  }
  PageReader reader(objects);
  LOCKSTEP_RETURN_IF_ERROR(ForEach(items, [&](JsonField item) { return reader.Read(role, item); }));
  return std::string(TextOf(document["metadata"]["continue"]));
}

std::string KubernetesRefusal(const std::string& json) {
  // Longer responses are not Status objects.
  constexpr size_t kMaxStatusBytes = 64 << 10;
  if (json.size() > kMaxStatusBytes) return "";
  simdjson::dom::parser parser;
  const JsonField document = parser.parse(json);
  return std::string(TextOf(document["message"]).substr(0, kMaxRefusalBytes));
}

}  // namespace lockstep::scrape
