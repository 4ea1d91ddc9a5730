#include "cli/settings/config_file.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <utility>

#include "absl/strings/str_format.h"
#include "base/yaml/yaml_reader.h"
#include "rules/config/rules_config.h"
#include "scrape/config/scrape_config_file.h"

namespace lockstep::cli {
namespace {

absl::Status Flatten(const std::string& path, const YAML::Node& map, const std::string& prefix,
                     std::vector<GivenValue>& values);

// Whether the node holds only scalars and maps.
bool IsList(const YAML::Node& node) {
  return node.IsSequence() && std::all_of(node.begin(), node.end(), [](const YAML::Node& item) {
           return item.IsScalar() || (item.IsMap() && item.size() > 0);
         });
}

absl::Status FlattenList(const std::string& path, const YAML::Node& list, const std::string& name,
                         std::vector<GivenValue>& values) {
  for (size_t i = 0; i < list.size(); ++i) {
    const std::string item = absl::StrFormat("%s[%d]", name, i);
    if (list[i].IsScalar()) {
      values.push_back({item, list[i].Scalar(), PlaceOf(path, list[i])});
    } else {
      LOCKSTEP_RETURN_IF_ERROR(Flatten(path, list[i], item + ".", values));
    }
  }
  return absl::OkStatus();
}

// Appends the scalars below `map`, depth first.
absl::Status Flatten(const std::string& path, const YAML::Node& map, const std::string& prefix,
                     std::vector<GivenValue>& values) {
  for (const auto& entry : map) {
    if (!entry.first.IsScalar()) {
      return YamlError(path, entry.first, "keys must be scalars");
    }
    const std::string name = prefix + entry.first.Scalar();
    if (entry.second.IsMap()) {
      LOCKSTEP_RETURN_IF_ERROR(Flatten(path, entry.second, name + ".", values));
    } else if (entry.second.IsScalar()) {
      values.push_back({name, entry.second.Scalar(), PlaceOf(path, entry.first)});
    } else if (IsList(entry.second)) {
      LOCKSTEP_RETURN_IF_ERROR(FlattenList(path, entry.second, name, values));
    } else {
      return YamlError(path, entry.first, absl::StrFormat("\"%s\" needs a single value", name));
    }
  }
  return absl::OkStatus();
}

// The name "key" or "key[3]".
YAML::Node Below(YAML::Node map, const std::string& name) {
  const size_t bracket = name.find('[');
  if (bracket == std::string::npos) return map[name];
  return map[name.substr(0, bracket)][std::stoul(name.substr(bracket + 1))];
}

}  // namespace

absl::StatusOr<std::vector<GivenValue>> ParseConfig(std::string_view yaml,
                                                    const std::string& path) {
  LOCKSTEP_ASSIGN_OR_RETURN(YAML::Node root, ParseYamlMap(yaml, path));
  for (const std::string_view key :
       {scrape::kGlobalKey, scrape::kScrapeConfigsKey, rules::kRuleFilesKey, rules::kAlertingKey,
        rules::kRemediationKey}) {
    root.remove(std::string(key));
  }
  std::vector<GivenValue> values;
  LOCKSTEP_RETURN_IF_ERROR(Flatten(path, root, "", values));
  return values;
}

absl::StatusOr<std::vector<GivenValue>> ReadConfig(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream content;
  if (file) content << file.rdbuf();
  if (!file) return absl::NotFoundError(absl::StrFormat("cannot read \"%s\"", path));
  return ParseConfig(std::move(content).str(), path);
}

absl::StatusOr<ServeOptions> ReadServeOptions(const std::string& config_file,
                                              std::vector<GivenValue> flags) {
  std::vector<GivenValue> given;
  if (!config_file.empty()) {
    LOCKSTEP_ASSIGN_OR_RETURN(given, ReadConfig(config_file));
  }
  given.insert(given.end(), flags.begin(), flags.end());
  LOCKSTEP_ASSIGN_OR_RETURN(ServeOptions options, MakeServeOptions(given));
  options.config_file = config_file;
  options.flags = std::move(flags);
  return options;
}

std::string ToYaml(const std::vector<std::pair<std::string, std::string>>& settings) {
  YAML::Node root(YAML::NodeType::Map);
  for (const auto& [name, text] : settings) {
    YAML::Node at = root;
    size_t begin = 0;
    for (size_t dot; (dot = name.find('.', begin)) != std::string::npos; begin = dot + 1) {
      at.reset(Below(at, name.substr(begin, dot - begin)));
    }
    Below(at, name.substr(begin)) = text;
  }
  return YAML::Dump(root) + "\n";
}

}  // namespace lockstep::cli
