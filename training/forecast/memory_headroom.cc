#include "training/forecast/memory_headroom.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "training/events/event_finders.h"
#include "training/events/events.h"
#include "training/matrix/statistics.h"

namespace lockstep::training {
namespace {

constexpr double kBytesPerMib = 1048576.0;

double Highest(std::span<const double> values) {
  double highest = kUnknown;
  for (const double value : values) {
    if (!(highest >= value) && !std::isnan(value)) highest = value;
  }
  return highest;
}

// The newest known value; unknown if there is none.
double Newest(const CounterSeries& series) {
  for (size_t i = series.value.size(); i > 0; --i) {
    if (!std::isnan(series.value[i - 1])) return series.value[i - 1];
  }
  return kUnknown;
}

// Used and free memory, which is what processes may take: without the driver's own.
double CapacityBytes(const GpuCounters& device) {
  return Newest(device[Role::kGpuMemoryUsedBytes]) + Newest(device[Role::kGpuMemoryFreeBytes]);
}

double ValueOf(const Event& event, std::string_view signal) {
  for (const Evidence& evidence : event.evidence) {
    if (evidence.signal == signal) return evidence.value;
  }
  return kUnknown;
}

void SetTightest(const StepTable& steps, std::span<const GpuCounters> devices,
                 MemoryHeadroom& found) {
  for (size_t row = 0; row < devices.size(); ++row) {
    const double peak = Highest(devices[row][Role::kGpuMemoryUsedBytes].value);
    const double capacity = CapacityBytes(devices[row]);
    const double headroom = std::max(0.0, capacity - peak);
    if (std::isnan(capacity) || found.headroom_bytes <= headroom) continue;
    found.row = row;
    found.capacity_bytes = capacity;
    found.peak_used_bytes = peak;
    found.headroom_bytes = headroom;
  }
  if (found.row.has_value() && !steps.memory_allocated_bytes.empty()) {
    found.peak_allocated_bytes = Highest(steps.memory_allocated_bytes.Row(*found.row));
  }
}

// Bytes per second that the leak takes of a device.
double LeakRate(const Event& leak, const StepTable& steps) {
  const double per_step = ValueOf(leak, "memory_allocated_bytes");
  if (!std::isnan(per_step)) return per_step / Median(JobStepSeconds(steps));
  const double seconds = static_cast<double>(leak.time.max_ms - leak.time.min_ms) / 1000.0;
  return leak.evidence.front().value * kBytesPerMib / seconds;
}

void SetLeak(const EventInput& input, MemoryHeadroom& found) {
  std::vector<Event> leaks;
  FindLeaks(input, leaks);
  if (leaks.empty()) return;
  found.growth_bytes_per_second = LeakRate(leaks.front(), input.steps);
  for (const size_t row : leaks.front().rows) {
    if (row >= input.devices.size()) continue;
    const double free = Newest(input.devices[row][Role::kGpuMemoryFreeBytes]);
    const double seconds = free / found.growth_bytes_per_second;
    if (!(found.full_in_seconds <= seconds) && !std::isnan(seconds)) {
      found.full_in_seconds = seconds;
    }
  }
}

}  // namespace

MemoryHeadroom MemoryHeadroomOf(const Job& job, const StepTable& steps,
                                std::span<const GpuCounters> devices) {
  MemoryHeadroom found;
  SetTightest(steps, devices, found);
  SetLeak({.job = job, .steps = steps, .devices = devices}, found);
  return found;
}

}  // namespace lockstep::training
