#include "cli/settings/effective_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/settings/config_file.h"
#include "scrape/config/scrape_config_file.h"

namespace lockstep::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

std::string Written(std::string_view yaml) {
  const auto defaults = scrape::ParseScrapeDefaults(yaml, "/etc/a.yml");
  const auto configs = scrape::ParseScrapeConfigs(yaml, "/etc/a.yml");
  const auto rules = rules::ParseRulesConfig(yaml, "/etc/a.yml");
  const auto given = ParseConfig(yaml, "/etc/a.yml");
  EXPECT_TRUE(defaults.ok() && configs.ok() && rules.ok() && given.ok());
  const auto options = MakeServeOptions(*given);
  EXPECT_TRUE(options.ok()) << options.status();
  return EffectiveConfig({*defaults, *configs, *rules}, options->texts);
}

TEST(EffectiveConfigTest, IsAConfigurationFile) {
  const std::string once = Written(
      "global: {external_labels: {cluster: c1}, scrape_interval: 5s}\n"
      "scrape_configs: [{job_name: a, static_configs: [{targets: ['h:1']}]}]\n"
      "storage: {retention: {time: 3d}}\n");
  EXPECT_EQ(Written(once), once);
  EXPECT_THAT(once, HasSubstr("cluster: c1"));
  EXPECT_THAT(once, HasSubstr("time: 3d"));
}

TEST(EffectiveConfigTest, AReloadTakesTheLiveSettingsAlone) {
  const Settings start = {{"query.timeout", "1m"},
                          {"http", ":1"},
                          {"tenants.limits[0].tenant", "a"},
                          {"storage.retention.rules[0].keep", "2d"}};
  const Settings fresh = {
      {"query.timeout", "2m"}, {"http", ":2"}, {"tenants.limits[0].max_series", "1"}};
  EXPECT_THAT(SettingsAfterReload(start, fresh),
              ElementsAre(Pair("query.timeout", "2m"), Pair("http", ":1"),
                          Pair("storage.retention.rules[0].keep", "2d"),
                          Pair("tenants.limits[0].max_series", "1")));
}

}  // namespace
}  // namespace lockstep::cli
