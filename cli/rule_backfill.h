// `lockstep rules backfill`: evaluates recording rules over the past of a server, and writes to it what comes.
#pragma once

#include <string>
#include <vector>

#include "cli/exit_code.h"
#include "cli/http_client.h"

namespace lockstep::cli {

struct BackfillFlags {
  HttpClientOptions server;
  std::string start;                       // Unix seconds
  std::string end;                         // likewise
  std::string evaluation_interval = "1m";  // of groups that do not say
  std::vector<std::string> files;
};

// Rules in the order of their groups, each over all of the time, so that later ones see what earlier ones wrote.
// Says on standard output how many samples each rule made. Alerting rules are left out.
ExitCode BackfillRules(const BackfillFlags& flags);

}  // namespace lockstep::cli
