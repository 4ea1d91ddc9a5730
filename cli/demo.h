// `lockstep demo`: a server with recorded runs, and a report on the straggler among them.
#pragma once

#include <string>

#include "cli/exit_code.h"

namespace lockstep::cli {

struct DemoFlags {
  std::string http;   // HOST:PORT; "": the usual port if it is free, else any
  bool once = false;  // end after the report
};

// Starts a server on an empty temporary folder, loads the recorded runs through its HTTP port, prints the report and
// serves until SIGINT, SIGTERM or SIGHUP. The folder is gone at the end. Precondition: no other thread runs yet.
ExitCode Demo(const DemoFlags& flags);

}  // namespace lockstep::cli
