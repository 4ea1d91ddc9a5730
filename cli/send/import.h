// `lockstep import`: sends existing data to a server.
#pragma once

#include <string>
#include <vector>

#include "cli/client/http_client.h"
#include "cli/process/exit_code.h"
#include "cli/send/prometheus_source.h"
#include "ingest/logs/record/log_hints.h"

namespace lockstep::cli {

struct ImportFlags {
  HttpClientOptions server;
  std::vector<std::string> paths;
  PrometheusFlags prometheus;  // instead of paths
  std::string format;          // "": detected for each file
  logs::LogHints hints;        // applied to all files
  bool resume = false;
  bool dry_run = false;
};

// Prints a line per source on standard output; prints progress on standard error if that is a
// terminal, and errors there always.
ExitCode Import(const ImportFlags& flags);

}  // namespace lockstep::cli
