// When a device had nothing to do, and what came next. Pure functions.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "import/traces/host_activity.h"
#include "import/traces/interval_union.h"
#include "import/traces/kernel_class.h"
#include "import/traces/kineto_trace.h"
#include "import/traces/launch_times.h"
#include "import/traces/step_profile.h"

namespace lockstep::traces {

// Nothing runs, and then something does.
struct Gap {
  Interval time;
  // Up to when the host had not launched what ends it; the begin where that is not known.
  int64_t launched_ns = 0;
  KernelClass next = KernelClass::kOther;
};

// The gaps of one device, in order, of its `events` in order of their begin; before the first event and behind the
// last there is one, too, without end.
std::vector<Gap> GapsBetween(const std::vector<DeviceEvent>& events,
                             const LaunchTimes& launch_times);

// All that a step says of its idle time, which is that of the gaps inside its window.
void AddGaps(std::span<const Gap> gaps, std::span<const HostActivity> host, DeviceStep& step);

// Those between two events that are at least kListedGapNs long: the longest kMaxListedGaps of them, in order of time.
std::vector<IdleGap> LongGapsOf(std::span<const Gap> gaps, std::span<const HostActivity> host);

}  // namespace lockstep::traces
