// `lockstep check`: looks at configuration files without serving.
#pragma once

#include <string>

#include "cli/exit_code.h"

namespace lockstep::cli {

// Say on standard output that the file is fine, or on standard error what is not.
ExitCode CheckConfig(const std::string& path);
ExitCode CheckWebConfig(const std::string& path);

}  // namespace lockstep::cli
