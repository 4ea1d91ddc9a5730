// What one device did over a whole trace, prepared so that any window of it can be summed up.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "import/traces/interval_union.h"
#include "import/traces/kineto_trace.h"
#include "import/traces/step_profile.h"

namespace lockstep::traces {

inline double SecondsOf(int64_t length_ns) { return static_cast<double>(length_ns) / 1e9; }

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

// When the host began to launch what has a correlation.
class LaunchTimes {
 public:
  explicit LaunchTimes(std::span<const LaunchCall> launches);
  std::optional<int64_t> BeginOf(uint64_t correlation) const;

 private:
  struct Launch {
    uint64_t correlation;
    int64_t begin_ns;
  };
  std::vector<Launch> launches_;  // in order of the correlation
};

// Immutable, safe from any thread.
class DeviceTimeline {
 public:
  DeviceTimeline(const KinetoTrace& trace, uint16_t device, const LaunchTimes& launch_times);

  // All of a DeviceStep but its number and its phases.
  DeviceStep Within(Interval window) const;

 private:
  // Nothing runs, and then something does.
  struct Gap {
    Interval time;
    // Up to when the host had not launched what ends it; the begin where that is not known.
    int64_t launched_ns;
  };

  void FindGaps(const LaunchTimes& launch_times);
  void AddGaps(DeviceStep& step) const;
  void AddClasses(DeviceStep& step) const;
  void AddCollectives(DeviceStep& step) const;

  uint16_t device_;
  size_t collective_kind_count_;
  std::vector<DeviceEvent> events_;  // in order of their begin, as are
  std::vector<CollectiveCall> collective_calls_;
  std::vector<Gap> gaps_;
  // Unions.
  std::array<std::vector<Interval>, kKernelClassCount> classes_;
  std::vector<Interval> compute_;
  std::vector<Interval> exposed_communication_;
  std::vector<Interval> copies_;
  std::vector<Interval> busy_;
};

}  // namespace lockstep::traces
