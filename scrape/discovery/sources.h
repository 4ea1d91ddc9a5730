// The kinds of target sources. The comment at the top of a kind's source file describes it.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/status.h"
#include "scrape/discovery/target_source.h"

namespace lockstep::scrape {

// In text_sources.cc:
std::unique_ptr<TargetSource> MakeFileSource(std::string path);
std::unique_ptr<TargetSource> MakeHttpSource(HttpDiscovery config);

// In dns_source.cc:

// `config` must have one name. `loopback_port` is 0, or the port of a test name server at
// 127.0.0.1.
std::unique_ptr<TargetSource> MakeDnsSource(DnsDiscovery config, uint16_t loopback_port = 0);

// Converts the records in a name server's answer to targets. kInvalidArgument if malformed.
absl::StatusOr<FoundTargets> DnsTargets(const DnsDiscovery& config,
                                        std::span<const unsigned char> answer);

// In kubernetes_source.cc:

// The API server's address and client configuration.
struct KubernetesAccess {
  std::string url;
  HttpClientConfig http;
  std::vector<std::string> namespaces;  // empty: all
};

// From `config`, or, if it names no server, from the environment of the pod in which this process
// runs and its service account files. `service_account_folder` is for tests.
inline constexpr std::string_view kServiceAccountFolder =
    "/var/run/secrets/kubernetes.io/serviceaccount";
absl::StatusOr<KubernetesAccess> KubernetesAccessOf(
    const KubernetesDiscovery& config,
    std::string_view service_account_folder = kServiceAccountFolder);

std::unique_ptr<TargetSource> MakeKubernetesSource(KubernetesDiscovery config);

// In slurm_source.cc:
std::unique_ptr<TargetSource> MakeSlurmSource(SlurmDiscovery config);

// One target per node in any state. kInvalidArgument if the text is empty or not such output.
absl::StatusOr<FoundTargets> SlurmTargets(std::string_view text, uint16_t port);

// In ec2_source.cc:
std::unique_ptr<TargetSource> MakeEc2Source(Ec2Discovery config);

}  // namespace lockstep::scrape
