// SIGTERM, SIGINT and SIGHUP, turned from an interruption into something to wait for.
#pragma once

#include "absl/functional/function_ref.h"

namespace lockstep::server {

// Blocks them for this thread and all that it starts: to be called before there are others. Writing
// to a closed pipe becomes an error instead of the end of the process.
void BlockShutdownSignals();

// Waits for one of the first two and returns its number; calls `reload` for each SIGHUP until then.
// Precondition: they are blocked.
int AwaitShutdownSignal(absl::FunctionRef<void()> reload);

// From now on the next one ends the process at once.
void ExitOnShutdownSignal();

}  // namespace lockstep::server
