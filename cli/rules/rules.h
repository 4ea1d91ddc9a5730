// `lockstep rules check` and `lockstep rules test`: checks rule files, and runs their unit tests in
// promtool's format, without a server.
#pragma once

#include <string>
#include <vector>

#include "cli/process/exit_code.h"

namespace lockstep::cli {

struct RulesCheck {
  std::vector<std::string> paths;
  bool metricsql = true;  // whether expressions may use the supported MetricsQL functions
};

// `lockstep rules check`: prints the number of rules in each file on standard output, and errors on
// standard error. kUsage if a file cannot be read or is invalid.
ExitCode CheckRules(const RulesCheck& check);

// `lockstep rules test`: prints for each file whether its tests passed, and any unexpected results,
// on standard output. kFailure if a test failed, kUsage if a file could not be run. Each test has
// its own store in a temporary folder.
ExitCode TestRules(const std::vector<std::string>& paths);

}  // namespace lockstep::cli
