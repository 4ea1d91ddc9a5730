#include "bench/replay/fleet.h"

#include <string>
#include <utility>

#include "absl/strings/str_format.h"
#include "base/check.h"

namespace lockstep::replay {
namespace {

constexpr size_t kGpusPerHost = 8;
constexpr size_t kGpusPerJob = 64;
// A prime far from the recording's length: neighbours play moments far apart.
constexpr size_t kPhaseStep = 97;

LabelSet LabelsOf(size_t gpu, std::string_view metric) {
  const size_t host = gpu / kGpusPerHost;
  const size_t index = gpu % kGpusPerHost;
  // Not random, but without a pattern that neighbours share, like the hexadecimal of a real UUID.
  const uint64_t scattered = (gpu + 1) * 0x9E3779B97F4A7C15u;
  const std::string uuid =
      absl::StrFormat("GPU-%08x-%04x-%04x-%04x-%012x", scattered >> 32, (scattered >> 16) & 0xFFFF,
                      scattered & 0xFFFF, gpu & 0xFFFF, (scattered * 31) & 0xFFFFFFFFFFFFu);
  const std::string host_name = absl::StrFormat("node-%05d", host);
  const std::string instance = absl::StrFormat("node-%05d:9400", host);
  const std::string job = absl::StrFormat("pretrain-%04d", gpu / kGpusPerJob);
  const std::string device = absl::StrFormat("nvidia%d", index);
  const std::string gpu_name = absl::StrFormat("%d", index);
  const std::string rank = absl::StrFormat("%d", gpu % kGpusPerJob);
  return LabelSet::Of({{kMetricName, metric},
                       {"Hostname", host_name},
                       {"UUID", uuid},
                       {"device", device},
                       {"gpu", gpu_name},
                       {"instance", instance},
                       {"job", job},
                       {"modelName", "NVIDIA H200"},
                       {"rank", rank}});
}

}  // namespace

Fleet::Fleet(std::vector<RecordedGpu> recording, FleetOptions options)
    : recording_(std::move(recording)),
      options_(options),
      metric_count_(recording_.front().metrics.size()) {
  labels_.reserve(options_.gpu_count * metric_count_);
  for (size_t gpu = 0; gpu < options_.gpu_count; ++gpu) {
    const RecordedGpu& played = recording_[gpu % recording_.size()];
    LOCKSTEP_CHECK(played.metrics.size() == metric_count_);
    for (const RecordedMetric& metric : played.metrics) {
      labels_.push_back(LabelsOf(gpu, metric.name));
    }
  }
}

size_t Fleet::host_of(size_t series) const { return gpu_of(series) / kGpusPerHost; }

Sample Fleet::At(size_t series, size_t point) const {
  const size_t gpu = gpu_of(series);
  const RecordedMetric& metric =
      recording_[gpu % recording_.size()].metrics[series % metric_count_];
  const size_t length = metric.values.size();
  const size_t moment = gpu * kPhaseStep + point;
  double value = metric.values[moment % length];
  if (metric.is_cumulative) {
    // Past its end a counter goes on from where it was.
    const double whole = metric.values.back() - metric.values.front();
    const size_t rounds = moment / length;
    value += whole * static_cast<double>(rounds);
  }
  const int64_t offset_ms = static_cast<int64_t>(host_of(series) * 7919) % options_.interval_ms;
  return {options_.start_ms + static_cast<int64_t>(point) * options_.interval_ms + offset_ms,
          value};
}

}  // namespace lockstep::replay
