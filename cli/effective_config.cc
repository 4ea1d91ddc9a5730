#include "cli/effective_config.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/yaml/yaml_writer.h"
#include "cli/config_file.h"
#include "rules/config/rules_config_yaml.h"
#include "scrape/config/scrape_config_file.h"
#include "scrape/config/scrape_config_yaml.h"

namespace lockstep::cli {
namespace {

constexpr std::array<std::string_view, 8> kLiveSettings = {"memory-limit",
                                                           "storage.max-series",
                                                           "ingest.max-series-per-job",
                                                           "ingest.max-samples-per-second",
                                                           "ingest.max-samples-per-second-per-job",
                                                           "query.timeout",
                                                           "query.max-samples",
                                                           "web.max-connections"};

// Of tenants each limit is a setting of its own.
bool IsLive(std::string_view name) {
  return name.starts_with("tenants.limits[") ||
         std::find(kLiveSettings.begin(), kLiveSettings.end(), name) != kLiveSettings.end();
}

}  // namespace

std::string EffectiveConfig(const ConfiguredWork& work,
                            const std::vector<std::pair<std::string, std::string>>& settings) {
  YamlWriter yaml;
  yaml.BeginMap();
  yaml.Key(scrape::kGlobalKey);
  yaml.BeginMap();
  scrape::WriteScrapeDefaults(work.scrape_defaults, yaml);
  rules::WriteRuleDefaults(work.rules, yaml);
  yaml.EndMap();
  rules::WriteRulesConfig(work.rules, yaml);
  scrape::WriteScrapeConfigs(work.scrape, yaml);
  yaml.EndMap();
  return yaml.TakeText() + ToYaml(settings);
}

std::vector<std::pair<std::string, std::string>> SettingsAfterReload(
    std::vector<std::pair<std::string, std::string>> start,
    const std::vector<std::pair<std::string, std::string>>& fresh) {
  std::erase_if(start, [](const auto& setting) { return IsLive(setting.first); });
  std::copy_if(fresh.begin(), fresh.end(), std::back_inserter(start),
               [](const auto& setting) { return IsLive(setting.first); });
  return start;
}

}  // namespace lockstep::cli
