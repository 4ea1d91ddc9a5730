#include "import/traces/profile/launch_times.h"

#include <algorithm>

namespace lockstep::traces {

LaunchTimes::LaunchTimes(const KinetoTrace& trace) : blocking_copies_(trace.blocking_copies) {
  for (const LaunchCall& launch : trace.launches) {
    if (launch.correlation != 0) launches_.push_back({launch.correlation, launch.time.begin_ns});
  }
  std::sort(launches_.begin(), launches_.end(),
            [](const Launch& a, const Launch& b) { return a.correlation < b.correlation; });
  std::sort(blocking_copies_.begin(), blocking_copies_.end());
}

std::optional<int64_t> LaunchTimes::BeginOf(uint64_t correlation) const {
  const auto found = std::lower_bound(
      launches_.begin(), launches_.end(), correlation,
      [](const Launch& launch, uint64_t asked) { return launch.correlation < asked; });
  if (found == launches_.end() || found->correlation != correlation) return std::nullopt;
  return found->begin_ns;
}

std::string_view LaunchTimes::CallOf(uint64_t correlation) const {
  if (!BeginOf(correlation).has_value()) return "unknown";
  const bool blocks =
      std::binary_search(blocking_copies_.begin(), blocking_copies_.end(), correlation);
  return blocks ? "sync" : "async";
}

}  // namespace lockstep::traces
