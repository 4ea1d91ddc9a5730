// When the host launched what a device did, and how. Immutable, safe from any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "import/traces/kineto_trace.h"

namespace lockstep::traces {

class LaunchTimes {
 public:
  explicit LaunchTimes(const KinetoTrace& trace);

  // When the host began to launch what has a correlation.
  std::optional<int64_t> BeginOf(uint64_t correlation) const;
  // "sync" for a copy whose call returned when it was done, "async" for another, "unknown" without its call. Lives
  // forever.
  std::string_view CallOf(uint64_t correlation) const;

 private:
  struct Launch {
    uint64_t correlation;
    int64_t begin_ns;
  };
  std::vector<Launch> launches_;  // in order of the correlation, as are
  std::vector<uint64_t> blocking_copies_;
};

}  // namespace lockstep::traces
