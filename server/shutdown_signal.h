// Turns SIGTERM, SIGINT and SIGHUP from interruptions into something to wait for.
#pragma once

#include "absl/functional/function_ref.h"

namespace lockstep::server {

// Blocks the signals for this thread and all threads it starts; call it before there are others.
// Also makes writing to a closed pipe an error instead of killing the process.
void BlockShutdownSignals();

// Waits for SIGTERM or SIGINT and returns its number; calls `reload` for each SIGHUP until then.
// Precondition: the signals are blocked.
int AwaitShutdownSignal(absl::FunctionRef<void()> reload);

// From now on, the next signal ends the process at once.
void ExitOnShutdownSignal();

}  // namespace lockstep::server
