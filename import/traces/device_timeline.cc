#include "import/traces/device_timeline.h"

#include <iterator>
#include <limits>
#include <utility>

namespace lockstep::traces {
namespace {

constexpr auto kCommunicationIndex = static_cast<size_t>(KernelClass::kCommunication);

bool IsCopy(KernelClass kernel_class) {
  return kernel_class == KernelClass::kMemcpy || kernel_class == KernelClass::kMemset;
}

bool IsCompute(KernelClass kernel_class) {
  return kernel_class != KernelClass::kCommunication && !IsCopy(kernel_class);
}

// The union of the times of those events whose class `takes`.
template <typename Takes>
std::vector<Interval> UnionWhere(const std::vector<DeviceEvent>& events, const Takes& takes) {
  std::vector<Interval> times;
  for (const DeviceEvent& event : events) {
    if (takes(event.kernel_class)) times.push_back(event.time);
  }
  return UnionOf(std::move(times));
}

template <typename Event>
std::vector<Event> OfDeviceInOrder(const std::vector<Event>& all, uint16_t device) {
  std::vector<Event> events;
  for (const Event& event : all) {
    if (event.device == device) events.push_back(event);
  }
  std::stable_sort(events.begin(), events.end(), [](const Event& a, const Event& b) {
    return a.time.begin_ns < b.time.begin_ns;
  });
  return events;
}

}  // namespace

LaunchTimes::LaunchTimes(std::span<const LaunchCall> launches) {
  for (const LaunchCall& launch : launches) {
    if (launch.correlation != 0) launches_.push_back({launch.correlation, launch.time.begin_ns});
  }
  std::sort(launches_.begin(), launches_.end(),
            [](const Launch& a, const Launch& b) { return a.correlation < b.correlation; });
}

std::optional<int64_t> LaunchTimes::BeginOf(uint64_t correlation) const {
  const auto found = std::lower_bound(
      launches_.begin(), launches_.end(), correlation,
      [](const Launch& launch, uint64_t asked) { return launch.correlation < asked; });
  if (found == launches_.end() || found->correlation != correlation) return std::nullopt;
  return found->begin_ns;
}

DeviceTimeline::DeviceTimeline(const KinetoTrace& trace, uint16_t device,
                               const LaunchTimes& launch_times)
    : device_(device),
      collective_kind_count_(trace.collective_kinds.size()),
      events_(OfDeviceInOrder(trace.device_events, device)),
      collective_calls_(OfDeviceInOrder(trace.collective_calls, device)) {
  for (size_t i = 0; i < kKernelClassCount; ++i) {
    const auto wanted = static_cast<KernelClass>(i);
    classes_[i] = UnionWhere(events_, [&](KernelClass one) { return one == wanted; });
  }
  compute_ = UnionWhere(events_, IsCompute);
  copies_ = UnionWhere(events_, IsCopy);
  busy_ = UnionWhere(events_, [](KernelClass) { return true; });
  exposed_communication_ = Without(classes_[kCommunicationIndex], compute_);
  FindGaps(launch_times);
}

void DeviceTimeline::FindGaps(const LaunchTimes& launch_times) {
  int64_t busy_until_ns = std::numeric_limits<int64_t>::min();
  for (const DeviceEvent& event : events_) {
    if (event.time.length_ns() <= 0) continue;
    if (event.time.begin_ns > busy_until_ns) {
      const Interval gap{busy_until_ns, event.time.begin_ns};
      const auto launched_ns = launch_times.BeginOf(event.correlation);
      gaps_.push_back({gap, launched_ns.value_or(gap.begin_ns)});
    }
    busy_until_ns = std::max(busy_until_ns, event.time.end_ns);
  }
  constexpr int64_t kEver = std::numeric_limits<int64_t>::max();
  gaps_.push_back({{busy_until_ns, kEver}, busy_until_ns});
}

void DeviceTimeline::AddGaps(DeviceStep& step) const {
  auto gap = std::partition_point(gaps_.begin(), gaps_.end(), [&](const Gap& one) {
    return one.time.end_ns <= step.window.begin_ns;
  });
  for (; gap != gaps_.end() && gap->time.begin_ns < step.window.end_ns; ++gap) {
    const int64_t begin_ns = std::max(gap->time.begin_ns, step.window.begin_ns);
    const int64_t end_ns = std::min(gap->time.end_ns, step.window.end_ns);
    if (end_ns <= begin_ns) continue;
    const double seconds = SecondsOf(end_ns - begin_ns);
    ++step.gaps;
    step.idle_seconds += seconds;
    step.longest_idle_seconds = std::max(step.longest_idle_seconds, seconds);
    const int64_t unlaunched_until_ns = std::min(gap->launched_ns, end_ns);
    if (unlaunched_until_ns > begin_ns) {
      step.unlaunched_seconds += SecondsOf(unlaunched_until_ns - begin_ns);
    }
  }
}

void DeviceTimeline::AddClasses(DeviceStep& step) const {
  for (size_t i = 0; i < kKernelClassCount; ++i) {
    step.classes[i].seconds = SecondsOf(LengthWithin(classes_[i], step.window));
  }
  for (const DeviceEvent& event : BegunWithin(events_, step.window)) {
    ++step.classes[static_cast<size_t>(event.kernel_class)].count;
  }
}

void DeviceTimeline::AddCollectives(DeviceStep& step) const {
  std::vector<CollectiveTime> times(collective_kind_count_);
  for (const CollectiveCall& call : BegunWithin(collective_calls_, step.window)) {
    CollectiveTime& time = times[call.kind];
    const double seconds = SecondsOf(call.time.length_ns());
    time.shortest_seconds = time.count == 0 ? seconds : std::min(time.shortest_seconds, seconds);
    time.kind = call.kind;
    ++time.count;
    time.seconds += seconds;
    time.bytes += call.bytes;
  }
  std::copy_if(times.begin(), times.end(), std::back_inserter(step.collectives),
               [](const CollectiveTime& time) { return time.count > 0; });
}

DeviceStep DeviceTimeline::Within(Interval window) const {
  DeviceStep step;
  step.device = device_;
  step.window = window;
  step.compute_seconds = SecondsOf(LengthWithin(compute_, window));
  step.exposed_communication_seconds = SecondsOf(LengthWithin(exposed_communication_, window));
  step.copy_seconds = SecondsOf(LengthWithin(copies_, window));
  step.busy_seconds = SecondsOf(LengthWithin(busy_, window));
  AddClasses(step);
  step.communication_seconds = step.classes[kCommunicationIndex].seconds;
  AddCollectives(step);
  AddGaps(step);
  return step;
}

}  // namespace lockstep::traces
