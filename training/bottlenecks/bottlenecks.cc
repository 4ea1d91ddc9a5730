#include "training/bottlenecks/bottlenecks.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include "catalogue/metric_names.h"
#include "training/bottlenecks/long_steps.h"
#include "training/bottlenecks/pauses.h"
#include "training/devices/device_health.h"
#include "training/devices/gpu_catalogue.h"
#include "training/matrix/statistics.h"

namespace lockstep::training {
namespace {

constexpr int64_t kShortestWindowMs = 5000;
constexpr int64_t kStepsPerWindow = 10;
constexpr int64_t kSamplesPerWindow = 2;
// Shorter idle times are normal, for example between two batches.
constexpr int64_t kShortestPauseMs = 3000;
constexpr int64_t kStepsPerPause = 3;

// Share of the step on the least affected rank, so that waiting for another rank does not count.
constexpr double kInputShare = 0.3;
constexpr double kCommunicationShare = 0.5;

// If steps show that the job waits for input, a device that is idle a fifth of the time confirms
// it.
constexpr double kBusyBesideInput = 0.8;

constexpr double kNearlyFull = 0.95;
constexpr double kAtPowerLimit = 0.97;
constexpr double kHotMarginC = 5.0;
constexpr double kHotC = 85.0;
constexpr double kWorkingSm = 0.5;
constexpr double kLowOccupancy = 0.20;
constexpr double kNoTensor = 0.01;
constexpr double kFewTensor = 0.15;
constexpr double kComputingSm = 0.3;

constexpr std::array kNeeded = {Role::kGpuGrEngineActiveRatio, Role::kGpuSmActiveRatio,
                                Role::kGpuTensorActiveRatio, Role::kGpuDramActiveRatio,
                                Role::kGpuNvlinkRxBytesPerSecond};

double OneWayLink(const GpuMatch& match) {
  if (match.model == nullptr || !(match.model->link_bytes_per_s > 0)) return kUnknown;
  return match.model->link_bytes_per_s / 2;
}

// Shared by all windows of a device: looking up a model by name takes longer than averaging a
// window.
struct DeviceFacts {
  double link_bytes_per_s = kUnknown;  // one way
  double power_limit_w = kUnknown;
  bool has_peers = true;
};

DeviceFacts FactsOf(const GpuCounters& device, bool has_peers) {
  const GpuMatch match = FindGpu(device.model);
  DeviceFacts facts{.link_bytes_per_s = OneWayLink(match),
                    .power_limit_w = Median(device[Role::kGpuPowerLimitWatts].value),
                    .has_peers = has_peers};
  if (std::isnan(facts.power_limit_w) && match.model != nullptr && !match.is_partition &&
      match.model->board_w > 0) {
    facts.power_limit_w = match.model->board_w;
  }
  return facts;
}

DeviceWindow WindowOf(const GpuCounters& device, const TimeRange& time, const DeviceFacts& facts) {
  DeviceWindow window = MeansIn(device, time);
  window.link_bytes_per_s = facts.link_bytes_per_s;
  window.power_share = MeanIn(device[Role::kGpuPowerWatts], time) / facts.power_limit_w;
  window.has_peers = facts.has_peers;
  return window;
}

// Returns the ranges sorted and without overlaps.
std::vector<TimeRange> Merged(std::vector<TimeRange> ranges) {
  std::sort(ranges.begin(), ranges.end(),
            [](const TimeRange& a, const TimeRange& b) { return a.min_ms < b.min_ms; });
  std::vector<TimeRange> merged;
  for (const TimeRange& range : ranges) {
    if (merged.empty() || range.min_ms > merged.back().max_ms) {
      merged.push_back(range);
    } else {
      merged.back().max_ms = std::max(merged.back().max_ms, range.max_ms);
    }
  }
  return merged;
}

// The part of each window to classify. If a pause or a long step begins or ends in a window, this
// is the longer part: a mean over both would look like a loader half as fast as the device.
std::vector<TimeRange> PartsOf(const GpuCounters& device, int64_t step_ms,
                               const std::vector<ClassifiedWindow>& windows,
                               std::span<const LongStep> long_steps) {
  const CounterSeries& engine = device[Role::kGpuGrEngineActiveRatio];
  const int64_t period_ms = SamplePeriodMs(engine);
  std::vector<TimeRange> pauses =
      PausesOf(engine, std::max(kShortestPauseMs, kStepsPerPause * step_ms));
  for (const LongStep& step : long_steps) pauses.push_back(step.time);
  pauses = Merged(std::move(pauses));
  std::vector<TimeRange> parts;
  for (const ClassifiedWindow& window : windows) {
    parts.push_back(MainPart(window.time, pauses, period_ms));
  }
  return parts;
}

// Whether steps run throughout `time`, as opposed to one that ends in it followed by a pause.
bool StepsFill(const StepTable& table, const TimeRange& time) {
  const std::vector<int64_t>& ends = table.end_ms;
  const auto first = std::upper_bound(ends.begin(), ends.end(), time.min_ms);
  const auto end = std::upper_bound(first, ends.end(), time.max_ms);
  if (first == end) return false;
  int64_t longest_ms = std::max(*first - time.min_ms, time.max_ms - *(end - 1));
  for (auto at = first + 1; at < end; ++at) longest_ms = std::max(longest_ms, *at - *(at - 1));
  return 2 * longest_ms < time.max_ms - time.min_ms;
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
    const CounterSeries& engine = device[Role::kGpuGrEngineActiveRatio];
    if (engine.empty()) continue;
    const int64_t first = engine.timestamp_ms.front();
    first_ms = first_ms == 0 ? first : std::min(first_ms, first);
    last_ms = std::max(last_ms, engine.timestamp_ms.back());
    period_ms = std::max(period_ms, SamplePeriodMs(engine));
  }
  first_ms -= period_ms;
  if (input.job.begin_ms > 0) first_ms = std::max(first_ms, input.job.begin_ms + kDeviceWarmUpMs);
  // One extra sample: the first of a window covers time before it.
  const int64_t width_ms =
      std::max({kShortestWindowMs, kStepsPerWindow * step_ms, (kSamplesPerWindow + 1) * period_ms});
  // In a short attempt, the first step tells just as well when it has warmed up.
  if (first_ms + width_ms > last_ms && input.steps.size() > 1) {
    first_ms = std::max(first_ms - kDeviceWarmUpMs, input.steps.end_ms.front());
  }
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
  const double used = MeanIn(device[Role::kGpuMemoryUsedBytes], time);
  const double free = MeanIn(device[Role::kGpuMemoryFreeBytes], time);
  const double margin = MeanIn(device[Role::kGpuThermalMarginCelsius], time);
  const double power = MeanIn(device[Role::kGpuPowerWatts], time);
  flag_if(health.is_unhealthy, BottleneckFlag::kUnhealthy);
  flag_if(health.is_throttled_by_heat, BottleneckFlag::kThrottled);
  flag_if(health.is_power_braked, BottleneckFlag::kPowerBraked);
  flag_if(power >= kAtPowerLimit * MeanIn(device[Role::kGpuPowerLimitWatts], time),
          BottleneckFlag::kPowerCapped);
  flag_if(std::isnan(margin) ? MeanIn(device[Role::kGpuTemperatureCelsius], time) >= kHotC
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
  AddMean(windows, &DeviceWindow::fp64, "DCGM_FI_PROF_PIPE_FP64_ACTIVE", "ratio", gpu.evidence);
  AddMean(windows, &DeviceWindow::fp32, "DCGM_FI_PROF_PIPE_FP32_ACTIVE", "ratio", gpu.evidence);
  AddMean(windows, &DeviceWindow::fp16, "DCGM_FI_PROF_PIPE_FP16_ACTIVE", "ratio", gpu.evidence);
  AddMean(windows, &DeviceWindow::dram, "DCGM_FI_PROF_DRAM_ACTIVE", "ratio", gpu.evidence);
  AddMean(windows, &DeviceWindow::nvlink_received, "DCGM_FI_PROF_NVLINK_RX_BYTES", "bytes/s",
          gpu.evidence);
  AddMean(windows, &DeviceWindow::pcie_received, "DCGM_FI_PROF_PCIE_RX_BYTES", "bytes/s",
          gpu.evidence);
  AddMean(windows, &DeviceWindow::power_share, "power_share_of_limit", "ratio", gpu.evidence);
}

bool Rests(BottleneckClass bottleneck) {
  return bottleneck == BottleneckClass::kIdle || bottleneck == BottleneckClass::kInputBound;
}

template <size_t kCount>
BottleneckClass MostOf(const std::array<size_t, kCount>& counts) {
  // kUnknown wins only if nothing else occurs. Ties go to work, which comes after idling and
  // waiting.
  const auto unknown = std::next(counts.rbegin());
  const auto most = std::max_element(unknown, counts.rend());
  return *most == 0 ? BottleneckClass::kUnknown
                    : static_cast<BottleneckClass>(counts.rend() - most - 1);
}

// Which windows count toward a job's class: hangs, checkpoints and evaluations say nothing about
// the work itself. `parts` is the result of PartsOf().
std::vector<bool> CountedWindows(std::span<const TimeRange> parts,
                                 std::span<const TimeRange> incidents) {
  std::vector<bool> counted(parts.size(), true);
  for (size_t i = 0; i < parts.size(); ++i) {
    const TimeRange& window = parts[i];
    int64_t inside_ms = 0;
    for (const TimeRange& incident : incidents) {
      inside_ms += std::max<int64_t>(
          0, std::min(window.max_ms, incident.max_ms) - std::max(window.min_ms, incident.min_ms));
    }
    counted[i] = 2 * inside_ms < window.max_ms - window.min_ms;
  }
  return counted;
}

// Times that say nothing about the job's usual work: before its first step, after its last, and
// long steps that do not wait for input.
std::vector<TimeRange> IncidentsOf(const StepTable& table, std::span<const LongStep> long_steps) {
  std::vector<TimeRange> incidents;
  if (table.size() > 1) {
    const bool is_from_begin = table.step.front() == table.attempt_first_step;
    incidents.push_back({0, is_from_begin ? table.end_ms.front() : StepBeginMs(table, 0)});
    incidents.push_back({table.end_ms.back(), std::numeric_limits<int64_t>::max()});
  }
  for (const LongStep& step : long_steps) {
    if (step.reason != LongStepReason::kInput) incidents.push_back(step.time);
  }
  return incidents;
}

// Without steps: a device that stopped once, for less than half of the time, had an incident. The
// same holds for the time before it started to work.
void AddSinglePause(const GpuCounters& device, const std::vector<ClassifiedWindow>& windows,
                    std::vector<TimeRange>& incidents) {
  const CounterSeries& engine = device[Role::kGpuGrEngineActiveRatio];
  if (windows.empty() || engine.empty()) return;
  const int64_t whole_ms = windows.back().time.max_ms - windows.front().time.min_ms;
  std::vector<TimeRange> later;
  for (const TimeRange& pause : PausesOf(engine, kShortestPauseMs)) {
    const bool is_short = 2 * (pause.max_ms - pause.min_ms) < whole_ms;
    const bool is_start_up = pause.min_ms <= engine.timestamp_ms.front();
    if (is_start_up && is_short) incidents.push_back(pause);
    if (!is_start_up) later.push_back(pause);
  }
  if (later.size() == 1 && 2 * (later[0].max_ms - later[0].min_ms) < whole_ms) {
    incidents.push_back(later[0]);
  }
}

// The windows of one device.
struct DeviceCourse {
  const GpuCounters& device;
  const std::vector<ClassifiedWindow>& windows;
  const std::vector<DeviceWindow>& means;  // in each window
  const std::vector<TimeRange>& incidents;
  std::vector<bool> counted;  // windows that represent the job's usual work
  size_t row = 0;
};

// The mean over all windows except incidents; unknown if nothing is left.
double MeanOutside(const DeviceCourse& course, Role role) {
  if (course.windows.empty()) return kUnknown;
  const CounterSeries& series = course.device[role];
  const TimeRange whole = {course.windows.front().time.min_ms, course.windows.back().time.max_ms};
  std::vector<double> outside;
  for (size_t i = 1; i < series.value.size(); ++i) {
    const int64_t from_ms = series.timestamp_ms[i - 1];
    const int64_t to_ms = series.timestamp_ms[i];
    if (from_ms < whole.min_ms || to_ms > whole.max_ms) continue;
    const bool is_incident = std::any_of(
        course.incidents.begin(), course.incidents.end(), [&](const TimeRange& incident) {
          return incident.min_ms < to_ms && incident.max_ms > from_ms;
        });
    if (!is_incident) outside.push_back(series.value[i]);
  }
  return Mean(outside);
}

double MeanEngine(const DeviceCourse& course) {
  const double outside = MeanOutside(course, Role::kGpuGrEngineActiveRatio);
  if (!std::isnan(outside) || course.windows.empty()) return outside;
  return MeanIn(course.device[Role::kGpuGrEngineActiveRatio],
                {course.windows.front().time.min_ms, course.windows.back().time.max_ms});
}

// The class of all time outside incidents, for when incidents leave no window to classify.
BottleneckClass ClassOutside(const DeviceCourse& course, const DeviceFacts& facts) {
  const auto mean = [&course](Role role) { return MeanOutside(course, role); };
  return Classify({.engine = mean(Role::kGpuGrEngineActiveRatio),
                   .sm = mean(Role::kGpuSmActiveRatio),
                   .tensor = mean(Role::kGpuTensorActiveRatio),
                   .fp64 = mean(Role::kGpuFp64ActiveRatio),
                   .fp32 = mean(Role::kGpuFp32ActiveRatio),
                   .fp16 = mean(Role::kGpuFp16ActiveRatio),
                   .dram = mean(Role::kGpuDramActiveRatio),
                   .nvlink_received = mean(Role::kGpuNvlinkRxBytesPerSecond),
                   .link_bytes_per_s = facts.link_bytes_per_s,
                   .power_share = mean(Role::kGpuPowerWatts) / facts.power_limit_w,
                   .has_peers = facts.has_peers})
      .bottleneck;
}

// The most frequent class among counted windows in which the device is idle (`rests`) or works.
BottleneckClass MostWindows(const DeviceCourse& course, bool rests) {
  std::array<size_t, kBottleneckClassCount> counts = {};
  for (size_t i = 0; i < course.windows.size(); ++i) {
    const BottleneckClass one = course.windows[i].gpus[course.row].bottleneck;
    if (course.counted[i] && Rests(one) == rests) ++counts[static_cast<size_t>(one)];
  }
  return MostOf(counts);
}

// The share of time in which the device works decides first: short bursts between long idle times
// do not make a busy device, even if most windows contain a burst.
BottleneckClass ClassOf(const DeviceCourse& course, const DeviceFacts& facts) {
  const double engine = MeanEngine(course);
  if (engine < kIdleEngineRatio) {
    const BottleneckClass resting = MostWindows(course, true);
    return resting != BottleneckClass::kUnknown ? resting : BottleneckClass::kIdle;
  }
  if (engine < kBusyEngineRatio) return BottleneckClass::kInputBound;
  const BottleneckClass working = MostWindows(course, false);
  return working != BottleneckClass::kUnknown ? working : ClassOutside(course, facts);
}

GpuBottleneck BottleneckOf(const DeviceCourse& course, const DeviceFacts& facts) {
  const std::vector<ClassifiedWindow>& windows = course.windows;
  GpuBottleneck gpu{.row = course.row, .flags = {}, .evidence = {}};
  gpu.bottleneck = ClassOf(course, facts);
  std::vector<DeviceWindow> typical;
  std::array<size_t, kBottleneckClassCount> counts = {};
  std::array<size_t, kHostCauseCount> causes = {};
  for (size_t i = 0; i < windows.size(); ++i) {
    const Classified& one = windows[i].gpus[course.row];
    ++counts[static_cast<size_t>(one.bottleneck)];
    if (one.bottleneck != gpu.bottleneck) continue;
    ++causes[static_cast<size_t>(one.host_cause)];
    typical.push_back(course.means[i]);
    if (!(gpu.least_margin <= one.margin)) gpu.least_margin = one.margin;
  }
  if (gpu.bottleneck == BottleneckClass::kInputBound) {
    gpu.host_cause =
        static_cast<HostCause>(std::max_element(causes.begin(), causes.end()) - causes.begin());
  }
  for (size_t i = 0; i < kBottleneckClassCount && !windows.empty(); ++i) {
    gpu.share[i] = static_cast<double>(counts[i]) / static_cast<double>(windows.size());
  }
  if (!windows.empty()) {
    const TimeRange whole = {windows.front().time.min_ms, windows.back().time.max_ms};
    const DeviceWindow mean = WindowOf(course.device, whole, facts);
    // A device that is idle on average may not be idle in any single window.
    if (typical.empty()) typical.push_back(mean);
    gpu.flags = FlagsOf(course.device, mean, whole);
  }
  SetEvidence(typical, gpu);
  return gpu;
}

// The smallest share of time, over ranks, that phases of `kinds` take outside incidents. Divides
// sums: one stall in a hundred steps costs as much as a short one in each step.
double LeastShare(const StepTable& table, std::initializer_list<PhaseKind> kinds,
                  const std::vector<bool>& is_incident) {
  const RankMatrix seconds = SumOfPhases(table, kinds);
  double least = kUnknown;
  for (size_t row = 0; row < seconds.rows() && !table.step_seconds.empty(); ++row) {
    double part = 0;
    double whole = 0;
    for (size_t n = 0; n < seconds.columns(); ++n) {
      const bool is_warm_up =
          n == 0 && table.step[n] == table.attempt_first_step && table.size() > 1;
      const double step = table.step_seconds(row, n);
      if (is_warm_up || is_incident[n] || std::isnan(seconds(row, n)) || std::isnan(step)) continue;
      part += seconds(row, n);
      whole += step;
    }
    const double share = whole > 0 ? part / whole : kUnknown;
    if (!(least <= share)) least = share;
  }
  return least;
}

// The class from steps alone, or kUnknown.
BottleneckClass FromSteps(const StepTable& table, std::span<const LongStep> long_steps,
                          std::vector<Evidence>& evidence) {
  std::vector<bool> is_incident(table.size(), false);
  for (const LongStep& step : long_steps) {
    is_incident[step.column] = step.reason != LongStepReason::kInput;
  }
  const double input = LeastShare(table, {PhaseKind::kData, PhaseKind::kHostToDevice}, is_incident);
  const double communication = LeastShare(table, {PhaseKind::kCommunication}, is_incident);
  const auto add = [&evidence](std::string_view signal, double value, double threshold) {
    if (std::isnan(value)) return;
    evidence.push_back({.signal = std::string(signal),
                        .value = value,
                        .reference = threshold,
                        .unit = "share of the step",
                        .words = "of all step time, on the rank that spends the least"});
  };
  add("input_share", input, kInputShare);
  add("communication_share", communication, kCommunicationShare);
  if (input > kInputShare) return BottleneckClass::kInputBound;
  if (communication > kCommunicationShare) return BottleneckClass::kCommunicationBound;
  return BottleneckClass::kUnknown;
}

// Steps show that the job waits for input, and the device is idle part of the time: the two agree,
// even if the idle time alone is too short to decide.
void AgreeOnInput(const DeviceCourse& course, GpuBottleneck& gpu) {
  if (IsWork(gpu.bottleneck) && MeanEngine(course) < kBusyBesideInput) {
    gpu.bottleneck = BottleneckClass::kInputBound;
  }
  if (gpu.bottleneck == BottleneckClass::kInputBound) gpu.host_cause = HostCause::kData;
}

BottleneckClass MostGpus(const std::vector<GpuBottleneck>& gpus) {
  std::array<size_t, kBottleneckClassCount> counts = {};
  for (const GpuBottleneck& gpu : gpus) ++counts[static_cast<size_t>(gpu.bottleneck)];
  return MostOf(counts);
}

void SetHostCause(BottleneckClass from_steps, BottleneckAnswer& answer) {
  if (answer.verdict != BottleneckClass::kInputBound) return;
  if (from_steps == BottleneckClass::kInputBound) answer.host_cause = HostCause::kData;
  for (const GpuBottleneck& gpu : answer.gpus) {
    if (answer.host_cause != HostCause::kUnknown) return;
    if (gpu.bottleneck == answer.verdict) answer.host_cause = gpu.host_cause;
  }
}

void SetConfidence(const BottleneckInput& input, BottleneckClass from_steps,
                   BottleneckAnswer& answer) {
  Confidence& confidence = answer.confidence;
  confidence.steps = input.steps.size();
  for (const GpuCounters& device : input.devices) {
    confidence.samples =
        std::max(confidence.samples, device[Role::kGpuGrEngineActiveRatio].value.size());
  }
  confidence.missing = answer.missing;
  if (from_steps != BottleneckClass::kUnknown) {
    for (const Evidence& one : answer.evidence) {
      const double margin = std::abs(one.value / one.reference - 1);
      if (!(confidence.margin <= margin)) confidence.margin = margin;
    }
    return;
  }
  for (const GpuBottleneck& gpu : answer.gpus) {
    if (gpu.bottleneck != answer.verdict || std::isnan(gpu.least_margin)) continue;
    if (!(confidence.margin <= gpu.least_margin)) confidence.margin = gpu.least_margin;
  }
  if (answer.windows.empty()) {
    confidence.missing.emplace_back(
        "device samples for at least two windows, each of 5 s, 10 steps and 2 samples");
  }
}

}  // namespace

DeviceWindow MeansIn(const GpuCounters& device, const TimeRange& time) {
  return {.engine = MeanIn(device[Role::kGpuGrEngineActiveRatio], time),
          .sm = MeanIn(device[Role::kGpuSmActiveRatio], time),
          .occupancy = MeanIn(device[Role::kGpuSmOccupancyRatio], time),
          .tensor = MeanIn(device[Role::kGpuTensorActiveRatio], time),
          .fp64 = MeanIn(device[Role::kGpuFp64ActiveRatio], time),
          .fp32 = MeanIn(device[Role::kGpuFp32ActiveRatio], time),
          .fp16 = MeanIn(device[Role::kGpuFp16ActiveRatio], time),
          .dram = MeanIn(device[Role::kGpuDramActiveRatio], time),
          .nvlink_received = MeanIn(device[Role::kGpuNvlinkRxBytesPerSecond], time),
          .pcie_received = MeanIn(device[Role::kGpuPcieRxBytesPerSecond], time),
          .pcie_sent = MeanIn(device[Role::kGpuPcieTxBytesPerSecond], time)};
}

std::span<const Role> CountersOfClasses() {
  static constexpr std::array kCounters = {
      Role::kGpuGrEngineActiveRatio,  Role::kGpuSmActiveRatio,
      Role::kGpuTensorActiveRatio,    Role::kGpuFp64ActiveRatio,
      Role::kGpuFp32ActiveRatio,      Role::kGpuFp16ActiveRatio,
      Role::kGpuDramActiveRatio,      Role::kGpuNvlinkRxBytesPerSecond,
      Role::kGpuPcieRxBytesPerSecond, Role::kGpuPcieTxBytesPerSecond,
      Role::kGpuPowerWatts,           Role::kGpuPowerLimitWatts};
  return kCounters;
}

BottleneckAnswer FindBottlenecks(const BottleneckInput& input) {
  BottleneckAnswer answer;
  const int64_t step_ms = StepMs(input.steps);
  const bool has_peers =
      std::max<int64_t>(input.world_size, static_cast<int64_t>(input.job.ranks.size())) > 1;
  for (const TimeRange& time : WindowsOf(input, step_ms)) answer.windows.push_back({time, {}});
  const std::vector<LongStep> long_steps = FindLongSteps(input.steps, input.devices);
  std::vector<std::vector<DeviceWindow>> means;  // by row
  std::vector<std::vector<TimeRange>> parts;     // by row
  std::vector<DeviceFacts> facts;
  for (const GpuCounters& device : input.devices) {
    facts.push_back(FactsOf(device, has_peers));
    parts.push_back(PartsOf(device, step_ms, answer.windows, long_steps));
    std::vector<DeviceWindow>& own = means.emplace_back();
    for (const TimeRange& part : parts.back()) {
      own.push_back(WindowOf(device, part, facts.back()));
    }
    for (size_t i = 0; i < answer.windows.size(); ++i) {
      Classified one = Classify(means.back()[i]);
      const bool is_idle = one.bottleneck == BottleneckClass::kIdle;
      // Steps end while the device does almost nothing: the host does the work, and the device
      // waits.
      if (is_idle && StepsFill(input.steps, answer.windows[i].time)) {
        one.bottleneck = BottleneckClass::kInputBound;
      }
      answer.windows[i].gpus.push_back(one);
    }
  }
  const BottleneckClass from_steps = FromSteps(input.steps, long_steps, answer.evidence);
  for (size_t row = 0; row < input.devices.size(); ++row) {
    const GpuCounters& device = input.devices[row];
    std::vector<TimeRange> incidents = IncidentsOf(input.steps, long_steps);
    if (input.steps.size() == 0) AddSinglePause(device, answer.windows, incidents);
    const DeviceCourse course{
        device, answer.windows, means[row], incidents, CountedWindows(parts[row], incidents), row};
    answer.gpus.push_back(BottleneckOf(course, facts[row]));
    if (from_steps == BottleneckClass::kInputBound) AgreeOnInput(course, answer.gpus.back());
  }
  for (const Role role : kNeeded) {
    const bool is_there =
        std::any_of(input.devices.begin(), input.devices.end(),
                    [role](const GpuCounters& device) { return !device[role].empty(); });
    if (!is_there) answer.missing.emplace_back(catalogue::ShownNameOf(role).metric);
  }
  answer.verdict = from_steps != BottleneckClass::kUnknown ? from_steps : MostGpus(answer.gpus);
  SetHostCause(from_steps, answer);
  SetConfidence(input, from_steps, answer);
  return answer;
}

}  // namespace lockstep::training
