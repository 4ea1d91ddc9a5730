#include "rules/config/rule_file.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace lockstep::rules
