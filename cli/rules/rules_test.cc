#include "cli/rules/rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_format.h"
#include "base/log.h"
#include "cli/process/ran_testing.h"
#include "tests/support/test_folder.h"

namespace lockstep::cli {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr const char* kThreeRules =
    "groups:\n"
    "- {name: g, rules: [{record: a, expr: b}, {alert: C, expr: d}]}\n"
    "- {name: h, rules: [{record: e, expr: f}]}\n";

class RulesVerbsTest : public ::testing::Test {
 protected:
  // The verb that runs tests lowers the log level.
  ~RulesVerbsTest() override { ConfigureLog(LogLevel::kInfo, LogFormat::kLogfmt); }

  // A test file of two tests that expect these values of the same expression.
  std::string WriteTests(const std::string& name, int first, int second) const {
    folder_.Write("rules.yml", "groups: [{name: g, rules: [{record: twice, expr: 'seen * 2'}]}]\n");
    const auto test = [](const char* test_name, int value) {
      return absl::StrFormat(
          "- name: %s\n"
          "  interval: 1m\n"
          "  input_series: [{series: seen, values: '3 3 3'}]\n"
          "  promql_expr_test:\n"
          "  - {expr: twice, eval_time: 2m, exp_samples: [{labels: twice, value: %d}]}\n",
          test_name, value);
    };
    return folder_.Write(name, "rule_files: [rules.yml]\nevaluation_interval: 1m\ntests:\n" +
                                   test("one", first) + test("two", second));
  }

  const TestFolder folder_;
};

TEST_F(RulesVerbsTest, CountsTheRulesOfAFile) {
  const std::string path = folder_.Write("rules.yml", kThreeRules);
  const Ran ran = RunCaptured([&] { return CheckRules({{path}}); });
  EXPECT_EQ(ran.code, kSuccess);
  EXPECT_EQ(ran.out, path + " is fine: 2 groups, 3 rules\n");
  EXPECT_EQ(ran.errors, "");
}

TEST_F(RulesVerbsTest, ChecksAllFilesEvenAfterABadOne) {
  const std::string bad = folder_.Write("bad.yml", "groups: [{name: g, rule: []}]\n");
  const std::string good = folder_.Write("good.yml", kThreeRules);
  const Ran ran = RunCaptured([&] { return CheckRules({{bad, good}}); });
  EXPECT_EQ(ran.code, kUsage);
  EXPECT_EQ(ran.out, good + " is fine: 2 groups, 3 rules\n");
  EXPECT_THAT(ran.errors, StartsWith("lockstep: " + bad + " line 1: "));
}

TEST_F(RulesVerbsTest, MayAllowPromqlOnly) {
  const std::string path =
      folder_.Write("rules.yml", "groups: [{name: g, rules: [{record: a, expr: running_avg(b)}]}]");
  EXPECT_EQ(RunCaptured([&] { return CheckRules({{path}}); }).code, kSuccess);
  RulesCheck check{{path}, false};
  EXPECT_EQ(RunCaptured([&] { return CheckRules(check); }).code, kUsage);
}

TEST_F(RulesVerbsTest, TestsThatPassAreCounted) {
  const std::string path = WriteTests("tests.yml", 6, 6);
  const Ran ran = RunCaptured([&] { return TestRules({path}); });
  EXPECT_EQ(ran.code, kSuccess) << ran.errors;
  EXPECT_EQ(ran.out, path + ": 2 tests, 0 failed\n");
}

TEST_F(RulesVerbsTest, TestsThatFailAreShown) {
  const std::string bad = WriteTests("bad.yml", 6, 7);
  const std::string good = WriteTests("good.yml", 6, 6);
  const Ran ran = RunCaptured([&] { return TestRules({bad, good}); });
  EXPECT_EQ(ran.code, kFailure);
  EXPECT_THAT(ran.out, StartsWith("  test 2 two\n    "));
  EXPECT_THAT(ran.out, HasSubstr("\n" + bad + ": 2 tests, 1 failed\n"));
  EXPECT_THAT(ran.out, EndsWith(good + ": 2 tests, 0 failed\n"));
}

TEST_F(RulesVerbsTest, AMalformedTestFileCountsMoreThanAFailure) {
  const std::string broken = folder_.Write("broken.yml", "test: []\n");
  const std::string bad = WriteTests("bad.yml", 7, 7);
  const Ran ran = RunCaptured([&] { return TestRules({bad, broken, bad}); });
  EXPECT_EQ(ran.code, kUsage);
  EXPECT_THAT(ran.errors, StartsWith("lockstep: " + broken));
  EXPECT_THAT(ran.out, EndsWith(bad + ": 2 tests, 2 failed\n"));
}

}  // namespace
}  // namespace lockstep::cli
