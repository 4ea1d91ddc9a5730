#include "training/devices.h"

#include <algorithm>
#include <cmath>

#include "training/rank_matrix.h"
#include "training/statistics.h"

namespace lockstep::training {
namespace {

struct CounterName {
  std::string_view metric;
  DeviceCounter counter;
};

// The first name of a counter is the one that dcgm-exporter gives today; the others are older and newer
// ones of the same field.
constexpr std::array kCounterNames = {
    CounterName{"DCGM_FI_PROF_GR_ENGINE_ACTIVE", DeviceCounter::kGraphicsEngineActiveRatio},
    CounterName{"DCGM_FI_PROF_GR_ENGINE_UTIL_RATIO", DeviceCounter::kGraphicsEngineActiveRatio},
    CounterName{"dcgm_fi_prof_gr_engine_active", DeviceCounter::kGraphicsEngineActiveRatio},
    CounterName{"dcgm_prof_gr_engine_active", DeviceCounter::kGraphicsEngineActiveRatio},
    CounterName{"DCGM_FI_PROF_SM_ACTIVE", DeviceCounter::kSmActiveRatio},
    CounterName{"DCGM_FI_PROF_SM_UTIL_RATIO", DeviceCounter::kSmActiveRatio},
    CounterName{"dcgm_fi_prof_sm_active", DeviceCounter::kSmActiveRatio},
    CounterName{"dcgm_prof_sm_active", DeviceCounter::kSmActiveRatio},
    CounterName{"DCGM_FI_PROF_SM_OCCUPANCY", DeviceCounter::kSmOccupancyRatio},
    CounterName{"DCGM_FI_PROF_SM_OCCUPANCY_RATIO", DeviceCounter::kSmOccupancyRatio},
    CounterName{"dcgm_fi_prof_sm_occupancy", DeviceCounter::kSmOccupancyRatio},
    CounterName{"dcgm_prof_sm_occupancy", DeviceCounter::kSmOccupancyRatio},
    CounterName{"DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", DeviceCounter::kTensorActiveRatio},
    CounterName{"DCGM_FI_PROF_TENSOR_UTIL_RATIO", DeviceCounter::kTensorActiveRatio},
    CounterName{"dcgm_fi_prof_pipe_tensor_active", DeviceCounter::kTensorActiveRatio},
    CounterName{"dcgm_prof_pipe_tensor_active", DeviceCounter::kTensorActiveRatio},
    CounterName{"DCGM_FI_PROF_PIPE_FP64_ACTIVE", DeviceCounter::kFp64ActiveRatio},
    CounterName{"dcgm_prof_pipe_fp64_active", DeviceCounter::kFp64ActiveRatio},
    CounterName{"DCGM_FI_PROF_PIPE_FP32_ACTIVE", DeviceCounter::kFp32ActiveRatio},
    CounterName{"dcgm_prof_pipe_fp32_active", DeviceCounter::kFp32ActiveRatio},
    CounterName{"DCGM_FI_PROF_PIPE_FP16_ACTIVE", DeviceCounter::kFp16ActiveRatio},
    CounterName{"dcgm_prof_pipe_fp16_active", DeviceCounter::kFp16ActiveRatio},
    CounterName{"DCGM_FI_PROF_DRAM_ACTIVE", DeviceCounter::kDramActiveRatio},
    CounterName{"DCGM_FI_PROF_DRAM_UTIL_RATIO", DeviceCounter::kDramActiveRatio},
    CounterName{"dcgm_fi_prof_dram_active", DeviceCounter::kDramActiveRatio},
    CounterName{"dcgm_prof_dram_active", DeviceCounter::kDramActiveRatio},
    CounterName{"DCGM_FI_PROF_PCIE_RX_BYTES", DeviceCounter::kPcieReceivedBytesPerS},
    CounterName{"dcgm_fi_prof_pcie_rx_bytes", DeviceCounter::kPcieReceivedBytesPerS},
    CounterName{"DCGM_FI_PROF_PCIE_TX_BYTES", DeviceCounter::kPcieSentBytesPerS},
    CounterName{"dcgm_fi_prof_pcie_tx_bytes", DeviceCounter::kPcieSentBytesPerS},
    CounterName{"DCGM_FI_PROF_NVLINK_RX_BYTES", DeviceCounter::kNvlinkReceivedBytesPerS},
    CounterName{"dcgm_prof_nvlink_rx_bytes", DeviceCounter::kNvlinkReceivedBytesPerS},
    CounterName{"DCGM_FI_PROF_NVLINK_TX_BYTES", DeviceCounter::kNvlinkSentBytesPerS},
    CounterName{"dcgm_prof_nvlink_tx_bytes", DeviceCounter::kNvlinkSentBytesPerS},
    CounterName{"DCGM_FI_DEV_GPU_UTIL", DeviceCounter::kGpuUtilizationPercent},
    CounterName{"dcgm_gpu_utilization", DeviceCounter::kGpuUtilizationPercent},
    CounterName{"DCGM_FI_DEV_POWER_USAGE", DeviceCounter::kPowerW},
    CounterName{"DCGM_FI_DEV_BOARD_POWER_WATTS", DeviceCounter::kPowerW},
    CounterName{"dcgm_power_usage", DeviceCounter::kPowerW},
    CounterName{"DCGM_FI_DEV_POWER_MGMT_LIMIT", DeviceCounter::kPowerLimitW},
    CounterName{"DCGM_FI_DEV_ENFORCED_POWER_LIMIT", DeviceCounter::kPowerLimitW},
    CounterName{"DCGM_FI_DEV_BOARD_POWER_LIMIT_ENFORCED_WATTS", DeviceCounter::kPowerLimitW},
    CounterName{"DCGM_FI_DEV_BOARD_POWER_LIMIT_REQUESTED_WATTS", DeviceCounter::kPowerLimitW},
    CounterName{"dcgm_power_management_limit", DeviceCounter::kPowerLimitW},
    CounterName{"DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", DeviceCounter::kEnergyMj},
    CounterName{"dcgm_total_energy_consumption", DeviceCounter::kEnergyMj},
    CounterName{"DCGM_FI_DEV_SM_CLOCK", DeviceCounter::kSmClockMhz},
    CounterName{"dcgm_sm_clock", DeviceCounter::kSmClockMhz},
    CounterName{"DCGM_FI_DEV_GPU_TEMP", DeviceCounter::kGpuTemperatureC},
    CounterName{"DCGM_FI_DEV_GPU_TEMP_CELSIUS", DeviceCounter::kGpuTemperatureC},
    CounterName{"dcgm_gpu_temp", DeviceCounter::kGpuTemperatureC},
    CounterName{"DCGM_FI_DEV_MEMORY_TEMP", DeviceCounter::kMemoryTemperatureC},
    CounterName{"DCGM_FI_DEV_MEMORY_TEMP_CELSIUS", DeviceCounter::kMemoryTemperatureC},
    CounterName{"dcgm_memory_temp", DeviceCounter::kMemoryTemperatureC},
    CounterName{"dcgm_mem_temp", DeviceCounter::kMemoryTemperatureC},
    CounterName{"DCGM_FI_DEV_GPU_TEMP_LIMIT", DeviceCounter::kThermalMarginC},
    CounterName{"DCGM_FI_DEV_FB_USED", DeviceCounter::kMemoryUsedMib},
    CounterName{"dcgm_fb_used", DeviceCounter::kMemoryUsedMib},
    CounterName{"dcgm_frame_buffer_used", DeviceCounter::kMemoryUsedMib},
    CounterName{"DCGM_FI_DEV_FB_FREE", DeviceCounter::kMemoryFreeMib},
    CounterName{"dcgm_fb_free", DeviceCounter::kMemoryFreeMib},
    CounterName{"dcgm_frame_buffer_free", DeviceCounter::kMemoryFreeMib},
    CounterName{"DCGM_FI_DEV_CLOCK_THROTTLE_REASONS", DeviceCounter::kThrottleReasons},
    CounterName{"DCGM_FI_DEV_CLOCKS_EVENT_REASONS", DeviceCounter::kThrottleReasons},
    CounterName{"DCGM_FI_DEV_POWER_VIOLATION", DeviceCounter::kPowerViolationNs},
    CounterName{"dcgm_power_violation", DeviceCounter::kPowerViolationNs},
    CounterName{"DCGM_FI_DEV_THERMAL_VIOLATION", DeviceCounter::kThermalViolationNs},
    CounterName{"dcgm_thermal_violation", DeviceCounter::kThermalViolationNs},
    CounterName{"DCGM_FI_DEV_ECC_SBE_VOL_TOTAL", DeviceCounter::kEccSingleBitErrors},
    CounterName{"dcgm_ecc_sbe_volatile_total", DeviceCounter::kEccSingleBitErrors},
    CounterName{"DCGM_FI_DEV_ECC_DBE_VOL_TOTAL", DeviceCounter::kEccDoubleBitErrors},
    CounterName{"dcgm_ecc_dbe_volatile_total", DeviceCounter::kEccDoubleBitErrors},
    CounterName{"DCGM_FI_DEV_CORRECTABLE_REMAPPED_ROWS", DeviceCounter::kCorrectableRemaps},
    CounterName{"DCGM_FI_DEV_ROW_REMAP_CORRECTABLE_TOTAL", DeviceCounter::kCorrectableRemaps},
    CounterName{"dcgm_correctable_remapped_rows", DeviceCounter::kCorrectableRemaps},
    CounterName{"DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS", DeviceCounter::kUncorrectableRemaps},
    CounterName{"DCGM_FI_DEV_ROW_REMAP_UNCORRECTABLE_TOTAL", DeviceCounter::kUncorrectableRemaps},
    CounterName{"dcgm_uncorrectable_remapped_rows", DeviceCounter::kUncorrectableRemaps},
    CounterName{"DCGM_FI_DEV_ROW_REMAP_FAILURE", DeviceCounter::kRowRemapFailure},
    CounterName{"DCGM_FI_DEV_ROW_REMAP_FAILED", DeviceCounter::kRowRemapFailure},
    CounterName{"dcgm_row_remap_failure", DeviceCounter::kRowRemapFailure},
    CounterName{"DCGM_FI_DEV_XID_ERRORS", DeviceCounter::kXid},
    CounterName{"DCGM_FI_DEV_XID_ERROR", DeviceCounter::kXid},
    CounterName{"dcgm_xid_errors", DeviceCounter::kXid},
    CounterName{"DCGM_FI_DEV_PCIE_REPLAY_COUNTER", DeviceCounter::kPcieReplays},
    CounterName{"DCGM_FI_DEV_PCIE_REPLAY_TOTAL", DeviceCounter::kPcieReplays},
    CounterName{"dcgm_pcie_replay_counter", DeviceCounter::kPcieReplays},
    CounterName{"DCGM_FI_DEV_NVLINK_CRC_DATA_ERROR_COUNT_TOTAL", DeviceCounter::kNvlinkErrors},
    CounterName{"DCGM_FI_DEV_NVLINK_CRC_DATA_ERROR_TOTAL", DeviceCounter::kNvlinkErrors},
    CounterName{"dcgm_nvlink_data_crc_error_count_total", DeviceCounter::kNvlinkErrors},
    CounterName{"DCGM_FI_DEV_NVLINK_REPLAY_ERROR_COUNT_TOTAL", DeviceCounter::kNvlinkReplays},
    CounterName{"DCGM_FI_DEV_NVLINK_REPLAY_ERROR_TOTAL", DeviceCounter::kNvlinkReplays},
    CounterName{"dcgm_nvlink_replay_error_count_total", DeviceCounter::kNvlinkReplays},
    CounterName{"DCGM_FI_DEV_NVLINK_RECOVERY_ERROR_COUNT_TOTAL", DeviceCounter::kNvlinkRecoveries},
    CounterName{"DCGM_FI_DEV_NVLINK_RECOVERY_ERROR_TOTAL", DeviceCounter::kNvlinkRecoveries},
    CounterName{"dcgm_nvlink_recovery_error_count_total", DeviceCounter::kNvlinkRecoveries},
};

}  // namespace

std::optional<DeviceCounter> DeviceCounterOf(std::string_view metric) {
  const auto* entry = std::find_if(kCounterNames.begin(), kCounterNames.end(),
                                   [&](const CounterName& name) { return name.metric == metric; });
  if (entry == kCounterNames.end()) return std::nullopt;
  return entry->counter;
}

std::string_view DcgmName(DeviceCounter counter) {
  const auto* entry =
      std::find_if(kCounterNames.begin(), kCounterNames.end(),
                   [&](const CounterName& name) { return name.counter == counter; });
  return entry == kCounterNames.end() ? std::string_view() : entry->metric;
}

GpuCounters CountersIn(const GpuCounters& device, const TimeRange& time) {
  GpuCounters part;
  part.model = device.model;
  for (size_t i = 0; i < device.series.size(); ++i) {
    const CounterSeries& series = device.series[i];
    const auto& at = series.timestamp_ms;
    const auto first = std::lower_bound(at.begin(), at.end(), time.from_ms) - at.begin();
    const auto end = std::upper_bound(at.begin(), at.end(), time.to_ms) - at.begin();
    part.series[i].timestamp_ms.assign(at.begin() + first, at.begin() + end);
    part.series[i].value.assign(series.value.begin() + first, series.value.begin() + end);
  }
  return part;
}

int64_t SamplePeriodMs(const CounterSeries& series) {
  std::vector<double> distances;
  for (size_t i = 1; i < series.timestamp_ms.size(); ++i) {
    distances.push_back(static_cast<double>(series.timestamp_ms[i] - series.timestamp_ms[i - 1]));
  }
  return distances.empty() ? 0 : std::llround(Median(distances));
}

double MeanIn(const CounterSeries& series, const TimeRange& range) {
  const auto begin = series.timestamp_ms.begin();
  const auto first = std::upper_bound(begin, series.timestamp_ms.end(), range.from_ms);
  double sum = 0;
  size_t count = 0;
  for (auto at = first; at != series.timestamp_ms.end() && *at <= range.to_ms; ++at) {
    // The time that a sample covers begins at the one before it.
    if (at != begin && *(at - 1) < range.from_ms) continue;
    const double value = series.value[static_cast<size_t>(at - begin)];
    if (std::isnan(value)) continue;
    sum += value;
    ++count;
  }
  return count == 0 ? kUnknown : sum / static_cast<double>(count);
}

double IncreaseIn(const CounterSeries& series, const TimeRange& range) {
  double increase = 0;
  double before = kUnknown;
  size_t count = 0;
  for (size_t i = 0; i < series.timestamp_ms.size(); ++i) {
    const double value = series.value[i];
    if (series.timestamp_ms[i] < range.from_ms || series.timestamp_ms[i] > range.to_ms) continue;
    if (std::isnan(value)) continue;
    if (value > before) increase += value - before;
    before = value;
    ++count;
  }
  return count < 2 ? kUnknown : increase;
}

}  // namespace lockstep::training
