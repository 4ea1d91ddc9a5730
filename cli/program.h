// The program: parses the command line and runs the named verb.
#pragma once

#include "cli/process/exit_code.h"

namespace lockstep::cli {

// `arguments` are those of main(). Precondition: no other thread is running.
ExitCode RunProgram(int count, const char* const* arguments);

}  // namespace lockstep::cli
