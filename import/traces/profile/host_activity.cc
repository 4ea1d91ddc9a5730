#include "import/traces/profile/host_activity.h"

#include <algorithm>
#include <utility>

namespace lockstep::traces {
namespace {

// Gives each activity the moments that no earlier one has.
class Timetable {
 public:
  void Add(std::string_view name, const std::vector<Interval>& times) {
    std::vector<Interval> rest = Without(times, taken_);
    if (rest.empty()) return;
    taken_.insert(taken_.end(), rest.begin(), rest.end());
    taken_ = UnionOf(std::move(taken_));
    activities_.push_back({name, std::move(rest)});
  }
  std::vector<HostActivity> Take() { return std::move(activities_); }

 private:
  std::vector<Interval> taken_;
  std::vector<HostActivity> activities_;
};

std::vector<Interval> LaunchUnion(const KinetoTrace& trace) {
  std::vector<Interval> times;
  times.reserve(trace.launches.size());
  for (const LaunchCall& launch : trace.launches) times.push_back(launch.time);
  return UnionOf(std::move(times));
}

}  // namespace

std::vector<PhaseUnion> PhaseUnions(const std::vector<PhaseRange>& ranges, uint16_t device) {
  std::vector<PhaseUnion> unions;
  for (const PhaseRange& range : ranges) {
    if (range.device != device) continue;
    auto found = std::find_if(unions.begin(), unions.end(),
                              [&](const PhaseUnion& one) { return one.phase == range.phase; });
    if (found == unions.end()) found = unions.insert(unions.end(), PhaseUnion{range.phase, {}});
    found->times.push_back(range.time);
  }
  for (PhaseUnion& one : unions) one.times = UnionOf(std::move(one.times));
  return unions;
}

std::vector<HostActivity> HostActivitiesOf(const KinetoTrace& trace) {
  constexpr std::string_view kFirst[] = {"data", "checkpoint"};
  const auto phases = PhaseUnions(trace.host_phases, 0);
  Timetable timetable;
  for (const std::string_view name : kFirst) {
    for (const PhaseUnion& phase : phases) {
      if (phase.phase == name) timetable.Add(name, phase.times);
    }
  }
  timetable.Add("wait", UnionOf(trace.host_waits));
  timetable.Add("launch", LaunchUnion(trace));
  for (const PhaseUnion& phase : phases) timetable.Add(phase.phase, phase.times);
  return timetable.Take();
}

std::vector<ActivityTime> ActivitiesWithin(std::span<const HostActivity> activities,
                                           Interval window) {
  std::vector<ActivityTime> times;
  int64_t rest_ns = window.length_ns();
  for (const HostActivity& activity : activities) {
    const int64_t length_ns = LengthWithin(activity.times, window);
    if (length_ns <= 0) continue;
    times.push_back({activity.name, length_ns});
    rest_ns -= length_ns;
  }
  if (rest_ns > 0) times.push_back({"other", rest_ns});
  return times;
}

}  // namespace lockstep::traces
