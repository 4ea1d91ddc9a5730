// Parses target groups of static_configs and discovery, in YAML or in JSON, a subset of YAML:
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

// `path` appears in messages; `source` plus the group's number becomes TargetGroup::source.
absl::StatusOr<std::vector<TargetGroup>> ReadTargetGroups(const std::string& path,
                                                          const YAML::Node& node,
                                                          const std::string& source);
// Parses a whole document.
absl::StatusOr<std::vector<TargetGroup>> ParseTargetGroups(std::string_view text,
                                                           const std::string& source);

}  // namespace lockstep::scrape
