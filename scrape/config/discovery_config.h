// Where targets are found, as plain data in Prometheus' words.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/labels.h"
#include "scrape/config/http_client_config.h"

namespace lockstep::scrape {

using std::chrono::milliseconds;

// Targets with what is known of all of them.
struct TargetGroup {
  std::string source;  // for people: where it came from
  std::vector<std::string> addresses;
  LabelSet labels;

  bool operator==(const TargetGroup&) const = default;
};

struct FileDiscovery {
  std::vector<std::string> patterns;  // absolute; the last part may have one '*'
};

struct HttpDiscovery {
  std::string url;
  milliseconds refresh_interval{60'000};
  HttpClientConfig http;

  bool operator==(const HttpDiscovery&) const = default;
};

enum class DnsRecordType { kSrv, kA, kAaaa, kMx, kNs };
// "SRV"
std::string_view Name(DnsRecordType type);

struct DnsDiscovery {
  std::vector<std::string> names;
  DnsRecordType type = DnsRecordType::kSrv;
  uint16_t port = 0;  // SRV records have their own
  milliseconds refresh_interval{30'000};

  bool operator==(const DnsDiscovery&) const = default;
};

enum class KubernetesRole { kNode, kPod, kService, kEndpoints, kEndpointSlice };
// "endpointslice"
std::string_view Name(KubernetesRole role);

// Limits the objects that the API server lists.
struct KubernetesSelector {
  KubernetesRole role = KubernetesRole::kPod;
  std::string label;
  std::string field;

  bool operator==(const KubernetesSelector&) const = default;
};

struct KubernetesDiscovery {
  KubernetesRole role = KubernetesRole::kPod;
  std::string api_server;  // URL; "": the server of the cluster in which this process is a pod
  std::vector<std::string> namespaces;        // empty: all
  bool own_namespace = false;                 // the pod's, besides `namespaces`
  std::vector<KubernetesSelector> selectors;  // at most one for each role
  bool attach_node = false;                   // labels of the pod's node
  milliseconds refresh_interval{30'000};
  HttpClientConfig http;

  bool operator==(const KubernetesDiscovery&) const = default;
};

// Nodes of a Slurm cluster, from what `scontrol show nodes --oneliner` prints.
struct SlurmDiscovery {
  std::vector<std::string> command = {"scontrol", "show", "nodes", "--oneliner"};
  std::string file;  // with such a text, which is read instead; "": none
  uint16_t port = 0;
  milliseconds refresh_interval{60'000};

  bool operator==(const SlurmDiscovery&) const = default;
};

struct DiscoveryConfig {
  std::vector<TargetGroup> static_groups;
  std::vector<FileDiscovery> files;
  std::vector<HttpDiscovery> urls;
  std::vector<DnsDiscovery> dns;
  std::vector<KubernetesDiscovery> kubernetes;
  std::vector<SlurmDiscovery> slurm;
};

}  // namespace lockstep::scrape
