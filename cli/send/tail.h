// `lockstep tail`: sends the logs in some folders to a server as they are written.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/client/http_client.h"
#include "cli/process/exit_code.h"
#include "ingest/logs/record/log_hints.h"

namespace lockstep::cli {

struct TailFlags {
  HttpClientOptions server;
  std::vector<std::string> paths;
  logs::LogHints hints;    // applied to all logs
  double interval_s = 1;   // between two checks
  std::string state_file;  // "": .lockstep-tail in the first folder
};

// Runs until SIGTERM or SIGINT. It then exits successfully once everything written so far is sent,
// or if the server is unreachable. Lists on standard error the logs that it follows.
ExitCode Tail(const TailFlags& flags);

}  // namespace lockstep::cli
