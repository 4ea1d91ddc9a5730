// Service discovery configuration as plain data, in Prometheus' terms.
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

// Targets with their common labels.
struct TargetGroup {
  std::string source;  // for people: its origin
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
  uint16_t port = 0;  // SRV records contain their own
  milliseconds refresh_interval{30'000};

  bool operator==(const DnsDiscovery&) const = default;
};

// What is listed. All but the last, whose labels others may have, can be discovered.
enum class KubernetesRole {
  kNode,
  kPod,
  kService,
  kEndpoints,
  kEndpointSlice,
  kIngress,
  kNamespace
};
// "endpointslice"
std::string_view Name(KubernetesRole role);

// Restricts the objects that the API server lists.
struct KubernetesSelector {
  KubernetesRole role = KubernetesRole::kPod;
  std::string label;
  std::string field;

  bool operator==(const KubernetesSelector&) const = default;
};

struct KubernetesDiscovery {
  KubernetesRole role = KubernetesRole::kPod;
  std::string api_server;               // URL; "": the cluster in which this process runs as a pod
  std::vector<std::string> namespaces;  // empty: all
  bool own_namespace = false;           // also the pod's own namespace
  std::vector<KubernetesSelector> selectors;  // at most one per role
  bool attach_node = false;                   // adds labels of the pod's node
  bool attach_namespace = false;              // adds labels of the object's namespace
  milliseconds refresh_interval{30'000};
  HttpClientConfig http;

  bool operator==(const KubernetesDiscovery&) const = default;
};

// Nodes of a Slurm cluster, from the output of `scontrol show nodes --oneliner`.
struct SlurmDiscovery {
  std::vector<std::string> command = {"scontrol", "show", "nodes", "--oneliner"};
  std::string file;  // a file with such output, used instead; "": none
  uint16_t port = 0;
  milliseconds refresh_interval{60'000};

  bool operator==(const SlurmDiscovery&) const = default;
};

// Whether `text` can be the name of a region of AWS: "us-east-1".
bool IsAwsRegion(std::string_view text);

struct Ec2Filter {
  std::string name;
  std::vector<std::string> values;

  bool operator==(const Ec2Filter&) const = default;
};

// Instances of Amazon EC2.
struct Ec2Discovery {
  std::string region;    // "": that of the environment, or of the instance that this process is on
  std::string endpoint;  // URL without a path; "": that of the region
  // Both, or "" for those of the environment or of the instance.
  std::string access_key;
  std::string secret_key;
  std::vector<Ec2Filter> filters;
  uint16_t port = 80;
  milliseconds refresh_interval{60'000};
  HttpClientConfig http;  // its TLS and its proxy alone

  bool operator==(const Ec2Discovery&) const = default;
};

struct DiscoveryConfig {
  std::vector<TargetGroup> static_groups;
  std::vector<FileDiscovery> files;
  std::vector<HttpDiscovery> urls;
  std::vector<DnsDiscovery> dns;
  std::vector<KubernetesDiscovery> kubernetes;
  std::vector<SlurmDiscovery> slurm;
  std::vector<Ec2Discovery> ec2;
};

}  // namespace lockstep::scrape
