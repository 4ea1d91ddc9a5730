// The kernels that take most of a device's time, and how much of it in any window. Immutable, safe from any thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "import/traces/kineto_trace.h"
#include "import/traces/step_profile.h"

namespace lockstep::traces {

class TopKernels {
 public:
  // At most kTopKernels of those in `events`, by the sum of their times.
  TopKernels(const KinetoTrace& trace, const std::vector<DeviceEvent>& events);

  // Of `events`, in order of the time that they take over the whole trace; without those that have none.
  std::vector<KernelTime> TimesOf(std::span<const DeviceEvent> events) const;

 private:
  std::vector<KernelTime> top_;   // of the whole trace
  std::vector<size_t> position_;  // in top_, by the index of the name; top_.size() for others
};

}  // namespace lockstep::traces
