#include "rules/config/rule_file.h"

#include <glob.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>
#include <utility>

#include "absl/strings/str_format.h"
#include "base/string_map.h"
#include "base/yaml/yaml_reader.h"
#include "model/labels.h"
#include "model/tenant.h"
#include "query/promql/parser/parser.h"
#include "query/promql/printer/printer.h"
#include "rules/template/template.h"

namespace lockstep::rules {
namespace {

constexpr std::string_view kGroup = "a rule group";
constexpr std::string_view kRule = "a rule";

bool IsMetricName(std::string_view name) { return !name.empty() && IsValidUtf8(name); }

class RuleFileReader {
 public:
  RuleFileReader(const std::string& path, const GroupDefaults& defaults)
      : path_(path), defaults_(defaults) {}

  absl::StatusOr<std::vector<RuleGroup>> Read(const YAML::Node& root) {
    std::vector<RuleGroup> groups;
    LOCKSTEP_RETURN_IF_ERROR(ReadYamlMap(path_, root, "", {{"groups", [&](const YAML::Node& list) {
                                                              return ReadGroups(list, groups);
                                                            }}}));
    return groups;
  }

 private:
  absl::Status ReadGroups(const YAML::Node& list, std::vector<RuleGroup>& groups) const {
    StringSet names;
    return ForEach(list, "groups", [&](const YAML::Node& node) -> absl::Status {
      LOCKSTEP_ASSIGN_OR_RETURN(RuleGroup group, ReadGroup(node));
      if (!names.insert(group.name).second) {
        return Error(node, absl::StrFormat("duplicate group \"%s\"", group.name));
      }
      groups.push_back(std::move(group));
      return absl::OkStatus();
    });
  }

  absl::StatusOr<RuleGroup> ReadGroup(const YAML::Node& node) const {
    RuleGroup group;
    group.file = path_;
    group.interval = defaults_.interval;
    group.query_offset = defaults_.query_offset;
    std::string tenant;
    Texts labels;
    LOCKSTEP_RETURN_IF_ERROR(ReadYamlMap(
        path_, node, kGroup,
        {Text("name", group.name),
         Text("tenant", tenant),
         Duration("interval", group.interval),
         Duration("query_offset", group.query_offset),
         {"limit", [&](const YAML::Node& value) { return ReadLimit(value, group.limit); }},
         Labels("labels", labels),
         {"rules", [&](const YAML::Node& value) { return ReadRules(value, group.rules); }}}));
    if (group.name.empty()) return Error(node, "a rule group needs a name");
    if (!tenant.empty()) {
      absl::StatusOr<std::string> name = TenantOfId(tenant);
      if (!name.ok()) return Error(node["tenant"], Message(name.status()));
      group.tenant = *std::move(name);
    }
    if (group.interval == milliseconds(0)) group.interval = defaults_.interval;
    // Labels of a rule take precedence.
    for (Rule& rule : group.rules) rule.labels.insert(labels.begin(), labels.end());
    return group;
  }

  absl::Status ReadRules(const YAML::Node& list, std::vector<Rule>& rules) const {
    return ForEach(list, "rules", [&](const YAML::Node& node) -> absl::Status {
      LOCKSTEP_ASSIGN_OR_RETURN(Rule rule, ReadRule(node));
      rules.push_back(std::move(rule));
      return absl::OkStatus();
    });
  }

  absl::StatusOr<Rule> ReadRule(const YAML::Node& node) const {
    Rule rule;
    std::string record, alert, expression;
    LOCKSTEP_RETURN_IF_ERROR(ReadYamlMap(
        path_, node, kRule,
        {Text("record", record), Text("alert", alert), Text("expr", expression),
         Duration("for", rule.hold_duration), Duration("keep_firing_for", rule.keep_firing_for),
         Labels("labels", rule.labels), Values("annotations", rule.annotations)}));
    if (record.empty() == alert.empty()) {
      return Error(node, "a rule needs either \"record\" or \"alert\"");
    }
    rule.kind = record.empty() ? RuleKind::kAlerting : RuleKind::kRecording;
    rule.name = record.empty() ? alert : record;
    LOCKSTEP_ASSIGN_OR_RETURN(rule.expression, ReadExpression(node, expression));
    LOCKSTEP_RETURN_IF_ERROR(record.empty() ? CheckAlert(node, rule) : CheckRecording(node, rule));
    return rule;
  }

  absl::StatusOr<std::string> ReadExpression(const YAML::Node& rule,
                                             const std::string& text) const {
    if (text.empty()) return Error(rule, "a rule needs \"expr\"");
    const absl::StatusOr<promql::ExprPtr> expression =
        promql::ParseExpr(text, nullptr, defaults_.dialect);
    if (expression.ok()) return promql::Print(**expression);
    return Error(rule["expr"],
                 absl::StrFormat("could not parse expression: %s", Message(expression.status())));
  }

  absl::Status CheckRecording(const YAML::Node& node, const Rule& rule) const {
    for (const char* key : {"for", "keep_firing_for", "annotations"}) {
      if (node[key]) {
        return Error(node[key], absl::StrFormat("a recording rule cannot have \"%s\"", key));
      }
    }
    const bool is_selector = rule.name.find_first_of("{}") != std::string::npos;
    if (is_selector || !IsMetricName(rule.name)) {
      return Error(node["record"], absl::StrFormat("\"%s\" is not a metric name", rule.name));
    }
    return absl::OkStatus();
  }

  absl::Status CheckAlert(const YAML::Node& node, const Rule& rule) const {
    for (const auto& [key, texts] : {std::pair<const char*, const Texts&>("labels", rule.labels),
                                     {"annotations", rule.annotations}}) {
      for (const auto& [name, text] : texts) {
        const absl::Status status = Template::Parse(text).status();
        if (status.ok()) continue;
        return Error(node[key], absl::StrFormat("template of \"%s\": %s", name, Message(status)));
      }
    }
    return absl::OkStatus();
  }

  absl::Status ReadLimit(const YAML::Node& node, uint64_t& limit) const {
    int64_t number = 0;
    if (!YAML::convert<int64_t>::decode(node, number)) {
      return Error(node, "limit has to be a whole number");
    }
    limit = static_cast<uint64_t>(std::max<int64_t>(number, 0));
    return absl::OkStatus();
  }

  YamlKey Text(std::string_view key, std::string& into) const {
    return {key, [this, key, &into](const YAML::Node& node) -> absl::Status {
              LOCKSTEP_ASSIGN_OR_RETURN(into, YamlText(path_, node, key));
              return absl::OkStatus();
            }};
  }

  // A duration that is not negative.
  YamlKey Duration(std::string_view key, milliseconds& into) const {
    return {key, [this, key, &into](const YAML::Node& node) -> absl::Status {
              LOCKSTEP_ASSIGN_OR_RETURN(const std::string text, YamlText(path_, node, key));
              const absl::StatusOr<int64_t> duration_ms =
                  text == "0" ? 0 : promql::ParseDurationMs(text);
              if (!duration_ms.ok()) {
                return Error(node, absl::StrFormat("%s: \"%s\" is not a duration like 15s or 1h30m",
                                                   key, text));
              }
              into = milliseconds(*duration_ms);
              return absl::OkStatus();
            }};
  }

  YamlKey Labels(std::string_view key, Texts& into) const {
    return {key, [this, key, &into](const YAML::Node& node) -> absl::Status {
              LOCKSTEP_RETURN_IF_ERROR(ReadTexts(key, node, into));
              for (const auto& [name, text] : into) {
                if (name != kMetricName && !name.empty() && IsValidUtf8(name)) continue;
                return Error(node, absl::StrFormat("\"%s\" is not a label name", name));
              }
              return absl::OkStatus();
            }};
  }

  YamlKey Values(std::string_view key, Texts& into) const {
    return {key, [this, key, &into](const YAML::Node& node) { return ReadTexts(key, node, into); }};
  }

  absl::Status ReadTexts(std::string_view key, const YAML::Node& node, Texts& into) const {
    if (node.IsNull()) return absl::OkStatus();
    if (!node.IsMap()) {
      return Error(node, absl::StrFormat("%s has to be a map", key));
    }
    for (const auto& entry : node) {
      LOCKSTEP_ASSIGN_OR_RETURN(const std::string name, YamlText(path_, entry.first, "a name"));
      LOCKSTEP_ASSIGN_OR_RETURN(std::string text, YamlText(path_, entry.second, name));
      if (!IsValidUtf8(text)) {
        return Error(entry.second, absl::StrFormat("the value of \"%s\" is not UTF-8", name));
      }
      if (!into.emplace(name, std::move(text)).second) {
        return Error(entry.first, absl::StrFormat("duplicate key \"%s\"", name));
      }
    }
    return absl::OkStatus();
  }

  template <typename F>
  absl::Status ForEach(const YAML::Node& list, std::string_view key, const F& read) const {
    if (list.IsNull()) return absl::OkStatus();
    if (!list.IsSequence()) return Error(list, absl::StrFormat("%s has to be a list", key));
    for (const YAML::Node& item : list) LOCKSTEP_RETURN_IF_ERROR(read(item));
    return absl::OkStatus();
  }

  absl::Status Error(const YAML::Node& node, std::string_view what) const {
    return YamlError(path_, node, what);
  }

  const std::string& path_;
  const GroupDefaults& defaults_;
};

// Returns each file once, in order.
absl::StatusOr<std::set<std::string>> FilesOf(const std::vector<std::string>& patterns) {
  std::set<std::string> files;
  for (const std::string& pattern : patterns) {
    glob_t found{};
    const int code = glob(pattern.c_str(), GLOB_ERR, nullptr, &found);
    for (size_t i = 0; i < found.gl_pathc; ++i) files.insert(found.gl_pathv[i]);
    globfree(&found);
    if (code != 0 && code != GLOB_NOMATCH) {
      return absl::NotFoundError(absl::StrFormat("cannot search for \"%s\"", pattern));
    }
  }
  return files;
}

}  // namespace

absl::StatusOr<std::vector<RuleGroup>> ParseRuleFile(std::string_view yaml, const std::string& path,
                                                     const GroupDefaults& defaults) {
  LOCKSTEP_ASSIGN_OR_RETURN(const YAML::Node root, ParseYamlMap(yaml, path));
  return RuleFileReader(path, defaults).Read(root);
}

absl::StatusOr<std::vector<RuleGroup>> ReadRuleFile(const std::string& path,
                                                    const GroupDefaults& defaults) {
  std::ifstream file(path);
  std::ostringstream content;
  if (file) content << file.rdbuf();
  if (!file) return absl::NotFoundError(absl::StrFormat("cannot read \"%s\"", path));
  return ParseRuleFile(std::move(content).str(), path, defaults);
}

absl::StatusOr<std::vector<RuleGroup>> ReadRuleFiles(const std::vector<std::string>& patterns,
                                                     const GroupDefaults& defaults) {
  LOCKSTEP_ASSIGN_OR_RETURN(const std::set<std::string> files, FilesOf(patterns));
  std::vector<RuleGroup> all;
  for (const std::string& file : files) {
    LOCKSTEP_ASSIGN_OR_RETURN(std::vector<RuleGroup> groups, ReadRuleFile(file, defaults));
    std::sort(groups.begin(), groups.end(),
              [](const RuleGroup& a, const RuleGroup& b) { return a.name < b.name; });
    std::move(groups.begin(), groups.end(), std::back_inserter(all));
  }
  return all;
}

}  // namespace lockstep::rules
