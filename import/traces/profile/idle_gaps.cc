#include "import/traces/profile/idle_gaps.h"

#include <algorithm>
#include <limits>
#include <string_view>

#include "import/traces/records/trace_limits.h"

namespace lockstep::traces {
namespace {

constexpr int64_t kEverBefore = std::numeric_limits<int64_t>::min();
constexpr int64_t kEverAfter = std::numeric_limits<int64_t>::max();

void AddActivities(std::span<const HostActivity> host, Interval gap, DeviceStep& step) {
  for (const ActivityTime& time : ActivitiesWithin(host, gap)) {
    auto& sums = step.idle_host;
    auto found = std::find_if(sums.begin(), sums.end(),
                              [&](const PhaseTime& one) { return one.phase == time.name; });
    if (found == sums.end()) found = sums.insert(sums.end(), PhaseTime{time.name, 0});
    found->seconds += SecondsOf(time.length_ns);
  }
}

void AddGap(const Gap& gap, Interval time, std::span<const HostActivity> host, DeviceStep& step) {
  const double seconds = SecondsOf(time.length_ns());
  ++step.gaps;
  step.idle_seconds += seconds;
  step.longest_idle_seconds = std::max(step.longest_idle_seconds, seconds);
  const int64_t unlaunched_until_ns = std::min(gap.launched_ns, time.end_ns);
  if (unlaunched_until_ns > time.begin_ns) {
    step.unlaunched_seconds += SecondsOf(unlaunched_until_ns - time.begin_ns);
  }
  for (size_t i = 0; i < kLongGapsNs.size(); ++i) {
    if (time.length_ns() < kLongGapsNs[i]) continue;
    ++step.long_gaps[i].count;
    step.long_gaps[i].seconds += seconds;
  }
  if (time.length_ns() >= kListedGapNs) AddActivities(host, time, step);
}

// The host's main activity during the gap.
std::string_view MainActivity(std::span<const HostActivity> host, Interval gap) {
  const auto times = ActivitiesWithin(host, gap);
  const auto longest = std::max_element(
      times.begin(), times.end(),
      [](const ActivityTime& a, const ActivityTime& b) { return a.length_ns < b.length_ns; });
  return longest == times.end() ? "other" : longest->name;
}

}  // namespace

std::vector<Gap> GapsBetween(const std::vector<DeviceEvent>& events,
                             const LaunchTimes& launch_times) {
  std::vector<Gap> gaps;
  int64_t busy_until_ns = kEverBefore;
  for (const DeviceEvent& event : events) {
    if (event.time.length_ns() <= 0) continue;
    if (event.time.begin_ns > busy_until_ns) {
      const Interval time{busy_until_ns, event.time.begin_ns};
      const auto launched_ns = launch_times.BeginOf(event.correlation);
      gaps.push_back({time, launched_ns.value_or(time.begin_ns), event.kernel_class});
    }
    busy_until_ns = std::max(busy_until_ns, event.time.end_ns);
  }
  gaps.push_back({{busy_until_ns, kEverAfter}, busy_until_ns});
  return gaps;
}

void AddGaps(std::span<const Gap> gaps, std::span<const HostActivity> host, DeviceStep& step) {
  auto gap = std::partition_point(gaps.begin(), gaps.end(), [&](const Gap& one) {
    return one.time.end_ns <= step.window.begin_ns;
  });
  for (; gap != gaps.end() && gap->time.begin_ns < step.window.end_ns; ++gap) {
    const Interval time{std::max(gap->time.begin_ns, step.window.begin_ns),
                        std::min(gap->time.end_ns, step.window.end_ns)};
    if (time.length_ns() > 0) AddGap(*gap, time, host, step);
  }
}

std::vector<IdleGap> LongGapsOf(std::span<const Gap> gaps, std::span<const HostActivity> host) {
  std::vector<Gap> longest;
  for (const Gap& gap : gaps) {
    const bool is_between = gap.time.begin_ns != kEverBefore && gap.time.end_ns != kEverAfter;
    if (is_between && gap.time.length_ns() >= kListedGapNs) longest.push_back(gap);
  }
  std::stable_sort(longest.begin(), longest.end(), [](const Gap& a, const Gap& b) {
    return a.time.length_ns() > b.time.length_ns();
  });
  if (longest.size() > kMaxListedGaps) longest.resize(kMaxListedGaps);
  std::sort(longest.begin(), longest.end(),
            [](const Gap& a, const Gap& b) { return a.time.begin_ns < b.time.begin_ns; });
  std::vector<IdleGap> list;
  for (const Gap& gap : longest) {
    list.push_back({gap.time, MainActivity(host, gap.time), gap.next});
  }
  return list;
}

}  // namespace lockstep::traces
