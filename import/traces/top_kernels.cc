#include "import/traces/top_kernels.h"

#include <algorithm>
#include <utility>

#include "import/traces/trace_limits.h"

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

}  // namespace lockstep::traces
