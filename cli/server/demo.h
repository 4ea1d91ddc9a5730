// `lockstep demo`: a server with recorded runs, and a report on one run's straggler.
#pragma once

#include <string>

#include "cli/process/exit_code.h"

namespace lockstep::cli {

struct DemoFlags {
  std::string http;   // HOST:PORT; "": the default port if it is free, else any
  bool once = false;  // exit after the report
};

// Starts a server on an empty temporary folder, loads the recorded runs over HTTP, prints the
// report, and serves until SIGINT, SIGTERM or SIGHUP. Removes the folder on exit. Precondition: no
// other thread is running.
ExitCode Demo(const DemoFlags& flags);

}  // namespace lockstep::cli
