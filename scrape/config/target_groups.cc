#include "scrape/config/target_groups.h"

#include <utility>

#include "absl/strings/str_format.h"
#include "base/yaml/yaml_reader.h"

namespace lockstep::scrape {
namespace {

absl::StatusOr<LabelSet> ReadLabels(const std::string& path, const YAML::Node& node) {
  if (!node.IsMap()) return YamlError(path, node, "labels has to map names to values");
  LabelSetBuilder builder;
  for (const auto& entry : node) {
    LOCKSTEP_ASSIGN_OR_RETURN(const std::string name, YamlText(path, entry.first, "a label name"));
    LOCKSTEP_ASSIGN_OR_RETURN(const std::string value,
                              YamlText(path, entry.second, "a label value"));
    if (name.empty() || !IsValidUtf8(name)) {
      return YamlError(path, entry.first, absl::StrFormat("\"%s\" is not a label name", name));
    }
    builder.Set(name, value);
  }
  return builder.Build();
}

absl::StatusOr<TargetGroup> ReadGroup(const std::string& path, const YAML::Node& node) {
  TargetGroup group;
  LOCKSTEP_RETURN_IF_ERROR(
      ReadYamlMap(path, node, "a target group",
                  {{"targets",
                    [&](const YAML::Node& value) -> absl::Status {
                      LOCKSTEP_ASSIGN_OR_RETURN(group.addresses, YamlTexts(path, value, "targets"));
                      return absl::OkStatus();
                    }},
                   {"labels", [&](const YAML::Node& value) -> absl::Status {
                      if (value.IsNull()) return absl::OkStatus();
                      LOCKSTEP_ASSIGN_OR_RETURN(group.labels, ReadLabels(path, value));
                      return absl::OkStatus();
                    }}}));
  return group;
}

}  // namespace

absl::StatusOr<std::vector<TargetGroup>> ReadTargetGroups(const std::string& path,
                                                          const YAML::Node& node,
                                                          const std::string& source) {
  std::vector<TargetGroup> groups;
  if (node.IsNull()) return groups;
  if (!node.IsSequence()) return YamlError(path, node, "target groups have to be a list");
  for (const YAML::Node& item : node) {
    LOCKSTEP_ASSIGN_OR_RETURN(TargetGroup group, ReadGroup(path, item));
    group.source = absl::StrFormat("%s:%d", source, groups.size());
    groups.push_back(std::move(group));
  }
  return groups;
}

absl::StatusOr<std::vector<TargetGroup>> ParseTargetGroups(std::string_view text,
                                                           const std::string& source) {
  try {
    return ReadTargetGroups(source, YAML::Load(std::string(text)), source);
  } catch (const YAML::Exception& error) {
    return absl::InvalidArgumentError(absl::StrFormat("%s line %d: not YAML or JSON: %s", source,
                                                      error.mark.line + 1, error.msg));
  }
}

}  // namespace lockstep::scrape
