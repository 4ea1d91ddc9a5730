// `lockstep serve`: runs the store, the API and the servers until SIGTERM.
#pragma once

#include "cli/process/exit_code.h"
#include "cli/settings/serve_options.h"

namespace lockstep::cli {

// Returns after an orderly shutdown. Precondition: no other thread is running.
ExitCode Serve(const ServeOptions& options);

}  // namespace lockstep::cli
