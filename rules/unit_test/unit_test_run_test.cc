#include "rules/unit_test/unit_test_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/memory_storage.h"

namespace lockstep::rules {
namespace {

class UnitTestRunTest : public testing::Test {
 protected:
  UnitTestRunTest() {
    std::string name = (std::filesystem::temp_directory_path() / "rules-XXXXXX").string();
    folder_ = mkdtemp(name.data());
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
  ~UnitTestRunTest() override { std::filesystem::remove_all(folder_); }

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

  std::filesystem::path folder_;
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

}  // namespace
}  // namespace lockstep::rules
