// The API server of a Kubernetes as a source of targets. Every look lists all objects that the role
// needs, in pages; nothing is watched in between.
#pragma once

#include <memory>
#include <string>

#include "base/status.h"
#include "scrape/discovery/target_source.h"

namespace lockstep::scrape {

// Where the API server is and how it is asked.
struct KubernetesAccess {
  std::string url;
  HttpClientConfig http;
  std::vector<std::string> namespaces;  // empty: all
};

// By `config`, or, if that names no server, by the environment of the pod that this process runs in
// and the files of its service account. `service_account_folder` is for tests.
inline constexpr std::string_view kServiceAccountFolder =
    "/var/run/secrets/kubernetes.io/serviceaccount";
absl::StatusOr<KubernetesAccess> KubernetesAccessOf(
    const KubernetesDiscovery& config,
    std::string_view service_account_folder = kServiceAccountFolder);

std::unique_ptr<TargetSource> MakeKubernetesSource(KubernetesDiscovery config);

}  // namespace lockstep::scrape
