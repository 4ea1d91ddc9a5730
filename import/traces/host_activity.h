// What the host did at each moment of a trace, as far as the trace says: why a GPU had nothing to do. Pure functions.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "import/traces/interval_union.h"
#include "import/traces/kineto_trace.h"

namespace lockstep::traces {

// The union of the ranges of one phase.
struct PhaseUnion {
  std::string_view phase;  // lives forever
  std::vector<Interval> times;
};

// In the order in which phases come up.
std::vector<PhaseUnion> PhaseUnions(const std::vector<PhaseRange>& ranges, uint16_t device);

struct HostActivity {
  std::string_view name;  // lives forever
  std::vector<Interval> times;
};

// No moment belongs to two. Of what happens at once the first of these counts: "data", "checkpoint", "wait" (for the
// device, in a call that synchronises), "launch", and then the phases that remain.
std::vector<HostActivity> HostActivitiesOf(const KinetoTrace& trace);

struct ActivityTime {
  std::string_view name;
  int64_t length_ns = 0;
};

// How much of `window` each activity had, those alone that had some of it; last "other", the rest.
std::vector<ActivityTime> ActivitiesWithin(std::span<const HostActivity> activities,
                                           Interval window);

}  // namespace lockstep::traces
