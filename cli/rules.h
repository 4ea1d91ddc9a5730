// `lockstep rules`: rule files without a server.
#pragma once

#include <string>
#include <vector>

#include "cli/exit_code.h"

namespace lockstep::cli {

struct RulesCheck {
  std::vector<std::string> paths;
  bool metricsql = true;  // whether expressions may use what lockstep knows of MetricsQL
};

// Says of each file on standard output how many rules it has, or on standard error what is wrong.
ExitCode CheckRules(const RulesCheck& check);

}  // namespace lockstep::cli
