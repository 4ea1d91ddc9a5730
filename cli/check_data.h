// `lockstep check --data`: looks at every file and row of a store that no server has open.
#pragma once

#include <string>

#include "cli/exit_code.h"

namespace lockstep::cli {

// Says on standard output what the store holds, day by day, and on standard error what is damaged.
// kSuccess: nothing is; kFailure: something is; kUsage: it cannot look.
ExitCode CheckData(const std::string& folder);

}  // namespace lockstep::cli
