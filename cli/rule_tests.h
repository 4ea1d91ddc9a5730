// `lockstep rules test`: unit tests of rules, in the format of promtool.
#pragma once

#include <string>
#include <vector>

#include "cli/exit_code.h"

namespace lockstep::cli {

// Says of each file on standard output whether its tests passed, and what was not as expected. Every test has a store
// of its own, in a temporary folder.
ExitCode TestRules(const std::vector<std::string>& paths);

}  // namespace lockstep::cli
