// Parses `global` and `scrape_configs` of a configuration file in Prometheus' YAML. Every key must
// be known; Prometheus' keys that this server does not support are refused by name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "scrape/config/scrape_config.h"

namespace lockstep::scrape {

// The keys of the file that are read here.
inline constexpr std::string_view kGlobalKey = "global";
inline constexpr std::string_view kScrapeConfigsKey = "scrape_configs";

// Parses the jobs of a whole file, ignoring its other keys. kInvalidArgument: "FILE line 7: ...".
// File names in it are relative to the folder of `path`.
absl::StatusOr<std::vector<ScrapeConfig>> ParseScrapeConfigs(std::string_view yaml,
                                                             const std::string& path);
absl::StatusOr<std::vector<ScrapeConfig>> ReadScrapeConfigs(const std::string& path);

// Parses `global`, the defaults for all jobs.
absl::StatusOr<ScrapeConfig> ParseScrapeDefaults(std::string_view yaml, const std::string& path);
absl::StatusOr<ScrapeConfig> ReadScrapeDefaults(const std::string& path);

}  // namespace lockstep::scrape
