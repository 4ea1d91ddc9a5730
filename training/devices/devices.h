// The series of each GPU, by role.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/check.h"
#include "catalogue/roles.h"
#include "training/job/job.h"

namespace lockstep::training {

using catalogue::Role;

// The roles of a GPU's series that answers use, some only in heat maps.
inline constexpr std::array kDeviceRoles = {
    Role::kGpuGrEngineActiveRatio,
    Role::kGpuSmActiveRatio,
    Role::kGpuSmOccupancyRatio,
    Role::kGpuTensorActiveRatio,
    Role::kGpuFp64ActiveRatio,
    Role::kGpuFp32ActiveRatio,
    Role::kGpuFp16ActiveRatio,
    Role::kGpuDramActiveRatio,
    Role::kGpuPcieRxBytesPerSecond,
    Role::kGpuPcieTxBytesPerSecond,
    Role::kGpuNvlinkRxBytesPerSecond,
    Role::kGpuNvlinkTxBytesPerSecond,
    Role::kGpuUtilizationRatio,
    Role::kGpuPowerWatts,
    Role::kGpuPowerLimitWatts,
    Role::kGpuEnergyJoulesTotal,
    Role::kGpuSmClockHertz,
    Role::kGpuTemperatureCelsius,
    Role::kGpuMemoryTemperatureCelsius,
    Role::kGpuThermalMarginCelsius,
    Role::kGpuMemoryUsedBytes,
    Role::kGpuMemoryFreeBytes,
    Role::kGpuThrottleReasons,
    Role::kGpuPowerViolationSecondsTotal,
    Role::kGpuThermalViolationSecondsTotal,
    Role::kGpuEccCorrectedTotal,
    Role::kGpuEccUncorrectedTotal,
    Role::kGpuRemappedRowsCorrectableTotal,
    Role::kGpuRemappedRowsUncorrectableTotal,
    Role::kGpuRowRemapFailure,
    Role::kGpuXid,
    Role::kGpuPcieReplaysTotal,
    Role::kGpuNvlinkCrcFlitErrorsTotal,
    Role::kGpuNvlinkReplayErrorsTotal,
    Role::kGpuNvlinkRecoveryErrorsTotal,
};

// Devices warm up, and ranks start one after another.
inline constexpr int64_t kDeviceWarmUpMs = 6000;
// Below this, a device does nothing: a hang or a pause of the job.
inline constexpr double kIdleEngineRatio = 0.05;
// Below this, a device is idle too often: input-bound jobs reach .30 to .42, training .82 and more.
inline constexpr double kBusyEngineRatio = 0.6;

// A sample covers the time since the previous one.
struct CounterSeries {
  std::vector<int64_t> timestamp_ms;  // ascending
  std::vector<double> value;          // one per timestamp

  bool empty() const { return timestamp_ms.empty(); }
};

// One series for each of `kRoles`, in the unit of its role. Other roles take no memory.
template <const auto& kRoles>
class SeriesByRole {
 public:
  static constexpr bool Has(Role role) { return kIndex[static_cast<size_t>(role)] < kRoles.size(); }

  // Precondition: Has(role).
  CounterSeries& operator[](Role role) { return series_[IndexOf(role)]; }
  const CounterSeries& operator[](Role role) const { return series_[IndexOf(role)]; }

  // All series, in the order of `kRoles`.
  auto begin() { return series_.begin(); }
  auto end() { return series_.end(); }
  auto begin() const { return series_.begin(); }
  auto end() const { return series_.end(); }

 private:
  // By role, its position in `kRoles`.
  static constexpr std::array kIndex = [] {
    std::array<uint8_t, catalogue::kRoleCount> index;
    index.fill(kRoles.size());
    for (uint8_t i = 0; i < kRoles.size(); ++i) index[static_cast<size_t>(kRoles[i])] = i;
    return index;
  }();

  static size_t IndexOf(Role role) {
    LOCKSTEP_CHECK(Has(role));
    return kIndex[static_cast<size_t>(role)];
  }

  std::array<CounterSeries, kRoles.size()> series_;
};

// The series of the GPU that a rank runs on.
struct GpuCounters {
  SeriesByRole<kDeviceRoles> series;
  std::string model;  // as the driver reports it; empty if unknown

  CounterSeries& operator[](Role role) { return series[role]; }
  const CounterSeries& operator[](Role role) const { return series[role]; }
};

// Mean of the samples whose covered time lies entirely in `range`; unknown if there are none.
double MeanIn(const CounterSeries& series, const TimeRange& range);

// The samples in `time`.
GpuCounters CountersIn(const GpuCounters& device, const TimeRange& time);

// Median distance between samples; 0 if there are fewer than two.
int64_t SamplePeriodMs(const CounterSeries& series);

// The increase of an event counter, ignoring resets; unknown with fewer than two samples in
// `range`.
double IncreaseIn(const CounterSeries& series, const TimeRange& range);

}  // namespace lockstep::training
