// What devices count, per GPU.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "training/job.h"

namespace lockstep::training {

// Roles of device counters, each with its unit. Ratios are 0..1.
enum class DeviceCounter {
  kGraphicsEngineActiveRatio,
  kSmActiveRatio,
  kSmOccupancyRatio,
  kTensorActiveRatio,
  kFp64ActiveRatio,
  kFp32ActiveRatio,
  kFp16ActiveRatio,
  kDramActiveRatio,
  kPcieReceivedBytesPerS,
  kPcieSentBytesPerS,
  kNvlinkReceivedBytesPerS,
  kNvlinkSentBytesPerS,
  kGpuUtilizationPercent,
  kPowerW,
  kPowerLimitW,
  kEnergyMj,  // millijoules since the driver was loaded
  kSmClockMhz,
  kGpuTemperatureC,
  kMemoryTemperatureC,
  kThermalMarginC,  // degrees left to the limit
  kMemoryUsedMib,
  kMemoryFreeMib,
  kThrottleReasons,      // bits
  kPowerViolationNs,     // since the driver was loaded
  kThermalViolationNs,   // since the driver was loaded
  kEccSingleBitErrors,   // since reset
  kEccDoubleBitErrors,   // since reset
  kCorrectableRemaps,    // rows
  kUncorrectableRemaps,  // rows
  kRowRemapFailure,
  kXid,  // code of the last one
  kPcieReplays,
  kNvlinkErrors,
  kNvlinkReplays,
  kNvlinkRecoveries,
};
inline constexpr size_t kDeviceCounterCount =
    static_cast<size_t>(DeviceCounter::kNvlinkRecoveries) + 1;

// The devices of a job warm up, and its ranks start one after the other.
inline constexpr int64_t kDeviceWarmUpMs = 6000;
// A device below does nothing: a hang, or a pause of the job.
inline constexpr double kIdleEngineRatio = 0.05;
// A device below rests for too much of the time: input-bound ones .30 to .42, training .82 and more.
inline constexpr double kBusyEngineRatio = 0.6;

// A sample covers the time since the one before it.
struct CounterSeries {
  std::vector<int64_t> timestamp_ms;  // ascending
  std::vector<double> value;          // as many

  bool empty() const { return timestamp_ms.empty(); }
};

// The counters of the GPU that a rank runs on.
struct GpuCounters {
  std::array<CounterSeries, kDeviceCounterCount> series;
  std::string model;  // as the driver says it; empty: not known

  CounterSeries& operator[](DeviceCounter counter) { return series[static_cast<size_t>(counter)]; }
  const CounterSeries& operator[](DeviceCounter counter) const {
    return series[static_cast<size_t>(counter)];
  }
};

// The role that a metric name plays ("DCGM_FI_PROF_SM_ACTIVE", "DCGM_FI_PROF_SM_UTIL_RATIO",
// "dcgm_sm_active"...), if any.
std::optional<DeviceCounter> DeviceCounterOf(std::string_view metric);

// The metric that dcgm-exporter gives for it: for saying what is missing.
std::string_view DcgmName(DeviceCounter counter);

// Mean of the samples that lie wholly inside (by the time they cover); unknown without one.
double MeanIn(const CounterSeries& series, const TimeRange& range);

// The samples in `time`.
GpuCounters CountersIn(const GpuCounters& device, const TimeRange& time);

// Median distance of samples; 0 for fewer than two.
int64_t SamplePeriodMs(const CounterSeries& series);

// How much a counter of events grew, restarts left out; unknown for fewer than two samples inside.
double IncreaseIn(const CounterSeries& series, const TimeRange& range);

}  // namespace lockstep::training
