// Repeatedly generates and shows a page of text.
#pragma once

#include <functional>
#include <string>

#include "base/status.h"
#include "cli/process/exit_code.h"

namespace lockstep::cli {

// kScreen uses the terminal's alternate screen if standard output is a terminal; q also ends it,
// and the terminal is restored. kLines prints the pages one after the other.
enum class WatchPlace { kScreen, kLines };

// Shows the result of `page` every `interval_s` until SIGINT or SIGTERM. If a later page fails,
// shows its error instead; if the first page fails, returns kFailure. Call it only once at a time,
// on a thread that receives the process's signals.
ExitCode Watch(double interval_s, WatchPlace place,
               const std::function<absl::StatusOr<std::string>()>& page);

}  // namespace lockstep::cli
