#include "cli/settings/effective_config.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/yaml/yaml_writer.h"
#include "cli/settings/config_file.h"
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

// Each of a tenant's limits is a separate setting.
bool IsLive(std::string_view name) {
  return name.starts_with("tenants.limits[") ||
         std::find(kLiveSettings.begin(), kLiveSettings.end(), name) != kLiveSettings.end();
}

Settings::const_iterator Find(const Settings& settings, std::string_view name) {
  return std::find_if(settings.begin(), settings.end(),
                      [name](const auto& setting) { return setting.first == name; });
}

}  // namespace

std::string EffectiveConfig(const ConfiguredWork& work, const Settings& settings) {
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

Settings SettingsAfterReload(const Settings& start, const Settings& fresh) {
  Settings settings;
  for (const auto& [name, text] : start) {
    const auto again = Find(fresh, name);
    if (!IsLive(name)) {
      settings.emplace_back(name, text);
    } else if (again != fresh.end()) {
      settings.push_back(*again);
    }
  }
  for (const auto& setting : fresh) {
    const bool is_new = Find(start, setting.first) == start.end();
    if (IsLive(setting.first) && is_new) settings.push_back(setting);
  }
  return settings;
}

}  // namespace lockstep::cli
