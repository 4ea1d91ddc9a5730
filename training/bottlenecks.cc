#include "training/bottlenecks.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <utility>

#include "training/device_health.h"
#include "training/gpu_catalogue.h"
#include "training/pauses.h"
#include "training/statistics.h"

namespace lockstep::training {
namespace {

constexpr int64_t kShortestWindowMs = 5000;
constexpr int64_t kStepsPerWindow = 10;
constexpr int64_t kSamplesPerWindow = 2;
// Shorter rests are part of how a job works: between two batches, say.
constexpr int64_t kShortestPauseMs = 3000;
constexpr int64_t kStepsPerPause = 3;

// From steps: shares of the rank that is least affected, so that waiting for another rank does not count.
constexpr double kInputShare = 0.3;
constexpr double kCommunicationShare = 0.5;

constexpr double kNearlyFull = 0.95;
constexpr double kAtPowerLimit = 0.97;
constexpr double kHotMarginC = 5.0;
constexpr double kHotC = 85.0;
constexpr double kWorkingSm = 0.5;
constexpr double kLowOccupancy = 0.20;
constexpr double kNoTensor = 0.01;
constexpr double kFewTensor = 0.15;
constexpr double kComputingSm = 0.3;

constexpr std::array kNeeded = {DeviceCounter::kGraphicsEngineActiveRatio,
                                DeviceCounter::kSmActiveRatio, DeviceCounter::kTensorActiveRatio,
                                DeviceCounter::kDramActiveRatio,
                                DeviceCounter::kNvlinkReceivedBytesPerS};

double OneWayLink(const GpuCounters& device) {
  const GpuMatch match = FindGpu(device.model);
  if (match.model == nullptr || !(match.model->link_bytes_per_s > 0)) return kUnknown;
  return match.model->link_bytes_per_s / 2;
}

// `link_bytes_per_s` is OneWayLink's: to find a model by its name takes longer than all of the rest.
DeviceWindow WindowOf(const GpuCounters& device, const TimeRange& time, double link_bytes_per_s) {
  return {.engine = MeanIn(device[DeviceCounter::kGraphicsEngineActiveRatio], time),
          .sm = MeanIn(device[DeviceCounter::kSmActiveRatio], time),
          .occupancy = MeanIn(device[DeviceCounter::kSmOccupancyRatio], time),
          .tensor = MeanIn(device[DeviceCounter::kTensorActiveRatio], time),
          .dram = MeanIn(device[DeviceCounter::kDramActiveRatio], time),
          .nvlink_received = MeanIn(device[DeviceCounter::kNvlinkReceivedBytesPerS], time),
          .pcie_received = MeanIn(device[DeviceCounter::kPcieReceivedBytesPerS], time),
          .link_bytes_per_s = link_bytes_per_s};
}

// Means of a device in each window. Where a pause begins or ends in a window, they are of the longer part of it: a mean
// over both would look like a loader that is half as fast as the device.
std::vector<DeviceWindow> MeansOf(const GpuCounters& device, int64_t step_ms,
                                  const std::vector<ClassifiedWindow>& windows) {
  const CounterSeries& engine = device[DeviceCounter::kGraphicsEngineActiveRatio];
  const int64_t period_ms = SamplePeriodMs(engine);
  const std::vector<TimeRange> pauses =
      PausesOf(engine, std::max(kShortestPauseMs, kStepsPerPause * step_ms));
  const double link = OneWayLink(device);
  std::vector<DeviceWindow> means;
  for (const ClassifiedWindow& window : windows) {
    means.push_back(WindowOf(device, MainPart(window.time, pauses, period_ms), link));
  }
  return means;
}

int64_t StepMs(const StepTable& steps) {
  const double step_seconds = Median(JobStepSeconds(steps));
  return std::isnan(step_seconds) ? 0 : std::llround(1000 * step_seconds);
}

// Windows of equal length over all samples of the job.
std::vector<TimeRange> WindowsOf(const BottleneckInput& input, int64_t step_ms) {
  int64_t first_ms = 0;
  int64_t last_ms = 0;
  int64_t period_ms = 0;
  for (const GpuCounters& device : input.devices) {
    const CounterSeries& engine = device[DeviceCounter::kGraphicsEngineActiveRatio];
    if (engine.empty()) continue;
    const int64_t first = engine.timestamp_ms.front();
    first_ms = first_ms == 0 ? first : std::min(first_ms, first);
    last_ms = std::max(last_ms, engine.timestamp_ms.back());
    period_ms = std::max(period_ms, SamplePeriodMs(engine));
  }
  first_ms -= period_ms;
  if (input.job.begin_ms > 0) first_ms = std::max(first_ms, input.job.begin_ms + kDeviceWarmUpMs);
  // A sample more than wanted: the first of a window covers time before it.
  const int64_t width_ms =
      std::max({kShortestWindowMs, kStepsPerWindow * step_ms, (kSamplesPerWindow + 1) * period_ms});
  std::vector<TimeRange> windows;
  for (int64_t at = first_ms; at + width_ms <= last_ms; at += width_ms) {
    windows.push_back({at, at + width_ms});
  }
  return windows;
}

std::vector<BottleneckFlag> FlagsOf(const GpuCounters& device, const DeviceWindow& mean,
                                    const TimeRange& time) {
  std::vector<BottleneckFlag> flags;
  const auto flag_if = [&flags](bool holds, BottleneckFlag flag) {
    if (holds) flags.push_back(flag);
  };
  const DeviceHealth health = HealthIn(device, time);
  const double used = MeanIn(device[DeviceCounter::kMemoryUsedMib], time);
  const double free = MeanIn(device[DeviceCounter::kMemoryFreeMib], time);
  const double margin = MeanIn(device[DeviceCounter::kThermalMarginC], time);
  const double power = MeanIn(device[DeviceCounter::kPowerW], time);
  flag_if(health.is_unhealthy, BottleneckFlag::kUnhealthy);
  flag_if(health.is_throttled_by_heat, BottleneckFlag::kThrottled);
  flag_if(health.is_power_braked, BottleneckFlag::kPowerBraked);
  flag_if(power >= kAtPowerLimit * MeanIn(device[DeviceCounter::kPowerLimitW], time),
          BottleneckFlag::kPowerCapped);
  flag_if(std::isnan(margin) ? MeanIn(device[DeviceCounter::kGpuTemperatureC], time) >= kHotC
                             : margin <= kHotMarginC,
          BottleneckFlag::kHot);
  flag_if(used / (used + free) > kNearlyFull, BottleneckFlag::kMemoryNearlyFull);
  flag_if(mean.sm >= kWorkingSm && mean.occupancy < kLowOccupancy, BottleneckFlag::kLowOccupancy);
  flag_if(mean.sm >= kComputingSm && mean.tensor < kNoTensor, BottleneckFlag::kNoTensorCores);
  flag_if(mean.sm >= kComputingSm && mean.tensor >= kNoTensor && mean.tensor < kFewTensor,
          BottleneckFlag::kFewTensorCores);
  return flags;
}

void AddMean(const std::vector<DeviceWindow>& windows, double DeviceWindow::*member,
             std::string_view signal, std::string_view unit, std::vector<Evidence>& evidence) {
  std::vector<double> values;
  for (const DeviceWindow& window : windows) values.push_back(window.*member);
  const double mean = Mean(values);
  if (std::isnan(mean)) return;
  evidence.push_back({.signal = std::string(signal),
                      .value = mean,
                      .unit = std::string(unit),
                      .words = "mean over the windows of this class"});
}

void SetEvidence(const std::vector<DeviceWindow>& windows, GpuBottleneck& gpu) {
  AddMean(windows, &DeviceWindow::engine, "DCGM_FI_PROF_GR_ENGINE_ACTIVE", "ratio", gpu.evidence);
  AddMean(windows, &DeviceWindow::sm, "DCGM_FI_PROF_SM_ACTIVE", "ratio", gpu.evidence);
  AddMean(windows, &DeviceWindow::occupancy, "DCGM_FI_PROF_SM_OCCUPANCY", "ratio", gpu.evidence);
  AddMean(windows, &DeviceWindow::tensor, "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", "ratio", gpu.evidence);
  AddMean(windows, &DeviceWindow::dram, "DCGM_FI_PROF_DRAM_ACTIVE", "ratio", gpu.evidence);
  AddMean(windows, &DeviceWindow::nvlink_received, "DCGM_FI_PROF_NVLINK_RX_BYTES", "bytes/s",
          gpu.evidence);
  AddMean(windows, &DeviceWindow::pcie_received, "DCGM_FI_PROF_PCIE_RX_BYTES", "bytes/s",
          gpu.evidence);
}

template <size_t kCount>
BottleneckClass MostOf(const std::array<size_t, kCount>& counts) {
  // What is not known wins only where nothing else is; of equals work, which stands behind rest and waiting.
  const auto unknown = std::next(counts.rbegin());
  const auto most = std::max_element(unknown, counts.rend());
  return *most == 0 ? BottleneckClass::kUnknown
                    : static_cast<BottleneckClass>(counts.rend() - most - 1);
}

// `means` are the device's in each of the windows.
GpuBottleneck BottleneckOf(const GpuCounters& device, size_t row,
                           const std::vector<ClassifiedWindow>& windows,
                           const std::vector<DeviceWindow>& means) {
  GpuBottleneck gpu{.row = row, .flags = {}, .evidence = {}};
  std::array<size_t, kBottleneckClassCount> counts = {};
  for (const ClassifiedWindow& window : windows) {
    ++counts[static_cast<size_t>(window.gpus[row].bottleneck)];
  }
  gpu.bottleneck = MostOf(counts);
  std::vector<DeviceWindow> typical;
  for (size_t i = 0; i < windows.size(); ++i) {
    if (windows[i].gpus[row].bottleneck != gpu.bottleneck) continue;
    typical.push_back(means[i]);
    const double margin = windows[i].gpus[row].margin;
    if (!(gpu.least_margin <= margin)) gpu.least_margin = margin;
  }
  for (size_t i = 0; i < kBottleneckClassCount && !windows.empty(); ++i) {
    gpu.share[i] = static_cast<double>(counts[i]) / static_cast<double>(windows.size());
  }
  SetEvidence(typical, gpu);
  if (!windows.empty()) {
    const TimeRange whole = {windows.front().time.from_ms, windows.back().time.to_ms};
    gpu.flags = FlagsOf(device, WindowOf(device, whole, kUnknown), whole);
  }
  return gpu;
}

// The least over ranks of the median share that `kinds` take of the step.
double LeastShare(const StepTable& table, std::initializer_list<PhaseKind> kinds) {
  const RankMatrix seconds = SumOfPhases(table, kinds);
  double least = kUnknown;
  for (size_t row = 0; row < seconds.rows() && !table.step_seconds.empty(); ++row) {
    std::vector<double> share(seconds.columns());
    for (size_t n = 0; n < share.size(); ++n) {
      share[n] = seconds(row, n) / table.step_seconds(row, n);
    }
    const double median = Median(share);
    if (!(least <= median)) least = median;
  }
  return least;
}

// What steps alone tell; unknown where they do not.
BottleneckClass FromSteps(const StepTable& table, std::vector<Evidence>& evidence) {
  const double input = LeastShare(table, {PhaseKind::kData, PhaseKind::kHostToDevice});
  const double communication = LeastShare(table, {PhaseKind::kCommunication});
  const auto add = [&evidence](std::string_view signal, double value, double threshold) {
    if (std::isnan(value)) return;
    evidence.push_back({.signal = std::string(signal),
                        .value = value,
                        .reference = threshold,
                        .unit = "share of the step",
                        .words = "of the rank with the least of it, median over steps"});
  };
  add("input_share", input, kInputShare);
  add("communication_share", communication, kCommunicationShare);
  if (input > kInputShare) return BottleneckClass::kInputBound;
  if (communication > kCommunicationShare) return BottleneckClass::kCommunicationBound;
  return BottleneckClass::kUnknown;
}

BottleneckClass MostGpus(const std::vector<GpuBottleneck>& gpus) {
  std::array<size_t, kBottleneckClassCount> counts = {};
  for (const GpuBottleneck& gpu : gpus) ++counts[static_cast<size_t>(gpu.bottleneck)];
  return MostOf(counts);
}

}  // namespace

BottleneckAnswer FindBottlenecks(const BottleneckInput& input) {
  BottleneckAnswer answer;
  const int64_t step_ms = StepMs(input.steps);
  for (const TimeRange& time : WindowsOf(input, step_ms)) answer.windows.push_back({time, {}});
  std::vector<std::vector<DeviceWindow>> means;  // by row
  for (const GpuCounters& device : input.devices) {
    means.push_back(MeansOf(device, step_ms, answer.windows));
    for (size_t i = 0; i < answer.windows.size(); ++i) {
      answer.windows[i].gpus.push_back(Classify(means.back()[i]));
    }
  }
  for (size_t row = 0; row < input.devices.size(); ++row) {
    answer.gpus.push_back(BottleneckOf(input.devices[row], row, answer.windows, means[row]));
  }
  for (const DeviceCounter counter : kNeeded) {
    const bool is_there =
        std::any_of(input.devices.begin(), input.devices.end(),
                    [counter](const GpuCounters& device) { return !device[counter].empty(); });
    if (!is_there) answer.missing.emplace_back(DcgmName(counter));
  }
  const BottleneckClass from_steps = FromSteps(input.steps, answer.evidence);
  answer.verdict = from_steps != BottleneckClass::kUnknown ? from_steps : MostGpus(answer.gpus);
  return answer;
}

}  // namespace lockstep::training
