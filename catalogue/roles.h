// Roles: what a number says, whoever wrote it. "DCGM_FI_PROF_SM_ACTIVE", "DCGM_FI_PROF_SM_UTIL_RATIO" and
// "dcgm_sm_active" are names of one role; catalogue/metric_names.h tells which name has which.
//
// Plain data and pure functions: any thread. Texts live for ever.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace lockstep::catalogue {

// Each is called as the metric that has it: kGpuPowerWatts is "gpu_power_watts".
enum class Role : uint8_t {
  kGpuGrEngineActiveRatio,
  kGpuSmActiveRatio,
  kGpuSmOccupancyRatio,
  kGpuTensorActiveRatio,
  kGpuTensorHmmaActiveRatio,
  kGpuTensorImmaActiveRatio,
  kGpuTensorDfmaActiveRatio,
  kGpuIntActiveRatio,
  kGpuFp64ActiveRatio,
  kGpuFp32ActiveRatio,
  kGpuFp16ActiveRatio,
  kGpuDramActiveRatio,
  kGpuPcieRxBytesPerSecond,
  kGpuPcieTxBytesPerSecond,
  kGpuPcieBytesPerSecond,
  kGpuNvlinkRxBytesPerSecond,
  kGpuNvlinkTxBytesPerSecond,
  kGpuNvlinkBytesPerSecond,
  kGpuUtilizationRatio,
  kGpuMemoryAccessRatio,
  kGpuEncoderUtilizationRatio,
  kGpuDecoderUtilizationRatio,
  kGpuPowerWatts,
  kGpuPowerLimitWatts,
  kGpuPowerOfLimitRatio,
  kGpuEnergyJoulesTotal,
  kGpuSmClockHertz,
  kGpuMemoryClockHertz,
  kGpuGraphicsClockHertz,
  kGpuVideoClockHertz,
  kGpuTemperatureCelsius,
  kGpuMemoryTemperatureCelsius,
  kGpuThermalMarginCelsius,
  kGpuSlowdownTemperatureCelsius,
  kGpuFanRatio,
  kGpuPerformanceState,
  kGpuMemoryUsedBytes,
  kGpuMemoryFreeBytes,
  kGpuMemoryReservedBytes,
  kGpuMemoryTotalBytes,
  kGpuMemoryUsedRatio,
  kGpuBar1UsedBytes,
  kGpuBar1FreeBytes,
  kGpuBar1TotalBytes,
  kGpuThrottleReasons,
  kGpuClockEvents,
  kGpuPowerViolationSecondsTotal,
  kGpuThermalViolationSecondsTotal,
  kGpuSyncBoostViolationSecondsTotal,
  kGpuBoardLimitViolationSecondsTotal,
  kGpuLowUtilizationViolationSecondsTotal,
  kGpuReliabilityViolationSecondsTotal,
  kGpuPowerCapSecondsTotal,
  kGpuSoftwareThermalSlowdownSecondsTotal,
  kGpuHardwareThermalSlowdownSecondsTotal,
  kGpuPowerBrakeSecondsTotal,
  kGpuXid,
  kGpuXidEvents,
  kGpuHealth,
  kGpuEccCorrectedTotal,
  kGpuEccUncorrectedTotal,
  kGpuEccCorrectedLifetimeTotal,
  kGpuEccUncorrectedLifetimeTotal,
  kGpuRetiredPagesCorrectedTotal,
  kGpuRetiredPagesUncorrectedTotal,
  kGpuRetiredPagesPending,
  kGpuRemappedRowsCorrectableTotal,
  kGpuRemappedRowsUncorrectableTotal,
  kGpuRowRemapFailure,
  kGpuRowRemapPending,
  kGpuPcieReplaysTotal,
  kGpuNvlinkCrcFlitErrorsTotal,
  kGpuNvlinkCrcDataErrorsTotal,
  kGpuNvlinkReplayErrorsTotal,
  kGpuNvlinkRecoveryErrorsTotal,
  kGpuTorchMemoryAllocatedBytes,
  kGpuTorchMemoryPeakBytes,
  kGpuTorchMemoryActivePeakBytes,
  kGpuTorchMemoryReservedBytes,
  kGpuTorchMemoryReservedPeakBytes,
  kGpuTorchAllocRetriesTotal,
  kGpuTorchOomsTotal,
  kTrainStep,
  kTrainStepTimeSeconds,
  kTrainPhaseSeconds,
  kTrainLoss,
  kTrainGradNorm,
  kTrainParamsNorm,
  kTrainLearningRate,
  kTrainLossScale,
  kTrainGradZeros,
  kTrainSkippedSteps,
  kTrainNanSteps,
  kTrainSkippedStepsTotal,
  kTrainSkippedSamplesTotal,
  kTrainSamplesTotal,
  kTrainTokens,
  kTrainTokensTotal,
  kTrainTokensPerSecond,
  kTrainTokensPerSecondPerGpu,
  kTrainSamplesPerSecond,
  kTrainSamplesPerSecondPerDevice,
  kTrainStepsPerSecond,
  kTrainGlobalBatchSize,
  kTrainMicroBatchSize,
  kTrainSequenceLength,
  kTrainWorldSize,
  kTrainModelFlops,
  kTrainFlopsPerSecondPerGpu,
  kTrainFlopsPerSecond,
  kTrainFlopsTotal,
  kTrainMfuRatio,
  kTrainPowerWatts,
  kTrainEnergyPerStepJoules,
  kValidationLoss,
  kValidationStepTimeSeconds,
  kNcclCollectiveSeconds,
  kNcclMessageBytes,
  kNcclAlgorithmBandwidthBytesPerSecond,
  kNcclBusBandwidthBytesPerSecond,
  kNcclP2pSeconds,
  kNcclP2pBandwidthBytesPerSecond,
  kStragglerGpuRelativeScore,
  kStragglerGpuIndividualScore,
  kNodeCpuRatio,
  kNodeLoad1,
  kNodeMemoryUsedBytes,
  kNodeMemoryAvailableBytes,
  kNodeMemoryTotalBytes,
  kNodeMemoryUsedRatio,
  kNodeDiskReadBytesTotal,
  kNodeDiskWrittenBytesTotal,
  kNodeFilesystemUsedBytes,
  kNodeFilesystemUsedRatio,
  kNodeNetworkReceiveBytesTotal,
  kNodeNetworkTransmitBytesTotal,
  kNodeNetworkReceiveDropsTotal,
  kNodeNetworkTransmitDropsTotal,
  kProcessResidentMemoryBytes,
  kNicReceiveBytesTotal,
  kNicTransmitBytesTotal,
  kNicReceivePacketsTotal,
  kNicTransmitPacketsTotal,
  kNicReceiveDropsTotal,
  kNicTransmitDiscardsTotal,
  kNicTransmitWaitTicksTotal,
  kNicSymbolErrorsTotal,
  kNicLinkDownedTotal,
  kNicLinkRecoveriesTotal,
  kNicOutOfSequenceTotal,
  kNicTimeoutsTotal,
  kNicCongestionNotificationsTotal,
  kNicEcnMarkedPacketsTotal,
  kNicRetransmitsTotal,
  kNicRateBytesPerSecond,
};
inline constexpr size_t kRoleCount = static_cast<size_t>(Role::kNicRateBytesPerSecond) + 1;

// What the number is of.
enum class RoleScope : uint8_t { kGpu, kRank, kHost, kNic };
std::string_view Name(RoleScope scope);

// Totals grow from when the device, the host or the job began, and start again with it.
enum class RoleKind : uint8_t { kGauge, kTotal };
std::string_view Name(RoleKind kind);

struct RoleInfo {
  Role role;
  std::string_view name;
  std::string_view unit;  // "B", "B/s", "W", "s", "ratio" (0 to 1)...; a base unit, never MiB or ms
  RoleScope scope;
  RoleKind kind;
  std::string_view help;
};

// In the order of Role.
std::span<const RoleInfo> AllRoles();
const RoleInfo& InfoOf(Role role);
std::optional<Role> RoleNamed(std::string_view name);

}  // namespace lockstep::catalogue
