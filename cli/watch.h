// A page of text that is made again and again and shown while somebody watches.
#pragma once

#include <functional>
#include <string>

#include "base/status.h"
#include "cli/exit_code.h"

namespace lockstep::cli {

// kScreen: on the other screen of the terminal, if standard output is one; q ends it too, and the terminal is
// then as it was. kLines: the pages one behind the other.
enum class WatchPlace { kScreen, kLines };

// Shows what `page` gives, every `interval_s`, until SIGINT or SIGTERM. A page that fails is a sentence in its
// place, unless it is the first: then kFailure. One call at a time, on a thread that takes the process' signals.
ExitCode Watch(double interval_s, WatchPlace place,
               const std::function<absl::StatusOr<std::string>()>& page);

}  // namespace lockstep::cli
