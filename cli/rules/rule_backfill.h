// `lockstep rules backfill`: evaluates recording rules over a server's past data and writes the
// results to it.
#pragma once

#include <string>
#include <vector>

#include "cli/client/http_client.h"
#include "cli/process/exit_code.h"

namespace lockstep::cli {

struct BackfillFlags {
  HttpClientOptions server;
  std::string start;                       // Unix seconds
  std::string end;                         // Unix seconds
  std::string evaluation_interval = "1m";  // for groups that set none
  std::vector<std::string> files;
};

// Evaluates rules in the order of their groups, each over the entire time range, so that later
// rules see the results of earlier ones. Prints the number of samples per rule on standard output.
// Skips alerting rules.
ExitCode BackfillRules(const BackfillFlags& flags);

}  // namespace lockstep::cli
