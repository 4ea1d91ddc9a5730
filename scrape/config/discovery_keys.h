// The readers of each kind of discovery, for ConfigKeys::Discovery(). Each appends a list's
// entries.
#pragma once

#include <vector>

#include "scrape/config/config_keys.h"

namespace lockstep::scrape {

absl::Status ReadDnsDiscovery(const ConfigKeys& keys, const YAML::Node& node,
                              std::vector<DnsDiscovery>& into);
absl::Status ReadEc2Discovery(const ConfigKeys& keys, const YAML::Node& node,
                              std::vector<Ec2Discovery>& into);
absl::Status ReadKubernetesDiscovery(const ConfigKeys& keys, const YAML::Node& node,
                                     std::vector<KubernetesDiscovery>& into);
absl::Status ReadSlurmDiscovery(const ConfigKeys& keys, const YAML::Node& node,
                                std::vector<SlurmDiscovery>& into);

}  // namespace lockstep::scrape
