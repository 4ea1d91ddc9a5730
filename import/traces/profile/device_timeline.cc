#include "import/traces/profile/device_timeline.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "import/traces/records/trace_limits.h"

namespace lockstep::traces {
namespace {

void AddKernel(const DeviceEvent& event, KernelTime& time) {
  time.kernel = event.kernel;
  time.kernel_class = event.kernel_class;
  time.seconds += SecondsOf(event.time.length_ns());
  ++time.count;
}

void KeepThoseWithWork(std::vector<KernelTime>& times) {
  std::erase_if(times, [](const KernelTime& time) { return time.count == 0; });
}

constexpr auto kCommunicationIndex = static_cast<size_t>(KernelClass::kCommunication);

bool IsCopy(KernelClass kernel_class) {
  return kernel_class == KernelClass::kMemcpy || kernel_class == KernelClass::kMemset;
}

bool IsCompute(KernelClass kernel_class) {
  return kernel_class != KernelClass::kCommunication && !IsCopy(kernel_class);
}

// The union of the times of events whose class `takes` accepts.
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

TopKernels::TopKernels(const KinetoTrace& trace, const std::vector<DeviceEvent>& events)
    : top_(trace.kernel_names.size()) {
  for (const DeviceEvent& event : events) {
    if (event.kernel != kNoKernel) AddKernel(event, top_[event.kernel]);
  }
  KeepThoseWithWork(top_);
  std::stable_sort(top_.begin(), top_.end(),
                   [](const KernelTime& a, const KernelTime& b) { return a.seconds > b.seconds; });
  if (top_.size() > kTopKernels) top_.resize(kTopKernels);
  position_.assign(trace.kernel_names.size(), top_.size());
  for (size_t i = 0; i < top_.size(); ++i) position_[top_[i].kernel] = i;
}

std::vector<KernelTime> TopKernels::TimesOf(std::span<const DeviceEvent> events) const {
  std::vector<KernelTime> times(top_.size());
  for (const DeviceEvent& event : events) {
    if (event.kernel == kNoKernel || position_[event.kernel] == top_.size()) continue;
    AddKernel(event, times[position_[event.kernel]]);
  }
  KeepThoseWithWork(times);
  return times;
}

DeviceTimeline::DeviceTimeline(const KinetoTrace& trace, uint16_t device, const HostTimeline& host)
    : device_(device),
      host_(host),
      collective_kind_count_(trace.collective_kinds.size()),
      events_(OfDeviceInOrder(trace.device_events, device)),
      collective_calls_(OfDeviceInOrder(trace.collective_calls, device)),
      copy_calls_(OfDeviceInOrder(trace.copy_calls, device)),
      gaps_(GapsBetween(events_, host.launch_times)),
      top_kernels_(trace, events_) {
  for (size_t i = 0; i < kKernelClassCount; ++i) {
    const auto wanted = static_cast<KernelClass>(i);
    classes_[i] = UnionWhere(events_, [&](KernelClass one) { return one == wanted; });
  }
  compute_ = UnionWhere(events_, IsCompute);
  copies_ = UnionWhere(events_, IsCopy);
  busy_ = UnionWhere(events_, [](KernelClass) { return true; });
  exposed_communication_ = Without(classes_[kCommunicationIndex], compute_);
  std::vector<Interval> calls;
  for (const CollectiveCall& call : collective_calls_) calls.push_back(call.time);
  concurrent_collectives_ = OverlapsWithin(std::move(calls));
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
    time.under_compute_seconds += SecondsOf(LengthWithin(compute_, call.time));
    time.under_collectives_seconds += SecondsOf(LengthWithin(concurrent_collectives_, call.time));
  }
  std::copy_if(times.begin(), times.end(), std::back_inserter(step.collectives),
               [](const CollectiveTime& time) { return time.count > 0; });
}

void DeviceTimeline::AddCopies(DeviceStep& step) const {
  for (const CopyCall& copy : BegunWithin(copy_calls_, step.window)) {
    const std::string_view call = host_.launch_times.CallOf(copy.correlation);
    auto found = std::find_if(step.copies.begin(), step.copies.end(), [&](const CopyTime& one) {
      return one.kind == copy.kind && one.call == call;
    });
    if (found == step.copies.end()) {
      found = step.copies.insert(step.copies.end(), CopyTime{copy.kind, call});
    }
    found->seconds += SecondsOf(copy.time.length_ns());
    found->bytes += copy.bytes;
    ++found->count;
  }
}

DeviceOverview DeviceTimeline::Overview(Interval whole) const {
  // Times are stored in milliseconds, so no bin is shorter.
  constexpr int64_t kShortestBinNs = 1'000'000;
  DeviceOverview overview;
  overview.device = device_;
  overview.gaps = LongGapsOf(gaps_, host_.activities);
  const int64_t bins = std::min(kUtilizationBins, whole.length_ns() / kShortestBinNs);
  for (int64_t i = 0; i < bins; ++i) {
    const Interval bin{whole.begin_ns + whole.length_ns() / bins * i,
                       whole.begin_ns + whole.length_ns() / bins * (i + 1)};
    const auto busy_ns = static_cast<double>(LengthWithin(busy_, bin));
    overview.utilization.push_back({bin, busy_ns / static_cast<double>(bin.length_ns())});
  }
  return overview;
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
  AddCopies(step);
  AddGaps(gaps_, host_.activities, step);
  step.kernels = top_kernels_.TimesOf(BegunWithin(events_, window));
  return step;
}

}  // namespace lockstep::traces
