#include "rules/unit_test/test_file.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "base/yaml/yaml_reader.h"
#include "query/promql/parser/parser.h"

namespace lockstep::rules {
namespace {

class TestFileReader {
 public:
  explicit TestFileReader(const std::string& path) : path_(path) {}

  absl::StatusOr<TestFile> Read(const YAML::Node& root) {
    std::vector<std::string> patterns, order;
    LOCKSTEP_RETURN_IF_ERROR(ReadYamlMap(
        path_, root, "",
        {TextList("rule_files", patterns),
         TextList("group_eval_order", order),
         Duration("evaluation_interval", file_.evaluation_interval_ms),
         {"fuzzy_compare",
          [&](const YAML::Node& node) -> absl::Status {
            LOCKSTEP_ASSIGN_OR_RETURN(file_.fuzzy_compare, YamlBool(path_, node, "fuzzy_compare"));
            return absl::OkStatus();
          }},
         List("tests", [&](const YAML::Node& node) { return ReadTest(node); })}));
    LOCKSTEP_RETURN_IF_ERROR(ReadGroups(root, std::move(patterns), order));
    return std::move(file_);
  }

 private:
  using ReadNode = std::function<absl::Status(const YAML::Node&)>;

  absl::Status ReadGroups(const YAML::Node& root, std::vector<std::string> patterns,
                          const std::vector<std::string>& order) {
    const std::filesystem::path folder = std::filesystem::absolute(path_).parent_path();
    for (std::string& pattern : patterns) {
      pattern = (folder / pattern).lexically_normal().string();
    }
    LOCKSTEP_ASSIGN_OR_RETURN(file_.groups, ReadRuleFiles(patterns, {}));
    if (file_.groups.empty()) return Error(root, "rule_files has no rules");
    const auto place = [&](const RuleGroup& group) {
      return std::ranges::find(order, group.name) - order.begin();
    };
    std::ranges::stable_sort(file_.groups, {}, place);
    return absl::OkStatus();
  }

  absl::Status ReadTest(const YAML::Node& node) {
    UnitTest test;
    test.interval_ms = file_.evaluation_interval_ms;
    LOCKSTEP_RETURN_IF_ERROR(ReadYamlMap(
        path_, node, "a test",
        {Text("name", test.name),
         Duration("interval", test.interval_ms),
         List("input_series", [&](const YAML::Node& item) { return ReadSeries(item, test); }),
         List("alert_rule_test",
              [&](const YAML::Node& item) { return ReadAlertCheck(item, test); }),
         List("promql_expr_test",
              [&](const YAML::Node& item) { return ReadQueryCheck(item, test); }),
         Map("external_labels", test.external_labels),
         Text("external_url", test.external_url),
         {"start_timestamp",
          [&](const YAML::Node& value) { return ReadStart(value, test.start_ms); }}}));
    file_.tests.push_back(std::move(test));
    return absl::OkStatus();
  }

  absl::Status ReadStart(const YAML::Node& node, int64_t& start_ms) const {
    LOCKSTEP_ASSIGN_OR_RETURN(const std::string text, YamlText(path_, node, "start_timestamp"));
    double seconds = 0;
    if (!absl::SimpleAtod(text, &seconds)) {
      return Error(node, "start_timestamp has to be in Unix seconds");
    }
    start_ms = static_cast<int64_t>(seconds * 1e3);
    return absl::OkStatus();
  }

  absl::Status ReadSeries(const YAML::Node& node, UnitTest& test) const {
    std::string series, values;
    LOCKSTEP_RETURN_IF_ERROR(
        ReadYamlMap(path_, node, "a series", {Text("series", series), Text("values", values)}));
    // Folded strings may contain newlines.
    std::ranges::replace(values, '\n', ' ');
    absl::StatusOr<notation::SeriesLine> line = notation::ParseSeriesLine(series + " " + values);
    if (!line.ok()) return Error(node, Message(line.status()));
    test.series.push_back(*std::move(line));
    return absl::OkStatus();
  }

  absl::Status ReadAlertCheck(const YAML::Node& node, UnitTest& test) const {
    AlertCheck check;
    LOCKSTEP_RETURN_IF_ERROR(ReadYamlMap(
        path_, node, "alert_rule_test",
        {Duration("eval_time", check.time_ms), Text("alertname", check.alert),
         List("exp_alerts", [&](const YAML::Node& item) -> absl::Status {
           ExpectedAlert alert;
           LOCKSTEP_RETURN_IF_ERROR(ReadYamlMap(
               path_, item, "exp_alerts",
               {Map("exp_labels", alert.labels), Map("exp_annotations", alert.annotations)}));
           check.alerts.push_back(std::move(alert));
           return absl::OkStatus();
         })}));
    if (check.alert.empty()) return Error(node, "alert_rule_test needs alertname");
    test.alert_checks.push_back(std::move(check));
    return absl::OkStatus();
  }

  absl::Status ReadQueryCheck(const YAML::Node& node, UnitTest& test) const {
    QueryCheck check;
    LOCKSTEP_RETURN_IF_ERROR(ReadYamlMap(
        path_, node, "promql_expr_test",
        {Text("expr", check.expression), Duration("eval_time", check.time_ms),
         List("exp_samples",
              [&](const YAML::Node& item) { return ReadSample(item, check.samples); })}));
    test.query_checks.push_back(std::move(check));
    return absl::OkStatus();
  }

  absl::Status ReadSample(const YAML::Node& node, std::vector<ExpectedSample>& samples) const {
    std::string labels, value, histogram;
    LOCKSTEP_RETURN_IF_ERROR(
        ReadYamlMap(path_, node, "exp_samples",
                    {Text("labels", labels), Text("value", value), Text("histogram", histogram)}));
    // A sample is parsed as a series with one value.
    const std::string& written = histogram.empty() ? value : histogram;
    const auto line = notation::ParseSeriesLine((labels.empty() ? "{}" : labels) + " " + written);
    if (!line.ok()) return Error(node, Message(line.status()));
    if (line->slots.size() != 1 || !line->slots[0])
      return Error(node, "a sample must have exactly one value");
    samples.push_back({line->labels, line->slots[0]->value, line->slots[0]->histogram});
    return absl::OkStatus();
  }

  YamlKey Text(std::string_view key, std::string& into) const {
    return {key, [this, key, &into](const YAML::Node& node) -> absl::Status {
              LOCKSTEP_ASSIGN_OR_RETURN(into, YamlText(path_, node, key));
              return absl::OkStatus();
            }};
  }

  YamlKey TextList(std::string_view key, std::vector<std::string>& into) const {
    return {key, [this, key, &into](const YAML::Node& node) -> absl::Status {
              LOCKSTEP_ASSIGN_OR_RETURN(into, YamlTexts(path_, node, key));
              return absl::OkStatus();
            }};
  }

  YamlKey Duration(std::string_view key, int64_t& into_ms) const {
    return {key, [this, key, &into_ms](const YAML::Node& node) -> absl::Status {
              LOCKSTEP_ASSIGN_OR_RETURN(const std::string text, YamlText(path_, node, key));
              const auto parsed_ms = text == "0" ? 0 : promql::ParseDurationMs(text);
              if (!parsed_ms.ok()) {
                return Error(node, absl::StrFormat("%s: \"%s\" is not a duration", key, text));
              }
              into_ms = *parsed_ms;
              return absl::OkStatus();
            }};
  }

  YamlKey Map(std::string_view key, Texts& into) const {
    return {key, [this, key, &into](const YAML::Node& node) -> absl::Status {
              if (node.IsNull()) return absl::OkStatus();
              if (!node.IsMap()) {
                return Error(node, absl::StrFormat("%s has to be a map", key));
              }
              for (const auto& entry : node) {
                LOCKSTEP_ASSIGN_OR_RETURN(const std::string name,
                                          YamlText(path_, entry.first, "a name"));
                LOCKSTEP_ASSIGN_OR_RETURN(into[name], YamlText(path_, entry.second, name));
              }
              return absl::OkStatus();
            }};
  }

  YamlKey List(std::string_view key, ReadNode read) const {
    return {key, [this, key, read = std::move(read)](const YAML::Node& list) -> absl::Status {
              if (list.IsNull()) return absl::OkStatus();
              if (!list.IsSequence()) {
                return Error(list, absl::StrFormat("%s has to be a list", key));
              }
              for (const YAML::Node& item : list) LOCKSTEP_RETURN_IF_ERROR(read(item));
              return absl::OkStatus();
            }};
  }

  absl::Status Error(const YAML::Node& node, std::string_view what) const {
    return YamlError(path_, node, what);
  }

  const std::string& path_;
  TestFile file_;
};

}  // namespace

absl::StatusOr<TestFile> ReadTestFile(const std::string& path) {
  std::ifstream stream(path);
  std::ostringstream content;
  if (stream) content << stream.rdbuf();
  if (!stream) return absl::NotFoundError(absl::StrFormat("cannot read \"%s\"", path));
  LOCKSTEP_ASSIGN_OR_RETURN(const YAML::Node root, ParseYamlMap(std::move(content).str(), path));
  return TestFileReader(path).Read(root);
}

}  // namespace lockstep::rules
