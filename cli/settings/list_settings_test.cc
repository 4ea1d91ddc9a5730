#include "cli/settings/list_settings.h"

#include <gtest/gtest.h>

#include "absl/strings/str_format.h"
#include "cli/settings/config_file.h"
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
             "a.yml line 5: storage.retention.rules[0].keep is longer than storage.retention.time, "
             "the limit for all samples");
  CheckError(head + "    - {job: a, keep: 1d}\n    - job: b\n",
             "a.yml line 6: storage.retention.rules[1] needs \"keep\", the time to keep samples");
  CheckError(head + "    - {jobs: a, keep: 1d}\n",
             "a.yml line 5: unknown key \"storage.retention.rules[0].jobs\"; a rule has "
             "tenant, job, metric and keep");
  CheckError(head + "    - {keep: 0d}\n",
             "a.yml line 5: storage.retention.rules[0].keep: \"0d\" is not a duration like 30s, "
             "5m, 12h or 15d");
  CheckError(head + "    - {}\n", "a.yml line 4: \"storage.retention.rules\" needs a single value");
  CheckError(head + "    - 5d\n",
             "a.yml line 5: \"storage.retention.rules[0]\" needs keep, and optionally tenant, job "
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
             "a.yml line 104: storage.retention.rules: at most 100 rules are allowed");
}

absl::StatusOr<ServeOptions> ReadTenants(const std::string& yaml) {
  const absl::StatusOr<std::vector<GivenValue>> given = ParseConfig(yaml, "a.yml");
  if (!given.ok()) return given.status();
  return MakeServeOptions(*given);
}

void CheckTenantError(const std::string& yaml, const std::string& error) {
  EXPECT_EQ(ReadTenants(yaml).status().message(), error);
}

TEST(TenantSettingsTest, ReadsLimitsInTheOrderOfTheFile) {
  const auto options = ReadTenants(
      "tenants:\n  limits:\n"
      "    - {tenant: \"team-.*\", max_series: 1000, max_samples_per_second: 50}\n"
      "    - {max_series: 10}\n");
  ASSERT_TRUE(options.ok()) << options.status();
  ASSERT_EQ(options->tenant_limits.size(), 2u);
  EXPECT_TRUE(options->tenant_limits[0].tenant->Matches("team-7"));
  EXPECT_FALSE(options->tenant_limits[0].tenant->Matches("a-team-7"));
  EXPECT_EQ(options->tenant_limits[0].max_series, 1000u);
  EXPECT_EQ(options->tenant_limits[0].max_samples_per_second, 50u);
  EXPECT_FALSE(options->tenant_limits[1].tenant.has_value());
  EXPECT_EQ(options->tenant_limits[1].max_series, 10u);
}

TEST(TenantSettingsTest, SaysWhatIsWrongAndWhere) {
  const std::string head = "tenants:\n  limits:\n";
  CheckTenantError(head + "    - {tenants: a}\n",
                   "a.yml line 3: unknown key \"tenants.limits[0].tenants\"; limits have tenant, "
                   "max_series and max_samples_per_second");
  CheckTenantError(head + "    - {max_series: many}\n",
                   "a.yml line 3: tenants.limits[0].max_series: \"many\" is not a whole number");
  CheckTenantError(head + "    - 7\n",
                   "a.yml line 3: \"tenants.limits[0]\" needs tenant, max_series or "
                   "max_samples_per_second");
  EXPECT_FALSE(ReadTenants(head + "    - {tenant: \"a(\"}\n").ok());
}

TEST(TenantSettingsTest, AListHasAHundredItemsAtMost) {
  std::string yaml = "tenants:\n  limits:\n";
  for (int i = 0; i < 100; ++i) yaml += "    - {max_series: 1}\n";
  const auto options = ReadTenants(yaml);
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_EQ(options->tenant_limits.size(), 100u);
  CheckTenantError(yaml + "    - {max_series: 1}\n",
                   "a.yml line 103: tenants.limits: at most 100 limits are allowed");
}

TEST(TenantSettingsTest, FlagsCannotSetItemsOfAList) {
  const auto error_of = [](const std::string& name) {
    return std::string(Message(MakeServeOptions({{name, "1", "flag"}}).status()));
  };
  EXPECT_EQ(error_of("tenants.limits[x].tenant"), "flag: unknown key \"tenants.limits[x].tenant\"");
  EXPECT_EQ(error_of("tenants.limits[1].tenant"), "flag: unknown key \"tenants.limits[1].tenant\"");
  EXPECT_EQ(error_of("tenants.limits[0]tenant"), "flag: unknown key \"tenants.limits[0]tenant\"");
  EXPECT_EQ(error_of("tenants.limits[0].tenant"), "");
}

TEST(TenantSettingsTest, CountsAreWholeNumbers) {
  for (const char* count : {"1.5", "-1", "", "7 "}) {
    EXPECT_FALSE(MakeServeOptions({{"tenants.limits[0].max_series", count, "x"}}).ok()) << count;
  }
  const auto options = MakeServeOptions({{"tenants.limits[0].max_samples_per_second", "0", "x"}});
  ASSERT_TRUE(options.ok());
  EXPECT_EQ(options->tenant_limits[0].max_samples_per_second, 0u);
}

TEST(RetentionSettingsTest, ARuleMayBeForATenant) {
  const absl::StatusOr<ServeOptions> options =
      Read("storage: {retention: {rules: [{tenant: 'a.*', keep: 1d}]}}\n");
  ASSERT_TRUE(options.ok()) << options.status();
  ASSERT_TRUE(options->retention_rules[0].tenant.has_value());
  EXPECT_TRUE(options->retention_rules[0].tenant->Matches("ab"));
  EXPECT_FALSE(options->retention_rules[0].tenant->Matches("b"));
  EXPECT_EQ(options->retention_rules[0].tenant->name(), "tenant");
  EXPECT_FALSE(options->retention_rules[0].job.has_value());
}

TEST(RetentionSettingsTest, ARuleMayKeepAsLongAsAll) {
  EXPECT_TRUE(Read("storage: {retention: {time: 5d, rules: [{keep: 5d}]}}\n").ok());
}

}  // namespace

}  // namespace lockstep::cli
