#include "rules/unit_test/unit_test_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/memory_storage.h"
#include "tests/support/test_folder.h"

namespace lockstep::rules {
namespace {

class UnitTestRunTest : public testing::Test {
 protected:
  UnitTestRunTest() {
    Write("rules.yml", R"(
groups:
- name: g
  rules:
  - record: twice
    expr: 2 * temp
  - alert: Hot
    expr: temp > 80
    for: 2m
    annotations: {summary: "GPU {{ $labels.gpu }}"}
)");
  }

  void Write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
  }

  // The mismatches that one test, given in the middle of a file, finds.
  std::vector<std::string> Failures(const std::string& checks) {
    Write("test.yml",
          "rule_files: [rules.yml]\ntests:\n- interval: 1m\n"
          "  input_series: [{series: 'temp{gpu=\"1\"}', values: '70 81x5 70'}]\n" +
              checks);
    const auto file = ReadTestFile((folder_ / "test.yml").string());
    if (!file.ok()) return {std::string(Message(file.status()))};
    MemoryStorage storage;
    return *RunUnitTest(*file, file->tests.at(0), storage);
  }

  const TestFolder temporary_;
  const std::filesystem::path folder_ = temporary_.path();
};

TEST_F(UnitTestRunTest, PassesWhatIsTrue) {
  EXPECT_THAT(Failures(R"(
  alert_rule_test:
  - {eval_time: 2m, alertname: Hot}
  - eval_time: 3m
    alertname: Hot
    exp_alerts: [{exp_labels: {gpu: "1"}, exp_annotations: {summary: GPU 1}}]
  - {eval_time: 7m, alertname: Hot, exp_alerts: []}
  promql_expr_test:
  - {expr: twice, eval_time: 1m, exp_samples: [{labels: 'twice{gpu="1"}', value: 162}]}
  - {expr: time(), eval_time: 1m, exp_samples: [{labels: '{}', value: 60}]}
)"),
              testing::IsEmpty());
}

TEST_F(UnitTestRunTest, SaysWhatIsNot) {
  EXPECT_THAT(
      Failures(R"(
  alert_rule_test: [{eval_time: 2m, alertname: Hot, exp_alerts: [{exp_labels: {gpu: "2"}}]}]
)"),
      testing::ElementsAre("alert Hot at 120 s\n    expected:\n      labels { alertname=Hot "
                           "gpu=2 } annotations { }\n    got: nothing"));
  EXPECT_THAT(Failures(R"(
  promql_expr_test: [{expr: twice, eval_time: 1m, exp_samples: [{labels: twice, value: 1}]}]
)"),
              testing::ElementsAre("twice at 60 s\n    expected:\n      twice 1\n    got:\n      "
                                   "twice{gpu=\"1\"} 162"));
  EXPECT_THAT(Failures("  alert_rule_test: [{eval_time: 1m, alertname: Cold}]\n"),
              testing::ElementsAre("no rule defines the alert \"Cold\""));
}

// Of all tests of a whole file, in order.
class UnitTestFileTest : public UnitTestRunTest {
 protected:
  std::vector<std::string> FailuresOf(const std::string& yaml) {
    Write("test.yml", yaml);
    const auto file = ReadTestFile((folder_ / "test.yml").string());
    if (!file.ok()) return {std::string(Message(file.status()))};
    std::vector<std::string> failures;
    for (const UnitTest& test : file->tests) {
      MemoryStorage storage;
      const std::vector<std::string> found = *RunUnitTest(*file, test, storage);
      failures.insert(failures.end(), found.begin(), found.end());
    }
    return failures;
  }

  // The error of a file, without its name and line.
  std::string ErrorOf(const std::string& yaml) {
    Write("test.yml", yaml);
    const std::string error(Message(ReadTestFile((folder_ / "test.yml").string()).status()));
    return error.substr(std::min(error.find(": ") + 2, error.size()));
  }
};

TEST_F(UnitTestFileTest, ATestHasItsTimesAndLabels) {
  Write("texts.yml", R"(
groups:
- name: g
  rules:
  - alert: Up
    expr: up == 1
    annotations: {text: "{{ $externalLabels.cluster }} {{ externalURL }}"}
)");
  EXPECT_THAT(FailuresOf(R"(
rule_files: [texts.yml]
evaluation_interval: 30s
tests:
- name: one
  interval: 10s
  start_timestamp: 1000.5
  external_labels: {cluster: c1}
  external_url: http://here
  input_series:
  - series: up
    values: '0
      0 0 _ 1x9'
  alert_rule_test:
  - {eval_time: 30s, alertname: Up}
  - eval_time: 89s
    alertname: Up
    exp_alerts: [{exp_annotations: {text: c1 http://here}}]
  promql_expr_test:
  - {expr: timestamp(up), eval_time: 45s, exp_samples: [{value: 1040.5}]}
  - {expr: time(), eval_time: 0, exp_samples: [{value: 1000.5}]}
  - {expr: 'count_over_time(up[2h])', eval_time: 1h, exp_samples: [{value: 13}]}
)"),
              testing::IsEmpty());
}

// As in promtool, a check is made at the last evaluation that is not after its time.
TEST_F(UnitTestFileTest, ChecksAreMadeInTheirInterval) {
  const auto at = [&](const std::string& time) {
    return FailuresOf(R"(
rule_files: [rules.yml]
evaluation_interval: 1m
tests:
- interval: 1m
  input_series: [{series: 'temp{gpu="1"}', values: '81x2 70x9'}]
  alert_rule_test:
  - {alertname: Hot, eval_time: )" +
                      time + R"(, exp_alerts: [{exp_labels: {gpu: "1"},
     exp_annotations: {summary: GPU 1}}]}
)");
  };
  EXPECT_THAT(at("119s"), testing::SizeIs(1));
  EXPECT_THAT(at("2m"), testing::IsEmpty());
  EXPECT_THAT(at("179s"), testing::IsEmpty());
  EXPECT_THAT(at("3m"), testing::SizeIs(1));
}

TEST_F(UnitTestFileTest, ErrorsOfRulesAndQueriesAreToldOnce) {
  Write("bad.yml", R"(
groups:
- name: g
  rules: [{record: bad, expr: 'a / on() group_left() {__name__=~"b|c"}'}]
)");
  const std::vector<std::string> failures = FailuresOf(R"(
rule_files: [bad.yml]
tests:
- input_series: [{series: a, values: 1x9}, {series: b, values: 1x9}, {series: c, values: 1x9}]
  promql_expr_test:
  - {expr: 'sum(', eval_time: 5m}
  - {expr: a, eval_time: 5m}
)");
  ASSERT_EQ(failures.size(), 3u);
  EXPECT_THAT(failures[0], testing::StartsWith("group g, rule bad: "));
  EXPECT_THAT(failures[1], testing::StartsWith("sum(: "));
  EXPECT_EQ(failures[2], "a at 300 s\n    expected: nothing\n    got:\n      a 1");
}

TEST_F(UnitTestFileTest, ComparesExactlyOrTwelveDigits) {
  const std::string tests = R"(rule_files: [rules.yml]
tests:
- input_series: [{series: a, values: 1x9}]
  promql_expr_test:
  - {expr: a / 3, eval_time: 1m, exp_samples: [{labels: '{}', value: 0.333333333333333}]}
)";
  EXPECT_THAT(FailuresOf(tests), testing::SizeIs(1));
  EXPECT_THAT(FailuresOf("fuzzy_compare: false\n" + tests), testing::SizeIs(1));
  EXPECT_THAT(FailuresOf("fuzzy_compare: true\n" + tests), testing::IsEmpty());
}

TEST_F(UnitTestFileTest, ComparesHistogramsByCountAndSum) {
  EXPECT_THAT(FailuresOf(R"(
rule_files: [rules.yml]
tests:
- input_series: [{series: h, values: '{{count:3 sum:7 buckets:[1 2]}}x9'}]
  promql_expr_test:
  - {expr: h, eval_time: 1m, exp_samples: [{labels: h, histogram: '{{count:3 sum:7 buckets:[1 2]}}'}]}
  - {expr: h, eval_time: 1m, exp_samples: [{labels: h, histogram: '{{count:3 sum:8 buckets:[1 2]}}'}]}
)"),
              testing::ElementsAre("h at 60 s\n    expected:\n      h histogram count 3 sum 8\n"
                                   "    got:\n      h histogram count 3 sum 7"));
}

TEST_F(UnitTestFileTest, AlertsAndSamplesMayComeInAnyOrder) {
  EXPECT_THAT(FailuresOf(R"(
rule_files: [rules.yml]
tests:
- input_series: [{series: 'temp{gpu="1"}', values: 81x9}, {series: 'temp{gpu="2"}', values: 82x9}]
  alert_rule_test:
  - eval_time: 5m
    alertname: Hot
    exp_alerts:
    - {exp_labels: {gpu: "2"}, exp_annotations: {summary: GPU 2}}
    - {exp_labels: {gpu: "1"}, exp_annotations: {summary: GPU 1}}
  promql_expr_test:
  - {expr: twice, eval_time: 5m, exp_samples: [{labels: 'twice{gpu="2"}', value: 164},
     {labels: 'twice{gpu="1"}', value: 162}]}
)"),
              testing::IsEmpty());
}

TEST_F(UnitTestFileTest, GroupsAreEvaluatedInTheOrderOfTheFile) {
  Write("chain.yml", R"(
groups:
- {name: a, rules: [{record: third, expr: second + 1}]}
- {name: b, rules: [{record: second, expr: first + 1}]}
- {name: c, rules: [{record: first, expr: vector(1)}]}
)");
  const std::string tests = R"(rule_files: [chain.yml]
tests:
- promql_expr_test:
  - {expr: third, eval_time: 0, exp_samples: [{labels: third, value: 3}]}
)";
  EXPECT_THAT(FailuresOf(tests), testing::SizeIs(1));
  EXPECT_THAT(FailuresOf("group_eval_order: [c, b, a]\n" + tests), testing::IsEmpty());
  // What is not in the list comes last.
  EXPECT_THAT(FailuresOf("group_eval_order: [c, b]\n" + tests), testing::IsEmpty());
}

TEST_F(UnitTestFileTest, SaysWhatIsWrongWithAFile) {
  EXPECT_EQ(ErrorOf("{}\n"), "rule_files has no rules");
  EXPECT_EQ(ErrorOf("rule_files: [none.yml]\n"), "rule_files has no rules");
  EXPECT_EQ(ErrorOf("rule_files: [rules.yml]\ntests:\n"), "");
  const auto test = [&](const std::string& keys) {
    return ErrorOf("rule_files: [rules.yml]\ntests: [{" + keys + "}]\n");
  };
  EXPECT_EQ(ErrorOf("rule_files: [rules.yml]\ntests: {}\n"), "tests has to be a list");
  EXPECT_EQ(ErrorOf("rule_files: [rules.yml]\nfuzzy_compare: maybe\n").substr(0, 13),
            "fuzzy_compare");
  EXPECT_EQ(test("interval: soon"), "interval: \"soon\" is not a duration");
  EXPECT_EQ(test("start_timestamp: now"), "start_timestamp has to be in Unix seconds");
  EXPECT_EQ(test("external_labels: [a]"), "external_labels has to be a map");
  EXPECT_EQ(test("external_labels:"), "");
  EXPECT_EQ(test("alert_rule_test: [{eval_time: 1m}]"), "alert_rule_test needs alertname");
  EXPECT_EQ(test("promql_expr_test: [{expr: a, exp_samples: [{value: 1 2}]}]"),
            "a sample must have exactly one value");
  EXPECT_EQ(test("promql_expr_test: [{expr: a, exp_samples: [{value: _}]}]"),
            "a sample must have exactly one value");
  EXPECT_NE(test("input_series: [{series: a, values: x}]"), "");
  EXPECT_NE(test("promql_expr_test: [{expr: a, exp_samples: [{value: x}]}]"), "");
  EXPECT_TRUE(test("color: red").starts_with("unknown key \"color\" in a test"));
  EXPECT_EQ(Message(ReadTestFile("/no/such/file.yml").status()),
            "cannot read \"/no/such/file.yml\"");
}

TEST_F(UnitTestFileTest, TheDefaultsAreOneMinute) {
  Write("test.yml", "rule_files: [rules.yml]\nevaluation_interval: 30s\ntests: [{name: a}]\n");
  const auto given = ReadTestFile((folder_ / "test.yml").string());
  ASSERT_TRUE(given.ok()) << given.status();
  EXPECT_EQ(given->evaluation_interval_ms, 30'000);
  EXPECT_EQ(given->tests.at(0).interval_ms, 30'000);
  EXPECT_EQ(given->tests.at(0).name, "a");
  Write("test.yml", "rule_files: [rules.yml]\ntests: [{}]\n");
  const auto none = ReadTestFile((folder_ / "test.yml").string());
  EXPECT_EQ(none->evaluation_interval_ms, 60'000);
  EXPECT_EQ(none->tests.at(0).interval_ms, 60'000);
  EXPECT_FALSE(none->fuzzy_compare);
}

}  // namespace
}  // namespace lockstep::rules
