// Converts Kubernetes objects to targets with Prometheus' labels. Source: Prometheus,
// "Configuration", kubernetes_sd_config. Pure function.
#pragma once

#include "base/status.h"
#include "scrape/discovery/kubernetes_objects.h"
#include "scrape/discovery/target_source.h"

namespace lockstep::scrape {

// `objects` must contain what the role needs: for endpoints also pods and services, with
// `attach_node` also nodes. Fails if there is no memory for the targets.
absl::StatusOr<FoundTargets> KubernetesTargets(const KubernetesDiscovery& config,
                                               const KubernetesObjects& objects);

}  // namespace lockstep::scrape
