// Finds a device's idle gaps and what ended them. Pure functions.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "import/traces/kinds/kernel_class.h"
#include "import/traces/kineto/interval_union.h"
#include "import/traces/kineto/kineto_trace.h"
#include "import/traces/profile/host_activity.h"
#include "import/traces/profile/launch_times.h"
#include "import/traces/profile/step_profile.h"

namespace lockstep::traces {

// A period in which nothing runs, before something does.
struct Gap {
  Interval time;
  // The time at which the host launched what ends the gap; the gap's begin if unknown.
  int64_t launched_ns = 0;
  KernelClass next = KernelClass::kOther;
};

// The gaps of one device, in order, between its `events`, which are sorted by begin. Includes
// open-ended gaps before the first and after the last event.
std::vector<Gap> GapsBetween(const std::vector<DeviceEvent>& events,
                             const LaunchTimes& launch_times);

// Adds a step's idle time numbers: those of the gaps within its window.
void AddGaps(std::span<const Gap> gaps, std::span<const HostActivity> host, DeviceStep& step);

// The longest kMaxListedGaps gaps of at least kListedGapNs between two events, in order of time.
std::vector<IdleGap> LongGapsOf(std::span<const Gap> gaps, std::span<const HostActivity> host);

}  // namespace lockstep::traces
