// Series like those of a training fleet: GPUs in jobs, a fixed number of metrics each. Pure
// functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/str_format.h"
#include "model/labels.h"

namespace lockstep {

inline constexpr size_t kMetricsPerTarget = 31;
inline constexpr size_t kTargetsPerJob = 64;

inline std::string MetricName(size_t metric) {
  return absl::StrFormat("DCGM_FI_DEV_COUNTER_%02d", metric);
}
inline std::string JobName(size_t gpu) {
  return absl::StrFormat("pretrain-%04d", gpu / kTargetsPerJob);
}
inline std::string Uuid(size_t gpu) {
  // Not random, but without a pattern shared by neighbours, like the hex digits of a real UUID.
  const uint64_t scattered = (gpu + 1) * 0x9E3779B97F4A7C15u;
  return absl::StrFormat("GPU-%08x-%04x-%04x-%012x", scattered >> 32, (scattered >> 16) & 0xFFFF,
                         scattered & 0xFFFF, (scattered * 31) & 0xFFFFFFFFFFFFu);
}

inline LabelSet LabelsOfGpu(size_t gpu, size_t metric) {
  const std::string name = MetricName(metric);
  const std::string host = absl::StrFormat("node-%05d", gpu / 8);
  const std::string instance = host + ":9400";
  const std::string index = std::to_string(gpu % 8);
  const std::string device = "nvidia" + index;
  const std::string job = JobName(gpu);
  const std::string rank = std::to_string(gpu % kTargetsPerJob);
  const std::string uuid = Uuid(gpu);
  return LabelSet::Of({{kMetricName, name},
                       {"DCGM_FI_DRIVER_VERSION", "550.127.05"},
                       {"Hostname", host},
                       {"UUID", uuid},
                       {"device", device},
                       {"gpu", index},
                       {"instance", instance},
                       {"job", job},
                       {"modelName", "NVIDIA H200"},
                       {"rank", rank}});
}

}  // namespace lockstep
