// `lockstep tail`: the logs below some folders, sent to a server as they are written.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/exit_code.h"
#include "cli/http_client.h"
#include "ingest/logs/log_hints.h"

namespace lockstep::cli {

struct TailFlags {
  HttpClientOptions server;
  std::vector<std::string> paths;
  logs::LogHints hints;    // what is set is so for all logs
  double interval_s = 1;   // between two looks
  std::string state_file;  // "": .lockstep-tail in the first folder
};

// Until SIGTERM or SIGINT, which ends it with success when all that was written until then is taken, or the server
// is not there. Says on standard error what it follows.
ExitCode Tail(const TailFlags& flags);

}  // namespace lockstep::cli
