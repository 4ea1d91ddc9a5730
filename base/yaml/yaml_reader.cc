#include "base/yaml/yaml_reader.h"

#include <algorithm>

#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "base/string_map.h"

namespace lockstep {
namespace {

std::string KnownKeys(const std::vector<YamlKey>& keys) {
  std::vector<std::string> names;
  for (const YamlKey& key : keys) names.emplace_back(key.name);
  return absl::StrJoin(names, ", ");
}

// If a colon is missing, a value, which may be secret, is part of the key.
std::string_view WithoutValue(std::string_view key) {
  return key.substr(0, key.find_first_of(" \t\r\n"));
}

}  // namespace

std::string PlaceOf(const std::string& path, const YAML::Node& node) {
  return absl::StrFormat("%s line %d", path, node.Mark().line + 1);
}

absl::Status YamlError(const std::string& path, const YAML::Node& node, std::string_view what) {
  return absl::InvalidArgumentError(absl::StrFormat("%s: %s", PlaceOf(path, node), what));
}

absl::StatusOr<YAML::Node> ParseYamlMap(std::string_view yaml, const std::string& path) {
  try {
    YAML::Node root = YAML::Load(std::string(yaml));
    if (root.IsNull()) return YAML::Node(YAML::NodeType::Map);
    if (!root.IsMap()) return YamlError(path, root, "expected keys and values");
    return root;
  } catch (const YAML::Exception& error) {
    return absl::InvalidArgumentError(
        absl::StrFormat("%s line %d: invalid YAML: %s", path, error.mark.line + 1, error.msg));
  }
}

absl::Status ReadYamlMap(const std::string& path, const YAML::Node& map, std::string_view where,
                         const std::vector<YamlKey>& keys) {
  if (map.IsNull()) return absl::OkStatus();
  if (!map.IsMap()) {
    return YamlError(path, map, absl::StrFormat("%s has to hold keys and values", where));
  }
  StringSet seen;
  for (const auto& entry : map) {
    if (!entry.first.IsScalar()) return YamlError(path, entry.first, "a key has to be a word");
    const std::string& name = entry.first.Scalar();
    const auto key = std::find_if(keys.begin(), keys.end(),
                                  [&](const YamlKey& known) { return known.name == name; });
    if (key == keys.end()) {
      return YamlError(
          path, entry.first,
          absl::StrFormat("unknown key \"%s\"%s%s; the known keys are %s", WithoutValue(name),
                          where.empty() ? "" : " in ", where, KnownKeys(keys)));
    }
    if (!seen.insert(name).second) {
      return YamlError(path, entry.first, absl::StrFormat("duplicate key \"%s\"", name));
    }
    LOCKSTEP_RETURN_IF_ERROR(key->read(entry.second));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> YamlText(const std::string& path, const YAML::Node& node,
                                     std::string_view key) {
  if (node.IsScalar()) return node.Scalar();
  return YamlError(path, node, absl::StrFormat("%s has to be a string", key));
}

absl::StatusOr<bool> YamlBool(const std::string& path, const YAML::Node& node,
                              std::string_view key) {
  if (node.IsScalar() && node.Scalar() == "true") return true;
  if (node.IsScalar() && node.Scalar() == "false") return false;
  return YamlError(path, node, absl::StrFormat("%s has to be true or false", key));
}

absl::StatusOr<std::vector<std::string>> YamlTexts(const std::string& path, const YAML::Node& node,
                                                   std::string_view key) {
  if (!node.IsSequence()) return YamlError(path, node, absl::StrFormat("%s has to be a list", key));
  std::vector<std::string> texts;
  for (const YAML::Node& item : node) {
    LOCKSTEP_ASSIGN_OR_RETURN(std::string text, YamlText(path, item, key));
    texts.push_back(std::move(text));
  }
  return texts;
}

}  // namespace lockstep
