// DeviceTimeline: one device's activity over a trace, prepared for summing up any window.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "import/traces/kineto/interval_union.h"
#include "import/traces/kineto/kineto_trace.h"
#include "import/traces/profile/host_activity.h"
#include "import/traces/profile/idle_gaps.h"
#include "import/traces/profile/launch_times.h"
#include "import/traces/profile/step_profile.h"

namespace lockstep::traces {

// The kernels that take most of a device's time, and their time in any window. Immutable and
// thread-safe.
class TopKernels {
 public:
  // Selects at most kTopKernels of those in `events`, by total time.
  TopKernels(const KinetoTrace& trace, const std::vector<DeviceEvent>& events);

  // The times of `events`, in order of the kernels' total time; without kernels that have none.
  std::vector<KernelTime> TimesOf(std::span<const DeviceEvent> events) const;

 private:
  std::vector<KernelTime> top_;   // over the whole trace
  std::vector<size_t> position_;  // in top_, by name index; top_.size() for others
};

// The `events`, sorted by begin, that begin in `window`.
template <typename Event>
std::span<const Event> BegunWithin(const std::vector<Event>& events, Interval window) {
  const auto before = [](const Event& event, int64_t time_ns) {
    return event.time.begin_ns < time_ns;
  };
  const auto begin = std::lower_bound(events.begin(), events.end(), window.begin_ns, before);
  return {begin,
          std::lower_bound(begin, events.end(), std::max(window.begin_ns, window.end_ns), before)};
}

// The host's side, shared by all devices of a trace.
struct HostTimeline {
  explicit HostTimeline(const KinetoTrace& trace)
      : launch_times(trace), activities(HostActivitiesOf(trace)) {}

  LaunchTimes launch_times;
  std::vector<HostActivity> activities;
};

// Immutable and thread-safe.
class DeviceTimeline {
 public:
  // `host` must outlive this object.
  DeviceTimeline(const KinetoTrace& trace, uint16_t device, const HostTimeline& host);

  // All of a DeviceStep except its number and phases.
  DeviceStep Within(Interval window) const;

  // Utilisation is relative to `whole`.
  DeviceOverview Overview(Interval whole) const;

 private:
  void AddClasses(DeviceStep& step) const;
  void AddCollectives(DeviceStep& step) const;
  void AddCopies(DeviceStep& step) const;

  uint16_t device_;
  const HostTimeline& host_;
  size_t collective_kind_count_;
  std::vector<DeviceEvent> events_;  // sorted by begin, as are
  std::vector<CollectiveCall> collective_calls_;
  std::vector<CopyCall> copy_calls_;
  std::vector<Gap> gaps_;
  TopKernels top_kernels_;
  // Interval unions.
  std::array<std::vector<Interval>, kKernelClassCount> classes_;
  std::vector<Interval> compute_;
  std::vector<Interval> exposed_communication_;
  std::vector<Interval> concurrent_collectives_;  // at least two at once
  std::vector<Interval> copies_;
  std::vector<Interval> busy_;
};

}  // namespace lockstep::traces
