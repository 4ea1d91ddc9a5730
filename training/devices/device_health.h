// What a device reports about its own health.
#pragma once

#include "training/devices/devices.h"

namespace lockstep::training {

struct DeviceHealth {
  bool is_unhealthy = false;          // uncorrectable errors, failed row remapping, or a fatal XID
  bool is_throttled_by_heat = false;  // at least 5 % of the time
  bool is_power_braked = false;       // by the board or the power supply; not the normal power cap
};

DeviceHealth HealthIn(const GpuCounters& device, const TimeRange& time);

}  // namespace lockstep::training
