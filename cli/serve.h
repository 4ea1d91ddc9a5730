// `lockstep serve`: the store, the API and the server put together, from start to SIGTERM.
#pragma once

#include "cli/exit_code.h"
#include "cli/serve_options.h"

namespace lockstep::cli {

// Returns after an orderly end. Precondition: no other thread runs yet.
ExitCode Serve(const ServeOptions& options);

}  // namespace lockstep::cli
