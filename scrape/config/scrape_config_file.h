// `global` and `scrape_configs` of a configuration file, in Prometheus' YAML. Every key has to be known;
// those that Prometheus has and this server does not are refused by name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "scrape/config/scrape_config.h"

namespace lockstep::scrape {

// Of the file's keys these two.
inline constexpr std::string_view kGlobalKey = "global";
inline constexpr std::string_view kScrapeConfigsKey = "scrape_configs";

// The jobs of a whole file; its other keys are not looked at. kInvalidArgument: "FILE line 7: ...". File
// names in it are relative to the folder of `path`.
absl::StatusOr<std::vector<ScrapeConfig>> ParseScrapeConfigs(std::string_view yaml,
                                                             const std::string& path);
absl::StatusOr<std::vector<ScrapeConfig>> ReadScrapeConfigs(const std::string& path);

// What jobs have that do not say otherwise: `global`.
absl::StatusOr<ScrapeConfig> ParseScrapeDefaults(std::string_view yaml, const std::string& path);
absl::StatusOr<ScrapeConfig> ReadScrapeDefaults(const std::string& path);

}  // namespace lockstep::scrape
