#include "training/presets.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "training/matrix/statistics.h"

namespace lockstep::training {
namespace {

constexpr size_t kSpreadSteps = 100;
constexpr double kStepSpread = 0.1;
constexpr double kCoolerC = 5.0;
constexpr double kSmSpread = 0.15;
constexpr double kBusyDramRule = 0.8;
constexpr double kIdleSmRule = 0.3;
constexpr double kTensorRule = 0.1;
constexpr double kOccupancyRule = 0.2;

double PlainDeviation(std::span<const double> values) {
  const double mean = Mean(values);
  double sum = 0;
  size_t count = 0;
  for (const double value : values) {
    if (std::isnan(value)) continue;
    sum += (value - mean) * (value - mean);
    ++count;
  }
  return count == 0 ? kUnknown : std::sqrt(sum / static_cast<double>(count));
}

size_t IndexOfHighest(const std::vector<double>& values) {
  size_t best = 0;
  for (size_t i = 1; i < values.size(); ++i) {
    if (!(values[i] <= values[best])) best = i;
  }
  return best;
}

PresetAnswer StepTimeSpread(const StepTable& steps) {
  std::vector<double> means;
  const RankMatrix& seconds = steps.step_seconds;
  const size_t columns = std::min(kSpreadSteps, seconds.columns());
  for (size_t row = 0; row < seconds.rows(); ++row)
    means.push_back(Mean(seconds.Row(row).last(columns)));
  PresetAnswer answer{.preset = Preset::kStepTimeSpread,
                      .row = {},
                      .value = PlainDeviation(means) / Mean(means),
                      .threshold = kStepSpread};
  answer.fires = answer.value > kStepSpread;
  if (answer.fires) answer.row = IndexOfHighest(means);
  return answer;
}

std::vector<double> MeansOfDevices(std::span<const GpuCounters> devices, Role role,
                                   const TimeRange& time) {
  std::vector<double> means;
  for (const GpuCounters& device : devices) means.push_back(MeanIn(device[role], time));
  return means;
}

PresetAnswer CoolGpu(std::span<const GpuCounters> devices, const TimeRange& time) {
  const std::vector<double> celsius = MeansOfDevices(devices, Role::kGpuTemperatureCelsius, time);
  std::vector<double> below(celsius.size());
  for (size_t row = 0; row < below.size(); ++row) below[row] = Mean(celsius) - celsius[row];
  const size_t coolest = IndexOfHighest(below);
  PresetAnswer answer{
      .preset = Preset::kCoolGpu, .row = {}, .value = below[coolest], .threshold = kCoolerC};
  answer.fires = answer.value > kCoolerC;
  if (answer.fires) answer.row = coolest;
  return answer;
}

PresetAnswer SmActiveSpread(std::span<const GpuCounters> devices, const TimeRange& time) {
  std::vector<double> spreads;
  for (const GpuCounters& device : devices) {
    const CounterSeries& sm = device[Role::kGpuSmActiveRatio];
    std::vector<double> inside;
    for (size_t i = 0; i < sm.value.size(); ++i) {
      if (sm.timestamp_ms[i] >= time.min_ms && sm.timestamp_ms[i] <= time.max_ms) {
        inside.push_back(sm.value[i]);
      }
    }
    spreads.push_back(PlainDeviation(inside));
  }
  const size_t widest = IndexOfHighest(spreads);
  PresetAnswer answer{.preset = Preset::kSmActiveSpread,
                      .row = {},
                      .value = spreads[widest],
                      .threshold = kSmSpread};
  answer.fires = answer.value > kSmSpread;
  if (answer.fires) answer.row = widest;
  return answer;
}

// A rule that fires below a threshold on some device.
PresetAnswer LowestBelow(Preset preset, std::span<const GpuCounters> devices, Role role,
                         double threshold, const TimeRange& time) {
  std::vector<double> negated = MeansOfDevices(devices, role, time);
  for (double& value : negated) value = -value;
  const size_t lowest = IndexOfHighest(negated);
  PresetAnswer answer{
      .preset = preset, .row = {}, .value = -negated[lowest], .threshold = threshold};
  answer.fires = answer.value < threshold;
  if (answer.fires) answer.row = lowest;
  return answer;
}

PresetAnswer MemoryBoundByDram(std::span<const GpuCounters> devices, const TimeRange& time) {
  const std::vector<double> dram = MeansOfDevices(devices, Role::kGpuDramActiveRatio, time);
  const std::vector<double> sm = MeansOfDevices(devices, Role::kGpuSmActiveRatio, time);
  PresetAnswer answer{.preset = Preset::kMemoryBoundByDram,
                      .row = {},
                      .value = dram[IndexOfHighest(dram)],
                      .threshold = kBusyDramRule};
  for (size_t row = 0; row < dram.size() && !answer.fires; ++row) {
    answer.fires = dram[row] > kBusyDramRule && sm[row] < kIdleSmRule;
    if (answer.fires) answer.row = row;
  }
  return answer;
}

}  // namespace

std::string_view Name(Preset preset) {
  constexpr std::array<std::string_view, kPresetCount> kNames = {
      "step_time_spread",     "cool_gpu",   "sm_active_spread",
      "memory_bound_by_dram", "low_tensor", "low_occupancy"};
  return kNames[static_cast<size_t>(preset)];
}

std::string_view Sees(Preset preset) {
  switch (preset) {
    case Preset::kStepTimeSpread:
      return "Ranks that do not wait for each other. In synchronous training all ranks report the "
             "same step time, so this rule is blind to stragglers there; heavier pipeline stages "
             "trigger it.";
    case Preset::kCoolGpu:
      return "GPUs that do less. In a job, such a GPU may be the straggler or one that waits for "
             "it, and the slot in the chassis alone makes a difference of 5 to 8 degrees.";
    case Preset::kSmActiveSpread:
      return "Changes over time on one GPU: jobs that begin and end, hangs. A straggler is steady "
             "and stays below the threshold.";
    case Preset::kMemoryBoundByDram:
      return "Transfers by copy engines. A memory-bound kernel keeps SM_ACTIVE above 0.7, because "
             "warps that wait for memory count as active, so the rule never fires on one.";
    case Preset::kLowTensor:
      return "Jobs without mixed precision, and everything but matrix products: decoding, "
             "communication, idling.";
    case Preset::kLowOccupancy:
      break;
  }
  return "Small or register-hungry kernels. Healthy training shows 0.25 to 0.29.";
}

std::vector<PresetAnswer> AskPresets(const Job& job, const StepTable& steps,
                                     std::span<const GpuCounters> devices, const TimeRange& time) {
  std::vector<PresetAnswer> answers;
  if (!steps.step_seconds.empty()) answers.push_back(StepTimeSpread(steps));
  if (devices.empty() || devices.size() != job.ranks.size()) return answers;
  answers.push_back(CoolGpu(devices, time));
  answers.push_back(SmActiveSpread(devices, time));
  answers.push_back(MemoryBoundByDram(devices, time));
  answers.push_back(
      LowestBelow(Preset::kLowTensor, devices, Role::kGpuTensorActiveRatio, kTensorRule, time));
  answers.push_back(LowestBelow(Preset::kLowOccupancy, devices, Role::kGpuSmOccupancyRatio,
                                kOccupancyRule, time));
  return answers;
}

}  // namespace lockstep::training
