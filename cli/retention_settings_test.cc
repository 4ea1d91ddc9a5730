#include "cli/retention_settings.h"

#include <gtest/gtest.h>

#include "absl/strings/str_format.h"
#include "cli/config_file.h"
#include "model/labels.h"

namespace lockstep::cli {
namespace {

constexpr int64_t kDayMs = int64_t{24} * 60 * 60 * 1000;

absl::StatusOr<ServeOptions> Read(const std::string& yaml) {
  LOCKSTEP_ASSIGN_OR_RETURN(const std::vector<GivenValue> given, ParseConfig(yaml, "a.yml"));
  return MakeServeOptions(given);
}

void CheckError(const std::string& yaml, const std::string& error) {
  EXPECT_EQ(Message(Read(yaml).status()), error) << yaml;
}

TEST(RetentionSettingsTest, TheFirstRuleThatFitsCounts) {
  const absl::StatusOr<ServeOptions> options = Read(
      "storage:\n"
      "  retention:\n"
      "    time: 15d\n"
      "    rules:\n"
      "      - job: \"dev-.*\"\n"
      "        metric: \"DCGM_.*\"\n"
      "        keep: 2d\n"
      "      - {job: \"dev-.*\", keep: 3d}\n"
      "      - {metric: up, keep: 12h}\n");
  ASSERT_TRUE(options.ok()) << options.status();
  const auto rules = RetentionRules::Make(options->retention_rules, options->retention_ms);
  ASSERT_TRUE(rules.ok()) << rules.status();
  const auto keep_ms = [&](const char* job, const char* metric) {
    return rules->KeepMs(LabelSet::Of({{kMetricName, metric}, {"job", job}}));
  };
  EXPECT_EQ(keep_ms("dev-a", "DCGM_X"), 2 * kDayMs);
  EXPECT_EQ(keep_ms("dev-a", "up"), 3 * kDayMs);
  EXPECT_EQ(keep_ms("prod", "up"), kDayMs / 2);
  EXPECT_EQ(keep_ms("prod", "upper"), 15 * kDayMs);
  EXPECT_EQ(keep_ms("a-dev-a", "DCGM_X"), 15 * kDayMs);
  EXPECT_EQ(rules->ShortestKeepMs(), kDayMs / 2);
}

TEST(RetentionSettingsTest, TheConfigurationThatIsShownHasTheRules) {
  const absl::StatusOr<ServeOptions> options =
      Read("storage: {retention: {rules: [{job: a, keep: 1d}, {keep: 2d}]}}\n");
  ASSERT_TRUE(options.ok()) << options.status();
  const absl::StatusOr<ServeOptions> again = Read(ToYaml(options->texts));
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(again->texts, options->texts);
  EXPECT_EQ(again->retention_rules.size(), 2u);
}

TEST(RetentionSettingsTest, SaysWhatIsWrongAndWhere) {
  const std::string head = "storage:\n  retention:\n    time: 5d\n    rules:\n";
  CheckError(head + "    - {job: a, keep: 6d}\n",
             "a.yml line 5: storage.retention.rules[0].keep is longer than "
             "storage.retention.time, which is for all");
  CheckError(head + "    - {job: a, keep: 1d}\n    - job: b\n",
             "a.yml line 6: storage.retention.rules[1] needs \"keep\", how long it keeps samples");
  CheckError(head + "    - {jobs: a, keep: 1d}\n",
             "a.yml line 5: unknown key \"storage.retention.rules[0].jobs\"; a rule has "
             "tenant, job, metric and keep");
  CheckError(head + "    - {keep: 0d}\n",
             "a.yml line 5: storage.retention.rules[0].keep: \"0d\" is not a duration like 30s, "
             "5m, 12h or 15d");
  CheckError(head + "    - {}\n", "a.yml line 4: \"storage.retention.rules\" needs one value");
  CheckError(head + "    - 5d\n",
             "a.yml line 5: \"storage.retention.rules[0]\" needs keep, and may have tenant, job "
             "and metric");
  EXPECT_EQ(Read(head + "    - {job: \"a(\", keep: 1d}\n").status().code(),
            absl::StatusCode::kInvalidArgument);
  CheckError("http:\n  - {a: 1}\n", "a.yml line 2: unknown key \"http[0].a\"");
}

TEST(RetentionSettingsTest, ThereCanBeSoManyRules) {
  std::string yaml = "storage:\n  retention:\n    rules:\n";
  for (size_t i = 0; i < kMaxRetentionRules; ++i) yaml += "    - keep: 1d\n";
  EXPECT_TRUE(Read(yaml).ok());
  CheckError(yaml + "    - keep: 1d\n",
             "a.yml line 104: storage.retention.rules: at most 100 rules can be given");
}

}  // namespace
}  // namespace lockstep::cli
