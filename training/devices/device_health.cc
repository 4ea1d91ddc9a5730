#include "training/devices/device_health.h"

#include <cmath>
#include <cstdint>

#include "training/devices/xid.h"
#include "training/matrix/rank_matrix.h"

namespace lockstep::training {
namespace {

// Throttle reason bits. "Software power cap" (0x4) is not among them: it is set whenever a device
// runs at its power limit, which is normal in training.
constexpr uint64_t kHeatBits = 0x20 | 0x40;
constexpr uint64_t kBrakeBits = 0x8 | 0x80;
// Brief throttling is normal; 5 % of the time is noticeable.
constexpr double kLeastShare = 0.05;

// Share of samples in `time` with any of `bits` set; 0 without samples.
double ShareWith(const CounterSeries& reasons, const TimeRange& time, uint64_t bits) {
  size_t count = 0;
  size_t set = 0;
  for (size_t i = 0; i < reasons.timestamp_ms.size(); ++i) {
    const double value = reasons.value[i];
    if (reasons.timestamp_ms[i] < time.min_ms || reasons.timestamp_ms[i] > time.max_ms) continue;
    if (!(value >= 0 && value < 1e15)) continue;
    ++count;
    set += (static_cast<uint64_t>(value) & bits) != 0 ? 1 : 0;
  }
  return count == 0 ? 0.0 : static_cast<double>(set) / static_cast<double>(count);
}

double ViolationShare(const CounterSeries& violation_seconds, const TimeRange& time) {
  const double length_seconds = static_cast<double>(time.max_ms - time.min_ms) / 1000;
  return length_seconds > 0 ? IncreaseIn(violation_seconds, time) / length_seconds : kUnknown;
}

// Whether a new code was reported in `time` after which the device must not be used.
bool HasFatalXid(const CounterSeries& codes, const TimeRange& time) {
  for (size_t i = 1; i < codes.value.size(); ++i) {
    const double code = codes.value[i];
    if (codes.timestamp_ms[i] < time.min_ms || codes.timestamp_ms[i] > time.max_ms) continue;
    if (code == codes.value[i - 1] || !(code > 0 && code < 1e6)) continue;
    const XidMeaning* meaning = MeaningOfXid(static_cast<int64_t>(code));
    if (meaning != nullptr && meaning->action == XidAction::kDrain) return true;
  }
  return false;
}

}  // namespace

DeviceHealth HealthIn(const GpuCounters& device, const TimeRange& time) {
  const CounterSeries& reasons = device[Role::kGpuThrottleReasons];
  DeviceHealth health;
  health.is_unhealthy = IncreaseIn(device[Role::kGpuEccUncorrectedTotal], time) > 0 ||
                        MeanIn(device[Role::kGpuRowRemapFailure], time) > 0 ||
                        HasFatalXid(device[Role::kGpuXid], time);
  health.is_throttled_by_heat =
      ShareWith(reasons, time, kHeatBits) >= kLeastShare ||
      ViolationShare(device[Role::kGpuThermalViolationSecondsTotal], time) >= kLeastShare;
  health.is_power_braked = ShareWith(reasons, time, kBrakeBits) >= kLeastShare;
  return health;
}

}  // namespace lockstep::training
