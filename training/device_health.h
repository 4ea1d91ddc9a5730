// What a device says about its own condition.
#pragma once

#include "training/devices.h"

namespace lockstep::training {

struct DeviceHealth {
  bool is_unhealthy = false;          // uncorrectable errors, failed row remapping, or a fatal XID
  bool is_throttled_by_heat = false;  // in at least a twentieth of the time
  bool is_power_braked = false;       // by the board or the power supply; not the usual power cap
};

DeviceHealth HealthIn(const GpuCounters& device, const TimeRange& time);

}  // namespace lockstep::training
