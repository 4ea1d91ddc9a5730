#include "bench/replay/fleet.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_format.h"
#include "base/check.h"

namespace lockstep::replay {
namespace {

constexpr size_t kGpusPerHost = 8;
constexpr size_t kGpusPerJob = 64;
// A prime far from the recording's length, so that neighbours play moments far apart.
constexpr size_t kPhaseStep = 97;

size_t ShortestLength(const std::vector<RecordedGpu>& recording) {
  size_t shortest = SIZE_MAX;
  for (const RecordedGpu& gpu : recording) {
    shortest = std::min(shortest, gpu.metrics.front().values.size());
  }
  return shortest;
}

}  // namespace

Fleet::Fleet(std::vector<RecordedGpu> recording, FleetOptions options)
    : recording_(std::move(recording)),
      options_(options),
      metric_count_(recording_.front().metrics.size()),
      point_count_(ShortestLength(recording_)) {
  for (const RecordedGpu& gpu : recording_) LOCKSTEP_CHECK(gpu.metrics.size() == metric_count_);
}

size_t Fleet::host_of(size_t series) const { return gpu_of(series) / kGpusPerHost; }

uint32_t Fleet::GenerationAt(size_t series, size_t point) const {
  if (options_.churn_every == 0) return 0;
  return static_cast<uint32_t>((point / options_.churn_every + host_of(series) % kChurnShare) /
                               kChurnShare);
}

uint64_t Fleet::TotalSeriesCount(size_t point_count) const {
  uint64_t total = 0;
  for (size_t series = 0; point_count > 0 && series < series_count(); ++series) {
    total += GenerationAt(series, point_count - 1) + 1;
  }
  return total;
}

LabelSet Fleet::Labels(size_t series, uint32_t generation) const {
  const size_t gpu = gpu_of(series);
  const size_t host = gpu / kGpusPerHost;
  const size_t index = gpu % kGpusPerHost;
  // Not random, but without a pattern shared by neighbours, like the hex digits of a real UUID.
  const uint64_t scattered =
      (gpu + 1 + (static_cast<uint64_t>(generation) << 32)) * 0x9E3779B97F4A7C15u;
  const std::string uuid = absl::StrFormat(
      "GPU-%08x-%04x-%04x-%04x-%012x", scattered >> 32, (scattered >> 16) & 0xFFFF,
      scattered & 0xFFFF, (gpu + generation) & 0xFFFF, (scattered * 31) & 0xFFFFFFFFFFFFu);
  const std::string host_name = absl::StrFormat("node-%05d", host);
  const std::string instance = absl::StrFormat("node-%05d:9400", host);
  const std::string job = absl::StrFormat("pretrain-%04d", gpu / kGpusPerJob);
  // One pod has all GPUs of a host.
  const uint64_t pod_id =
      (host + 1 + (static_cast<uint64_t>(generation) << 32)) * 0xD6E8FEB8669FD93u;
  const std::string pod =
      absl::StrFormat("%s-worker-%d-%05x", job, host % (kGpusPerJob / kGpusPerHost), pod_id >> 44);
  const std::string device = absl::StrFormat("nvidia%d", index);
  const std::string gpu_name = absl::StrFormat("%d", index);
  const std::string rank = absl::StrFormat("%d", gpu % kGpusPerJob);
  return LabelSet::Of({{kMetricName, Played(gpu, series % metric_count_).name},
                       {"Hostname", host_name},
                       {"UUID", uuid},
                       {"device", device},
                       {"gpu", gpu_name},
                       {"instance", instance},
                       {"job", job},
                       {"modelName", "NVIDIA H200"},
                       {"pod", pod},
                       {"rank", rank}});
}

double Fleet::Growth(size_t gpu, size_t metric, size_t rounds) const {
  double growth = 0;
  for (size_t i = 0; i < std::min(rounds, recording_.size()); ++i) {
    const std::vector<double>& values = Played(gpu + i, metric).values;
    const size_t times = (rounds - i - 1) / recording_.size() + 1;
    growth += (values[point_count_ - 1] - values.front()) * static_cast<double>(times);
  }
  return growth;
}

Sample Fleet::At(size_t series, size_t point) const {
  const size_t gpu = gpu_of(series);
  const size_t metric = series % metric_count_;
  const size_t moment = gpu * kPhaseStep + point;
  const size_t round = moment / point_count_;
  const RecordedMetric& played = Played(gpu + round, metric);
  double value = played.values[moment % point_count_];
  if (played.is_cumulative) {
    // A counter continues from its value at the end of the previous recording.
    value +=
        Played(gpu, metric).values.front() - played.values.front() + Growth(gpu, metric, round);
  }
  const int64_t offset_ms = static_cast<int64_t>(host_of(series) * 7919) % options_.interval_ms;
  return {options_.start_ms + static_cast<int64_t>(point) * options_.interval_ms + offset_ms,
          value};
}

}  // namespace lockstep::replay
