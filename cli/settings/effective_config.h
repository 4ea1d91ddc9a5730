// The configuration in effect, for /api/v1/status/config.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "rules/config/rules_config.h"
#include "scrape/config/scrape_config.h"

namespace lockstep::cli {

// The parts of a configuration that are not settings.
struct ConfiguredWork {
  const scrape::ScrapeConfig& scrape_defaults;
  const std::vector<scrape::ScrapeConfig>& scrape;
  const rules::RulesConfig& rules;
};

// Setting names and values as text, as in ServeOptions::texts.
using Settings = std::vector<std::pair<std::string, std::string>>;

// Formats the configuration as a YAML configuration file, with defaults written out and secrets
// replaced.
std::string EffectiveConfig(const ConfiguredWork& work, const Settings& settings);

// `start`, updated with the settings of `fresh` that a running server reloads (live_limits.h).
Settings SettingsAfterReload(const Settings& start, const Settings& fresh);

}  // namespace lockstep::cli
