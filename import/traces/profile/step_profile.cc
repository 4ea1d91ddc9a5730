#include "import/traces/profile/step_profile.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "import/traces/profile/device_timeline.h"
#include "import/traces/profile/host_activity.h"

namespace lockstep::traces {
namespace {

struct Window {
  std::optional<int64_t> step;
  Interval time;
};

Interval HullOf(Interval a, Interval b) {
  return {std::min(a.begin_ns, b.begin_ns), std::max(a.end_ns, b.end_ns)};
}

constexpr Interval kNothingYet = {std::numeric_limits<int64_t>::max(),
                                  std::numeric_limits<int64_t>::min()};

std::vector<Window> InOrder(std::vector<Window> windows) {
  std::sort(windows.begin(), windows.end(), [](const Window& a, const Window& b) {
    return std::pair(a.time.begin_ns, a.step) < std::pair(b.time.begin_ns, b.step);
  });
  return windows;
}

// Cuts each window where the next one begins, so that none overlap; drops empty ones.
std::vector<Window> Disjoint(std::vector<Window> windows) {
  windows = InOrder(std::move(windows));
  for (size_t i = 0; i + 1 < windows.size(); ++i) {
    int64_t& end_ns = windows[i].time.end_ns;
    end_ns = std::min(end_ns, windows[i + 1].time.begin_ns);
  }
  std::erase_if(windows, [](const Window& window) { return window.time.length_ns() <= 0; });
  return windows;
}

std::vector<Window> HostWindows(const KinetoTrace& trace) {
  std::vector<Window> windows;
  for (const StepRange& range : trace.host_steps) windows.push_back({range.step, range.time});
  if (!windows.empty()) return Disjoint(std::move(windows));
  Interval hull = kNothingYet;
  for (const LaunchCall& launch : trace.launches) hull = HullOf(hull, launch.time);
  for (const PhaseRange& phase : trace.host_phases) hull = HullOf(hull, phase.time);
  if (hull.begin_ns < hull.end_ns) windows.push_back({std::nullopt, hull});
  return windows;
}

// A step has a range on each stream with its work: its window begins with the first, and ends where
// the next step's begins, so that idle time between steps belongs to the earlier one.
std::vector<Window> DeviceWindowsOfRanges(const KinetoTrace& trace, uint16_t device) {
  std::vector<StepRange> ranges;
  for (const StepRange& range : trace.device_steps) {
    if (range.device == device) ranges.push_back(range);
  }
  std::sort(ranges.begin(), ranges.end(),
            [](const StepRange& a, const StepRange& b) { return a.step < b.step; });
  std::vector<Window> windows;
  for (const StepRange& range : ranges) {
    if (!windows.empty() && windows.back().step == range.step) {
      windows.back().time = HullOf(windows.back().time, range.time);
    } else {
      windows.push_back({range.step, range.time});
    }
  }
  windows = InOrder(std::move(windows));
  for (size_t i = 0; i + 1 < windows.size(); ++i) {
    windows[i].time.end_ns = windows[i + 1].time.begin_ns;
  }
  std::erase_if(windows, [](const Window& window) { return window.time.length_ns() <= 0; });
  return windows;
}

std::vector<Window> DeviceWindows(const KinetoTrace& trace, uint16_t device,
                                  const std::vector<Window>& host_windows) {
  auto windows = DeviceWindowsOfRanges(trace, device);
  if (!windows.empty()) return windows;
  if (!trace.host_steps.empty()) return host_windows;
  Interval hull = kNothingYet;
  for (const DeviceEvent& event : trace.device_events) {
    if (event.device == device) hull = HullOf(hull, event.time);
  }
  if (hull.begin_ns < hull.end_ns) windows.push_back({std::nullopt, hull});
  return windows;
}

std::vector<PhaseTime> PhasesWithin(const std::vector<PhaseUnion>& unions, Interval window) {
  std::vector<PhaseTime> phases;
  for (const PhaseUnion& one : unions) {
    const int64_t length_ns = LengthWithin(one.times, window);
    if (length_ns > 0) phases.push_back({one.phase, SecondsOf(length_ns)});
  }
  return phases;
}

LoadTimes LoadsWithin(const std::vector<PhaseUnion>& unions, Interval window) {
  LoadTimes loads;
  for (const PhaseUnion& one : unions) {
    if (one.phase != "data") continue;
    for (const Interval& load : one.times) {
      if (load.begin_ns < window.begin_ns || load.begin_ns >= window.end_ns) continue;
      const double seconds = SecondsOf(load.length_ns());
      ++loads.count;
      loads.longest_seconds = std::max(loads.longest_seconds, seconds);
      if (load.length_ns() <= kSlowLoadNs) continue;
      ++loads.slow;
      loads.slow_seconds += seconds;
    }
  }
  return loads;
}

std::vector<HostStep> ProfileHost(const KinetoTrace& trace, const std::vector<Window>& windows) {
  const auto phases = PhaseUnions(trace.host_phases, 0);
  std::vector<LaunchCall> launches = trace.launches;
  std::sort(launches.begin(), launches.end(), [](const LaunchCall& a, const LaunchCall& b) {
    return a.time.begin_ns < b.time.begin_ns;
  });
  std::vector<HostStep> steps;
  for (const Window& window : windows) {
    HostStep step;
    step.step = window.step;
    step.window = window.time;
    step.phases = PhasesWithin(phases, window.time);
    step.loads = LoadsWithin(phases, window.time);
    for (const LaunchCall& launch : BegunWithin(launches, window.time)) {
      ++step.launches;
      step.launch_seconds += SecondsOf(launch.time.length_ns());
    }
    steps.push_back(std::move(step));
  }
  return steps;
}

}  // namespace

TraceProfile ProfileOf(const KinetoTrace& trace) {
  TraceProfile profile;
  const auto host_windows = HostWindows(trace);
  profile.host_steps = ProfileHost(trace, host_windows);
  const HostTimeline host(trace);
  for (uint16_t device = 0; device < trace.devices.size(); ++device) {
    const DeviceTimeline timeline(trace, device, host);
    const auto phases = PhaseUnions(trace.device_phases, device);
    Interval whole = kNothingYet;
    for (const Window& window : DeviceWindows(trace, device, host_windows)) {
      whole = HullOf(whole, window.time);
      DeviceStep step = timeline.Within(window.time);
      step.step = window.step;
      step.phases = PhasesWithin(phases, window.time);
      profile.device_steps.push_back(std::move(step));
    }
    if (whole.begin_ns < whole.end_ns) profile.devices.push_back(timeline.Overview(whole));
  }
  return profile;
}

}  // namespace lockstep::traces
