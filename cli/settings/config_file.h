// The file given to `lockstep serve --config`, flattened to settings.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "cli/settings/serve_options.h"

namespace lockstep::cli {

// Skips the scrape keys, which scrape/config/scrape_config_file.h reads.
//
// Returns each value with its dotted name and its line. Inside a list the name includes the index
// of the value or map: "a.b[0]", "a.b[0].c". Names and values are not validated. `path` is used in
// messages.
absl::StatusOr<std::vector<GivenValue>> ParseConfig(std::string_view yaml, const std::string& path);
absl::StatusOr<std::vector<GivenValue>> ReadConfig(const std::string& path);

// Combines the file ("" for none) with `flags`, which override it.
absl::StatusOr<ServeOptions> ReadServeOptions(const std::string& config_file,
                                              std::vector<GivenValue> flags);

// Formats `settings` as YAML, nested like the configuration file.
std::string ToYaml(const std::vector<std::pair<std::string, std::string>>& settings);

}  // namespace lockstep::cli
