// Target groups as static_configs and discovery write them, in YAML or in JSON, which YAML includes:
//
//   - targets: [node0:9400, node1:9400]
//     labels: {rack: r1}
#pragma once

#include <yaml-cpp/yaml.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "scrape/config/scrape_config.h"

namespace lockstep::scrape {

// `path` is for messages, `source` for TargetGroup::source, which gets the group's number behind it.
absl::StatusOr<std::vector<TargetGroup>> ReadTargetGroups(const std::string& path,
                                                          const YAML::Node& node,
                                                          const std::string& source);
// A whole document.
absl::StatusOr<std::vector<TargetGroup>> ParseTargetGroups(std::string_view text,
                                                           const std::string& source);

}  // namespace lockstep::scrape
