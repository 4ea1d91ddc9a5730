// Parses Kubernetes objects, as far as discovery needs them, from lists of the API server. Fields
// that are missing or of another type count as empty. Pure functions; everything created is charged
// to the objects' memory.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/budget/memory_budget.h"
#include "base/status.h"
#include "model/labels.h"
#include "scrape/config/discovery_config.h"

namespace lockstep::scrape {

struct KubernetesPort {
  uint64_t number = 0;  // 0: none, as ports of an EndpointSlice may have
  std::string protocol;
  LabelSet labels;
};

struct KubernetesContainer {
  LabelSet labels;
  LabelSet id;  // targets of endpoints do not show it
  std::vector<KubernetesPort> ports;
};

// Fields of all kinds. The meta labels are the namespace, the name, and the object's own labels and
// annotations; for pods also everything else about them.
struct KubernetesObject {
  std::string namespace_name;
  std::string name;
  LabelSet labels;
};

struct KubernetesNode : KubernetesObject {
  LabelSet details;  // shown only by the node as a target
  std::string address;
  uint64_t port = 0;  // of the kubelet
};

struct KubernetesPod : KubernetesObject {
  std::string ip;
  std::string node;
  std::vector<KubernetesContainer> containers;  // init containers last
};

struct KubernetesService : KubernetesObject {
  LabelSet details;            // shown only by the service as a target
  std::string primary_family;  // "IPv4" of a service with two IP families, "" of others
  std::vector<KubernetesPort> ports;
};

struct KubernetesEndpoint {
  std::vector<std::string> addresses;
  std::string node;
  std::string pod;  // "": not a pod
  std::string pod_namespace;
  LabelSet labels;
};

// Every endpoint has every port.
struct KubernetesEndpointSubset {
  std::vector<KubernetesEndpoint> endpoints;
  std::vector<KubernetesPort> ports;
};

// An Endpoints object or an EndpointSlice.
struct KubernetesEndpoints : KubernetesObject {
  std::string service;         // "": none
  std::string address_family;  // of an EndpointSlice: "IPv6"
  std::vector<KubernetesEndpointSubset> subsets;
};

// A path of a host of an Ingress.
struct KubernetesPath {
  std::string host;
  LabelSet labels;
};

struct KubernetesIngress : KubernetesObject {
  std::vector<KubernetesPath> paths;
};

struct KubernetesObjects {
  std::vector<KubernetesObject> namespaces;  // the meta labels are without the name
  std::vector<KubernetesNode> nodes;
  std::vector<KubernetesPod> pods;
  std::vector<KubernetesService> services;
  std::vector<KubernetesEndpoints> endpoints;
  std::vector<KubernetesIngress> ingresses;
  MemoryCharge memory{MemoryAccount::kScrapes};
};

// Adds the objects in a page of that role's list to `objects`. Returns the token of the next page,
// "" after the last.
absl::StatusOr<std::string> ReadKubernetesPage(KubernetesRole role, const std::string& json,
                                               KubernetesObjects& objects);

// The message of a Status object, with which the API server refuses a request; "" if it is not one.
std::string KubernetesRefusal(const std::string& json);

}  // namespace lockstep::scrape
