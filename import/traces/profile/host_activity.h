// The host's activity at each moment of a trace, which explains why a GPU was idle. Pure functions.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "import/traces/kineto/interval_union.h"
#include "import/traces/kineto/kineto_trace.h"

namespace lockstep::traces {

// The union of one phase's ranges.
struct PhaseUnion {
  std::string_view phase;  // static storage
  std::vector<Interval> times;
};

// In order of first appearance.
std::vector<PhaseUnion> PhaseUnions(const std::vector<PhaseRange>& ranges, uint16_t device);

struct HostActivity {
  std::string_view name;  // static storage
  std::vector<Interval> times;
};

// Activities do not overlap. Of simultaneous ones, the first in this list wins: "data",
// "checkpoint", "wait" (for the device, in a synchronizing call), "launch", then the remaining
// phases.
std::vector<HostActivity> HostActivitiesOf(const KinetoTrace& trace);

struct ActivityTime {
  std::string_view name;
  int64_t length_ns = 0;
};

// The time of each activity in `window`, only those that have some; then "other", the rest.
std::vector<ActivityTime> ActivitiesWithin(std::span<const HostActivity> activities,
                                           Interval window);

}  // namespace lockstep::traces
