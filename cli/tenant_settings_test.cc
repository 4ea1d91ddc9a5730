#include "cli/tenant_settings.h"

#include <gtest/gtest.h>

#include "cli/config_file.h"

namespace lockstep::cli {
namespace {

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

}  // namespace
}  // namespace lockstep::cli
