// Objects of a Kubernetes, as far as discovery needs them, from the lists that its API server
// answers. A field that is missing or of another type is taken for empty. Pure; all that is made is
// charged to the objects' memory.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/memory_budget.h"
#include "base/status.h"
#include "model/labels.h"
#include "scrape/config/discovery_config.h"

namespace lockstep::scrape {

struct KubernetesPort {
  uint64_t number = 0;
  std::string protocol;
  LabelSet labels;
};

struct KubernetesContainer {
  LabelSet labels;
  std::vector<KubernetesPort> ports;
};

// What all kinds have. The meta labels include the namespace.
struct KubernetesObject {
  std::string namespace_name;
  std::string name;
  LabelSet labels;
};

struct KubernetesNode : KubernetesObject {
  std::string address;
  uint64_t port = 0;  // of the kubelet
};

struct KubernetesPod : KubernetesObject {
  std::string ip;
  std::string node;
  std::vector<KubernetesContainer> containers;  // those that initialise it last
};

struct KubernetesService : KubernetesObject {
  std::vector<KubernetesPort> ports;
};

struct KubernetesEndpoint {
  std::vector<std::string> addresses;
  std::string node;
  std::string pod;  // "": it is none
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
  std::string service;  // "": of none
  std::vector<KubernetesEndpointSubset> subsets;
};

struct KubernetesObjects {
  std::vector<KubernetesNode> nodes;
  std::vector<KubernetesPod> pods;
  std::vector<KubernetesService> services;
  std::vector<KubernetesEndpoints> endpoints;
  MemoryCharge memory{MemoryAccount::kScrapes};
};

// Adds the objects of a page of a list of that role to `objects`. Returns where the next page
// begins, "" after the last.
absl::StatusOr<std::string> ReadKubernetesPage(KubernetesRole role, const std::string& json,
                                               KubernetesObjects& objects);

// The message of a Status object, which the API server answers when it refuses; "" if it is none.
std::string KubernetesRefusal(const std::string& json);

}  // namespace lockstep::scrape
