// What a configuration says in effect, as YAML in Prometheus' words: defaults are written out,
// limits that are off are left out, and secrets are replaced. Except for these it can be read as a
// configuration again.
#pragma once

#include <string_view>
#include <vector>

#include "base/yaml/yaml_writer.h"
#include "scrape/config/scrape_config.h"

namespace lockstep::scrape {

inline constexpr std::string_view kSecretText = "<secret>";

void WriteDuration(std::string_view key, milliseconds duration, YamlWriter& yaml);
// A map of names and values; nothing without labels.
void WriteLabels(std::string_view key, const LabelSet& labels, YamlWriter& yaml);
// A list; nothing without rules.
void WriteRelabelling(std::string_view key, const std::vector<RelabelRule>& rules,
                      YamlWriter& yaml);

// Each writes keys of a map that has begun.
void WriteHttpClient(const HttpClientConfig& config, YamlWriter& yaml);
void WriteDiscovery(const DiscoveryConfig& config, YamlWriter& yaml);
// The keys of `global` that are about scraping.
void WriteScrapeDefaults(const ScrapeConfig& defaults, YamlWriter& yaml);

// The key scrape_configs with all jobs; nothing without any.
void WriteScrapeConfigs(const std::vector<ScrapeConfig>& configs, YamlWriter& yaml);

}  // namespace lockstep::scrape
