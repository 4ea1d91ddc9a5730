// When and how the host launched a device's work. Immutable and thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "import/traces/kineto/kineto_trace.h"

namespace lockstep::traces {

class LaunchTimes {
 public:
  explicit LaunchTimes(const KinetoTrace& trace);

  // The begin of the launch with a correlation.
  std::optional<int64_t> BeginOf(uint64_t correlation) const;
  // "sync" for a copy whose call returned when it was done, "async" for others, "unknown" without a
  // call. Static storage.
  std::string_view CallOf(uint64_t correlation) const;

 private:
  struct Launch {
    uint64_t correlation;
    int64_t begin_ns;
  };
  std::vector<Launch> launches_;  // sorted by correlation, as are
  std::vector<uint64_t> blocking_copies_;
};

}  // namespace lockstep::traces
