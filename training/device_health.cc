#include "training/device_health.h"

#include <cmath>
#include <cstdint>

#include "training/rank_matrix.h"
#include "training/xid.h"

namespace lockstep::training {
namespace {

// Bits of the throttle reasons. "Software power cap" (0x4) is not among them: it is set whenever a device
// works at its power limit, as all do in training.
constexpr uint64_t kHeatBits = 0x20 | 0x40;
constexpr uint64_t kBrakeBits = 0x8 | 0x80;
// Short pauses of the clock are normal; a twentieth of the time is felt.
constexpr double kLeastShare = 0.05;
constexpr double kNsPerMs = 1e6;

// Share of samples inside with one of `bits` set; 0 without samples.
double ShareWith(const CounterSeries& reasons, const TimeRange& time, uint64_t bits) {
  size_t count = 0;
  size_t set = 0;
  for (size_t i = 0; i < reasons.timestamp_ms.size(); ++i) {
    const double value = reasons.value[i];
    if (reasons.timestamp_ms[i] < time.from_ms || reasons.timestamp_ms[i] > time.to_ms) continue;
    if (!(value >= 0 && value < 1e15)) continue;
    ++count;
    set += (static_cast<uint64_t>(value) & bits) != 0 ? 1 : 0;
  }
  return count == 0 ? 0.0 : static_cast<double>(set) / static_cast<double>(count);
}

double ViolationShare(const CounterSeries& nanoseconds, const TimeRange& time) {
  const double length_ms = static_cast<double>(time.to_ms - time.from_ms);
  return length_ms > 0 ? IncreaseIn(nanoseconds, time) / (length_ms * kNsPerMs) : kUnknown;
}

// Whether a code was reported, new in this time, after which the device is not to be used.
bool HasFatalXid(const CounterSeries& codes, const TimeRange& time) {
  for (size_t i = 1; i < codes.value.size(); ++i) {
    const double code = codes.value[i];
    if (codes.timestamp_ms[i] < time.from_ms || codes.timestamp_ms[i] > time.to_ms) continue;
    if (code == codes.value[i - 1] || !(code > 0 && code < 1e6)) continue;
    const XidMeaning* meaning = MeaningOfXid(static_cast<int64_t>(code));
    if (meaning != nullptr && meaning->action == XidAction::kDrain) return true;
  }
  return false;
}

}  // namespace

DeviceHealth HealthIn(const GpuCounters& device, const TimeRange& time) {
  const CounterSeries& reasons = device[DeviceCounter::kThrottleReasons];
  DeviceHealth health;
  health.is_unhealthy = IncreaseIn(device[DeviceCounter::kEccDoubleBitErrors], time) > 0 ||
                        MeanIn(device[DeviceCounter::kRowRemapFailure], time) > 0 ||
                        HasFatalXid(device[DeviceCounter::kXid], time);
  health.is_throttled_by_heat =
      ShareWith(reasons, time, kHeatBits) >= kLeastShare ||
      ViolationShare(device[DeviceCounter::kThermalViolationNs], time) >= kLeastShare;
  health.is_power_braked = ShareWith(reasons, time, kBrakeBits) >= kLeastShare;
  return health;
}

}  // namespace lockstep::training
