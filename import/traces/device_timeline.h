// What one device did over a whole trace, prepared so that any window of it can be summed up.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "import/traces/host_activity.h"
#include "import/traces/idle_gaps.h"
#include "import/traces/interval_union.h"
#include "import/traces/kineto_trace.h"
#include "import/traces/launch_times.h"
#include "import/traces/step_profile.h"
#include "import/traces/top_kernels.h"

namespace lockstep::traces {

// Those of `events`, which are in order of their begin, that begin in `window`.
template <typename Event>
std::span<const Event> BegunWithin(const std::vector<Event>& events, Interval window) {
  const auto before = [](const Event& event, int64_t time_ns) {
    return event.time.begin_ns < time_ns;
  };
  const auto begin = std::lower_bound(events.begin(), events.end(), window.begin_ns, before);
  return {begin,
          std::lower_bound(begin, events.end(), std::max(window.begin_ns, window.end_ns), before)};
}

// The host's side of all devices of a trace.
struct HostTimeline {
  explicit HostTimeline(const KinetoTrace& trace)
      : launch_times(trace), activities(HostActivitiesOf(trace)) {}

  LaunchTimes launch_times;
  std::vector<HostActivity> activities;
};

// Immutable, safe from any thread.
class DeviceTimeline {
 public:
  // `host` outlives it.
  DeviceTimeline(const KinetoTrace& trace, uint16_t device, const HostTimeline& host);

  // All of a DeviceStep but its number and its phases.
  DeviceStep Within(Interval window) const;

  // Utilisation is that of `whole`.
  DeviceOverview Overview(Interval whole) const;

 private:
  void AddClasses(DeviceStep& step) const;
  void AddCollectives(DeviceStep& step) const;
  void AddCopies(DeviceStep& step) const;

  uint16_t device_;
  const HostTimeline& host_;
  size_t collective_kind_count_;
  std::vector<DeviceEvent> events_;  // in order of their begin, as are
  std::vector<CollectiveCall> collective_calls_;
  std::vector<CopyCall> copy_calls_;
  std::vector<Gap> gaps_;
  TopKernels top_kernels_;
  // Unions.
  std::array<std::vector<Interval>, kKernelClassCount> classes_;
  std::vector<Interval> compute_;
  std::vector<Interval> exposed_communication_;
  std::vector<Interval> concurrent_collectives_;  // at least two of them
  std::vector<Interval> copies_;
  std::vector<Interval> busy_;
};

}  // namespace lockstep::traces
