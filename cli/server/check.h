// `lockstep check`: validates configuration files without starting a server, and reads a store that
// no server has open.
#pragma once

#include <string>

#include "cli/process/exit_code.h"

namespace lockstep::cli {

// Reports a valid file on standard output, and errors on standard error.
ExitCode CheckConfig(const std::string& path);
ExitCode CheckWebConfig(const std::string& path);

// `lockstep check --data`: reads every file and row of the store in `folder`. Prints its contents
// by day on standard output, and any damage on standard error. Returns kSuccess if nothing is
// damaged, kFailure if something is, and kUsage if the store cannot be read.
ExitCode CheckData(const std::string& folder);

}  // namespace lockstep::cli
