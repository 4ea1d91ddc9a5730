// The configuration that a server runs by, for /api/v1/status/config.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "rules/config/rules_config.h"
#include "scrape/config/scrape_config.h"

namespace lockstep::cli {

// What the parts of a configuration say that are no settings.
struct ConfiguredWork {
  const scrape::ScrapeConfig& scrape_defaults;
  const std::vector<scrape::ScrapeConfig>& scrape;
  const rules::RulesConfig& rules;
};

// Their names with their values as text, as ServeOptions::texts.
using Settings = std::vector<std::pair<std::string, std::string>>;

// As YAML in the form of a configuration file, with defaults written out and secrets replaced.
std::string EffectiveConfig(const ConfiguredWork& work, const Settings& settings);

// `start` with those of `fresh` that a server takes again while it runs (live_limits.h).
Settings SettingsAfterReload(const Settings& start, const Settings& fresh);

}  // namespace lockstep::cli
