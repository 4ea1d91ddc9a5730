// `lockstep import`: what was written elsewhere, sent to a server.
#pragma once

#include <string>
#include <vector>

#include "cli/exit_code.h"
#include "cli/http_client.h"
#include "cli/prometheus_source.h"
#include "ingest/logs/log_hints.h"

namespace lockstep::cli {

struct ImportFlags {
  HttpClientOptions server;
  std::vector<std::string> paths;
  PrometheusFlags prometheus;  // instead of paths
  std::string format;          // "": each file is looked at
  logs::LogHints hints;        // what is set is so for all files
  bool resume = false;
  bool dry_run = false;
};

// A line for each source on standard output; progress on standard error if that is a terminal, complaints
// there always.
ExitCode Import(const ImportFlags& flags);

}  // namespace lockstep::cli
