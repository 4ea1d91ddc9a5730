#include "training/stragglers/stragglers.h"

namespace lockstep::training {

std::string_view Name(StragglerMethod method) {
  switch (method) {
    case StragglerMethod::kCollectiveWaits:
      return "collective_waits";
    case StragglerMethod::kPhaseTimes:
      return "phase_times";
    case StragglerMethod::kOwnTime:
      return "own_time";
    case StragglerMethod::kDeviceCounters:
      return "device_counters";
    case StragglerMethod::kStepTime:
      break;
  }
  return "step_time";
}

std::string_view Name(StragglerVerdict verdict) {
  switch (verdict) {
    case StragglerVerdict::kSlowRank:
      return "slow_rank";
    case StragglerVerdict::kUnevenWork:
      return "uneven_work";
    case StragglerVerdict::kStageImbalance:
      return "stage_imbalance";
    case StragglerVerdict::kJobSlowAll:
      return "job_slow_all";
    case StragglerVerdict::kNone:
      return "none";
    case StragglerVerdict::kUndersampled:
      return "undersampled";
    case StragglerVerdict::kNoData:
      break;
  }
  return "no_data";
}

std::string_view Name(StragglerCause cause) {
  switch (cause) {
    case StragglerCause::kLoader:
      return "loader";
    case StragglerCause::kHostToDevice:
      return "h2d";
    case StragglerCause::kGpu:
      return "gpu";
    case StragglerCause::kNetwork:
      return "network";
    case StragglerCause::kNode:
      return "node";
    case StragglerCause::kOther:
      return "other";
    case StragglerCause::kUnknown:
      break;
  }
  return "unknown";
}

std::string_view Name(GpuReason reason) {
  switch (reason) {
    case GpuReason::kMoreWork:
      return "more_work";
    case GpuReason::kThrottled:
      return "throttled";
    case GpuReason::kPowerCapped:
      return "power_capped";
    case GpuReason::kClocks:
      return "clocks";
    case GpuReason::kMemoryTemperature:
      return "memory_temperature";
    case GpuReason::kUnhealthy:
      return "unhealthy";
    case GpuReason::kUnknown:
      break;
  }
  return "unknown";
}

}  // namespace lockstep::training
