// The file of `lockstep serve --config`, flattened to settings.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "cli/serve_options.h"

namespace lockstep::cli {

// What to scrape is left to scrape/config/scrape_config_file.h: its keys are passed over here.
//
// Each value with its dotted name and its line; in a list the name has the number of the value or of the map:
// "a.b[0]", "a.b[0].c". Names and values are not looked at. `path` is for messages.
absl::StatusOr<std::vector<GivenValue>> ParseConfig(std::string_view yaml, const std::string& path);
absl::StatusOr<std::vector<GivenValue>> ReadConfig(const std::string& path);

// What the file, "" for none, and flags, which win over it, say together.
absl::StatusOr<ServeOptions> ReadServeOptions(const std::string& config_file,
                                              std::vector<GivenValue> flags);

// `settings` as YAML, nested as the file is.
std::string ToYaml(const std::vector<std::pair<std::string, std::string>>& settings);

}  // namespace lockstep::cli
