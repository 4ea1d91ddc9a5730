#include "rules/config/rule_file.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/support/test_folder.h"

namespace lockstep::rules {
namespace {

TEST(RuleFileTest, ReadsWhatPrometheusReads) {
  const auto groups = ParseRuleFile(R"(
groups:
- name: gpus
  tenant: team-a
  interval: 15s
  query_offset: 10s
  limit: 7
  labels: {team: infra, rank: "0"}
  rules:
  - record: job:power:sum
    expr: sum   by(job) (power)
    labels: {rank: ""}
  - alert: Hot
    expr: temp > 80
    for: 5m
    keep_firing_for: 1m30s
    annotations: {summary: "{{ $labels.gpu }}"}
- name: empty
)",
                                    "/r.yml", {.interval = milliseconds(30'000)});
  ASSERT_TRUE(groups.ok()) << groups.status();
  ASSERT_EQ(groups->size(), 2u);
  const RuleGroup expected{"/r.yml",
                           "gpus",
                           "team-a",
                           milliseconds(15'000),
                           milliseconds(10'000),
                           7,
                           {{RuleKind::kRecording,
                             "job:power:sum",
                             "sum by (job) (power)",
                             {{"rank", ""}, {"team", "infra"}},
                             {},
                             {},
                             {}},
                            {RuleKind::kAlerting,
                             "Hot",
                             "temp > 80",
                             {{"rank", "0"}, {"team", "infra"}},
                             milliseconds(300'000),
                             milliseconds(90'000),
                             {{"summary", "{{ $labels.gpu }}"}}}}};
  EXPECT_EQ(groups->front(), expected);
  EXPECT_EQ(groups->back().interval, milliseconds(30'000));
}

TEST(RuleFileTest, ComplaintsNameTheLine) {
  struct Row {
    std::string_view rule;
    std::string_view error;
  };
  for (const Row& row : {
           Row{"{record: a}", "r.yml line 4: a rule needs \"expr\""},
           Row{"{expr: a}", "r.yml line 4: a rule needs either \"record\" or \"alert\""},
           Row{"{record: a, alert: b, expr: c}",
               "r.yml line 4: a rule needs either \"record\" or \"alert\""},
           Row{"{record: a, expr: 'sum('}",
               "r.yml line 4: could not parse expression: 1:5: parse error: unclosed left "
               "parenthesis"},
           Row{"{record: a, expr: b, for: 5m}",
               "r.yml line 4: a recording rule cannot have \"for\""},
           Row{"{record: 'a{b=\"c\"}', expr: b}", "r.yml line 4: \"a{b=\"c\"}\" is not a metric"},
           Row{"{alert: a, expr: b, for: soon}",
               "r.yml line 4: for: \"soon\" is not a duration like 15s or 1h30m"},
           Row{"{alert: a, expr: b, labels: {__name__: x}}",
               "r.yml line 4: \"__name__\" is not a label name"},
           Row{"{alert: a, expr: b, annotations: {x: '{{ frob }}'}}",
               "r.yml line 4: template of \"x\": line 1: function \"frob\" not defined"},
           Row{"{alert: a, expr: b, severity: high}",
               "r.yml line 4: unknown key \"severity\" in a rule"},
       }) {
    const std::string yaml = "groups:\n- name: g\n  rules:\n  - " + std::string(row.rule) + "\n";
    const absl::Status status = ParseRuleFile(yaml, "r.yml", {}).status();
    EXPECT_TRUE(Message(status).starts_with(row.error)) << Message(status);
  }
  EXPECT_EQ(Message(ParseRuleFile("groups: [{name: a}, {name: a}]\n", "r.yml", {}).status()),
            "r.yml line 1: duplicate group \"a\"");
}

TEST(RuleFileTest, ExpressionsAreOfTheDialectOfTheServer) {
  const std::string yaml = "groups: [{name: a, rules: [{record: b, expr: 'rollup(c[5m])'}]}]\n";
  GroupDefaults defaults;
  EXPECT_TRUE(ParseRuleFile(yaml, "r.yml", defaults).ok());
  defaults.dialect = promql::Dialect::kPromql;
  EXPECT_EQ(
      Message(ParseRuleFile(yaml, "r.yml", defaults).status()),
      "r.yml line 1: could not parse expression: 1:1: parse error: unknown function with name "
      "\"rollup\"");
}

// "FILE line N: " is left out.
std::string ErrorOf(const std::string& yaml) {
  const std::string error(Message(ParseRuleFile(yaml, "r.yml", {}).status()));
  return error.substr(std::min(error.find(": ") + 2, error.size()));
}

TEST(RuleFileTest, GroupsAndRulesMayBeMissing) {
  EXPECT_TRUE(ParseRuleFile("", "r.yml", {})->empty());
  EXPECT_TRUE(ParseRuleFile("groups:\n", "r.yml", {})->empty());
  const auto groups = ParseRuleFile("groups: [{name: g, rules: , labels: }]\n", "r.yml", {});
  ASSERT_TRUE(groups.ok()) << groups.status();
  EXPECT_TRUE(groups->at(0).rules.empty());
  EXPECT_EQ(ErrorOf("groups: 7\n"), "groups has to be a list");
  EXPECT_EQ(ErrorOf("groups: [{name: g, rules: 7}]\n"), "rules has to be a list");
  EXPECT_EQ(ErrorOf("groups: [{rules: []}]\n"), "a rule group needs a name");
}

TEST(RuleFileTest, AGroupHasTheDefaultsOfTheServer) {
  GroupDefaults defaults;
  defaults.interval = milliseconds(7'000);
  defaults.query_offset = milliseconds(3'000);
  const auto groups = ParseRuleFile(
      "groups: [{name: a}, {name: b, interval: 0s, query_offset: 0s}, {name: c, interval: 0}]\n",
      "r.yml", defaults);
  ASSERT_TRUE(groups.ok()) << groups.status();
  EXPECT_EQ((*groups)[0].interval, milliseconds(7'000));
  EXPECT_EQ((*groups)[0].query_offset, milliseconds(3'000));
  EXPECT_EQ((*groups)[0].limit, 0u);
  EXPECT_EQ((*groups)[0].tenant, "");
  EXPECT_EQ((*groups)[1].interval, milliseconds(7'000));
  EXPECT_EQ((*groups)[1].query_offset, milliseconds(0));
  EXPECT_EQ((*groups)[2].interval, milliseconds(7'000));
}

TEST(RuleFileTest, ALimitBelowZeroIsNone) {
  const auto groups = ParseRuleFile(
      "groups: [{name: a, limit: -3}, {name: b, limit: 3}, {name: c, limit: 0}]\n", "r.yml", {});
  ASSERT_TRUE(groups.ok()) << groups.status();
  EXPECT_EQ((*groups)[0].limit, 0u);
  EXPECT_EQ((*groups)[1].limit, 3u);
  EXPECT_EQ((*groups)[2].limit, 0u);
  EXPECT_EQ(ErrorOf("groups: [{name: a, limit: many}]\n"), "limit has to be a whole number");
}

TEST(RuleFileTest, ATenantHasToBeOne) {
  EXPECT_NE(ErrorOf("groups: [{name: a, tenant: '../x'}]\n"), "");
  EXPECT_EQ(ErrorOf("groups: [{name: a, tenant: team-1}]\n"), "");
}

TEST(RuleFileTest, ARecordingRuleHasNothingOfAnAlert) {
  const auto error_with = [](const std::string& key) {
    return ErrorOf("groups: [{name: g, rules: [{record: a, expr: b, " + key + "}]}]\n");
  };
  EXPECT_EQ(error_with("for: 0s"), "a recording rule cannot have \"for\"");
  EXPECT_EQ(error_with("keep_firing_for: 1m"), "a recording rule cannot have \"keep_firing_for\"");
  EXPECT_EQ(error_with("annotations: {}"), "a recording rule cannot have \"annotations\"");
  EXPECT_EQ(error_with("labels: {}"), "");
  // The texts of its labels are no templates.
  EXPECT_EQ(error_with("labels: {a: '{{ frob }}'}"), "");
}

TEST(RuleFileTest, LabelsAndAnnotationsAreMapsOfTexts) {
  const auto error_with = [](const std::string& key) {
    return ErrorOf("groups: [{name: g, rules: [{alert: a, expr: b, " + key + "}]}]\n");
  };
  EXPECT_EQ(error_with("labels: [a]"), "labels has to be a map");
  EXPECT_EQ(error_with("annotations: a"), "annotations has to be a map");
  EXPECT_EQ(error_with("annotations:"), "");
  EXPECT_EQ(error_with("annotations: {a: 1, a: 2}"), "duplicate key \"a\"");
  EXPECT_EQ(error_with("labels: {'': a}"), "\"\" is not a label name");
  EXPECT_EQ(error_with("annotations: {'': a}"), "");
  EXPECT_EQ(error_with("labels: {a: '{{ frob }}'}"),
            "template of \"a\": line 1: function \"frob\" not defined");
  EXPECT_EQ(ErrorOf("groups: [{name: g, labels: {__name__: a}}]\n"),
            "\"__name__\" is not a label name");
  for (const char* name : {"a{b}", "{", "}"}) {
    EXPECT_EQ(
        ErrorOf("groups: [{name: g, rules: [{record: '" + std::string(name) + "', expr: b}]}]\n"),
        "\"" + std::string(name) + "\" is not a metric name");
  }
}

class RuleFilesTest : public testing::Test {
 protected:
  void Write(const std::string& name, const std::string& text) {
    std::ofstream(folder_.path() + "/" + name) << text;
  }

  // "FILE:GROUP" of each, or the error, without the folder.
  std::vector<std::string> Read(const std::vector<std::string>& names) const {
    std::vector<std::string> patterns;
    for (const std::string& name : names) patterns.push_back(folder_.path() + "/" + name);
    const auto groups = ReadRuleFiles(patterns, {});
    if (!groups.ok()) return {std::string(Message(groups.status()))};
    std::vector<std::string> found;
    for (const RuleGroup& group : *groups) {
      found.push_back(group.file.substr(folder_.path().size() + 1) + ":" + group.name);
    }
    return found;
  }

  const TestFolder folder_;
};

TEST_F(RuleFilesTest, GroupsAreInOrderAndEachFileIsReadOnce) {
  Write("b.yml", "groups: [{name: z}, {name: y}]\n");
  Write("a.yml", "groups: [{name: x}]\n");
  Write("c.txt", "no rules");
  using Names = std::vector<std::string>;
  EXPECT_EQ(Read({"b.yml", "*.yml", "none*.yml"}), (Names{"a.yml:x", "b.yml:y", "b.yml:z"}));
  EXPECT_EQ(Read({"none.yml"}), Names());
  EXPECT_EQ(Read({}), Names());
}

TEST_F(RuleFilesTest, AFileThatIsWrongIsNamed) {
  Write("a.yml", "groups: 7\n");
  EXPECT_EQ(Read({"*.yml"}).at(0), folder_.path() + "/a.yml line 1: groups has to be a list");
  const absl::Status missing = ReadRuleFile(folder_.path() + "/none.yml", {}).status();
  EXPECT_EQ(missing.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(Message(missing), "cannot read \"" + folder_.path() + "/none.yml\"");
}

}  // namespace
}  // namespace lockstep::rules
