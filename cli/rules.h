// `lockstep rules`: rule files without a server.
#pragma once

#include <string>
#include <vector>

#include "cli/exit_code.h"

namespace lockstep::cli {

// Says of each file on standard output how many rules it has, or on standard error what is wrong.
ExitCode CheckRules(const std::vector<std::string>& paths);

}  // namespace lockstep::cli
