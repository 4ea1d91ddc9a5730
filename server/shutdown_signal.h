// SIGTERM and SIGINT, turned from an interruption into something to wait for.
#pragma once

namespace lockstep::server {

// Blocks them for this thread and all that it starts: to be called before there are others. Writing
// to a closed pipe becomes an error instead of the end of the process.
void BlockShutdownSignals();

// Waits for one of them and returns its number. Precondition: they are blocked.
int AwaitShutdownSignal();

// From now on the next one ends the process at once.
void ExitOnShutdownSignal();

}  // namespace lockstep::server
