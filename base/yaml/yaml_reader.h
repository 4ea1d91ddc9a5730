// Reads YAML maps strictly: unknown keys are errors, and every error message has its line.
#pragma once

#include <yaml-cpp/yaml.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace lockstep {

// "FILE line 7" for a node of FILE.
std::string PlaceOf(const std::string& path, const YAML::Node& node);

// kInvalidArgument: "FILE line 7: `what`".
absl::Status YamlError(const std::string& path, const YAML::Node& node, std::string_view what);

// Parses one document; an empty one is an empty map.
absl::StatusOr<YAML::Node> ParseYamlMap(std::string_view yaml, const std::string& path);

struct YamlKey {
  std::string_view name;
  std::function<absl::Status(const YAML::Node& value)> read;
};

// Calls `read` of each key that `map` has. Fails on a key that is not in `keys` or is repeated, and
// if `map` is not a map. `where` is the map's own key for messages, "" at the top.
absl::Status ReadYamlMap(const std::string& path, const YAML::Node& map, std::string_view where,
                         const std::vector<YamlKey>& keys);

absl::StatusOr<std::string> YamlText(const std::string& path, const YAML::Node& node,
                                     std::string_view key);
absl::StatusOr<bool> YamlBool(const std::string& path, const YAML::Node& node,
                              std::string_view key);
absl::StatusOr<std::vector<std::string>> YamlTexts(const std::string& path, const YAML::Node& node,
                                                   std::string_view key);

}  // namespace lockstep
