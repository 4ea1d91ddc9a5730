// Writes the effective configuration as YAML in Prometheus' terms: defaults are written out,
// disabled limits are omitted, and secrets are replaced. Except for secrets, it can be parsed
// again.
#pragma once

#include <string_view>
#include <vector>

#include "base/yaml/yaml_writer.h"
#include "scrape/config/scrape_config.h"

namespace lockstep::scrape {

inline constexpr std::string_view kSecretText = "<secret>";

void WriteDuration(std::string_view key, milliseconds duration, YamlWriter& yaml);
// Writes a map of names and values; nothing without labels.
void WriteLabels(std::string_view key, const LabelSet& labels, YamlWriter& yaml);
// Writes a list; nothing without rules.
void WriteRelabelling(std::string_view key, const std::vector<RelabelRule>& rules,
                      YamlWriter& yaml);

// Each writes keys into an open map.
void WriteHttpClient(const HttpClientConfig& config, YamlWriter& yaml);
// Writes only the TLS and proxy keys of the client.
void WriteConnection(const HttpClientConfig& config, YamlWriter& yaml);
void WriteDiscovery(const DiscoveryConfig& config, YamlWriter& yaml);
// Writes the keys of `global` about scraping.
void WriteScrapeDefaults(const ScrapeConfig& defaults, YamlWriter& yaml);

// Writes the key scrape_configs with all jobs; nothing without any.
void WriteScrapeConfigs(const std::vector<ScrapeConfig>& configs, YamlWriter& yaml);

}  // namespace lockstep::scrape
