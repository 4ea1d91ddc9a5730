// Recognizes events in lines of any log: a start, a checkpoint, a crash. Pure functions.
#pragma once

#include <optional>
#include <string_view>

namespace lockstep::logs {

struct LogEvent {
  std::string_view name;    // "launch", "checkpoint_loaded", "crash", ...; static storage
  bool is_restart = false;  // training starts or resumes from a checkpoint
};

std::optional<LogEvent> EventOf(std::string_view line);

}  // namespace lockstep::logs
