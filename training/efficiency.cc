#include "training/efficiency.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_format.h"
#include "training/statistics.h"

namespace lockstep::training {
namespace {

// DRAM_ACTIVE against bytes that a streaming kernel is known to move.
constexpr double kBytesPerActiveDram = 1.015;

std::vector<double> AfterWarmUp(std::span<const double> row, const StepTable& table) {
  std::vector<double> values;
  for (size_t n = 0; n < row.size(); ++n) {
    if (table.step[n] >= table.attempt_first_step + kWarmUpSteps) values.push_back(row[n]);
  }
  if (values.empty()) values.assign(row.begin(), row.end());
  return values;
}

double Sum(const RankMatrix& matrix) {
  double sum = 0;
  bool any = false;
  for (size_t row = 0; row < matrix.rows(); ++row) {
    for (const double value : matrix.Row(row)) {
      if (std::isnan(value)) continue;
      sum += value;
      any = true;
    }
  }
  return any ? sum : kUnknown;
}

// Operations of one rank in a typical step.
double RankFlops(const EfficiencyInput& input, size_t row) {
  if (input.convention == FlopsConvention::kReported) {
    if (input.steps.model_flops.empty()) return kUnknown;
    return Median(AfterWarmUp(input.steps.model_flops.Row(row), input.steps));
  }
  if (!input.shape.has_value()) return kUnknown;
  const std::optional<double> flops = StepFlops(input.convention, *input.shape);
  return flops.has_value() ? *flops / static_cast<double>(input.job.ranks.size()) : kUnknown;
}

std::string ModelName(std::span<const GpuCounters> devices) {
  const auto known = std::find_if(devices.begin(), devices.end(),
                                  [](const GpuCounters& device) { return !device.model.empty(); });
  return known == devices.end() ? std::string() : known->model;
}

const GpuModel* SetPeak(const EfficiencyInput& input, EfficiencyAnswer& answer) {
  const std::string name = ModelName(input.devices);
  if (name.empty()) {
    answer.reason = "the model of the GPUs is not known: no device metric names it";
    return nullptr;
  }
  const GpuMatch match = FindGpu(name);
  if (match.model == nullptr) {
    answer.reason = absl::StrFormat("no peak is known for \"%s\"", name);
    return nullptr;
  }
  answer.gpu_model = match.model->id;
  if (match.is_partition) {
    answer.reason = absl::StrFormat("\"%s\" is a slice of a device: its peak is a share", name);
    return nullptr;
  }
  answer.peak_flops = match.model->PeakFlops(input.precision);
  if (!answer.peak_flops.has_value()) {
    answer.reason = absl::StrFormat("no %s peak is known for \"%s\"", Name(input.precision), name);
  }
  const double achieved = match.model->achieved_tflops[input.precision == Precision::kFp8 ? 1 : 0];
  if (achieved > 0) answer.achieved_flops = achieved * 1e12;
  return match.model;
}

void SetEachRank(const EfficiencyInput& input, EfficiencyAnswer& answer) {
  std::vector<double> tflops;
  for (size_t row = 0; row < input.job.ranks.size(); ++row) {
    RankEfficiency rank;
    if (!input.steps.step_seconds.empty()) {
      const double seconds = Median(AfterWarmUp(input.steps.step_seconds.Row(row), input.steps));
      rank.tflops = RankFlops(input, row) / seconds / 1e12;
      if (answer.peak_flops.has_value()) rank.mfu = rank.tflops * 1e12 / *answer.peak_flops;
    }
    tflops.push_back(rank.tflops);
    answer.ranks.push_back(rank);
  }
  answer.tflops_per_gpu = Mean(tflops);
}

void SetShares(const EfficiencyInput& input, EfficiencyAnswer& answer) {
  if (!answer.peak_flops.has_value()) return;
  const double factor = input.recomputes_fully ? kFullRecomputeFactor : 1.0;
  answer.mfu = answer.tflops_per_gpu * 1e12 / *answer.peak_flops;
  answer.hfu = answer.mfu * factor;
  answer.is_above_peak = answer.hfu > 1;
  if (input.steps.model_flops.empty() || input.convention != FlopsConvention::kReported) return;
  answer.mfu_of_wall =
      Sum(input.steps.model_flops) / Sum(input.steps.step_seconds) / *answer.peak_flops;
}

void SetTokens(const EfficiencyInput& input, EfficiencyAnswer& answer) {
  double tokens = input.shape.has_value() ? input.shape->Tokens() : 0.0;
  if (!input.steps.tokens.empty()) {
    std::vector<double> per_step(input.steps.size());
    for (size_t n = 0; n < per_step.size(); ++n) per_step[n] = Median(input.steps.tokens.Column(n));
    tokens = Median(AfterWarmUp(per_step, input.steps));
    answer.consumed_tokens = 0;
    for (const double value : per_step) answer.consumed_tokens += std::isnan(value) ? 0 : value;
  } else if (tokens > 0) {
    answer.consumed_tokens = tokens * static_cast<double>(input.steps.size());
  }
  if (!(tokens > 0)) return;
  answer.tokens_per_second = tokens / answer.step_seconds;
  answer.tokens_per_second_per_gpu =
      answer.tokens_per_second / static_cast<double>(input.job.ranks.size());
}

void SetMemory(const EfficiencyInput& input, const GpuModel* model, EfficiencyAnswer& answer) {
  std::vector<double> active;
  for (const GpuCounters& device : input.devices) {
    active.push_back(Mean(device[DeviceCounter::kDramActiveRatio].value));
  }
  answer.mbu = Mean(active);
  if (model == nullptr || !(model->memory_bytes_per_s > 0)) return;
  answer.memory_bytes_per_second = answer.mbu * kBytesPerActiveDram * model->memory_bytes_per_s;
}

}  // namespace

EfficiencyAnswer EfficiencyOf(const EfficiencyInput& input) {
  EfficiencyAnswer answer;
  answer.convention = input.convention;
  answer.step_seconds = Median(AfterWarmUp(JobStepSeconds(input.steps), input.steps));
  const GpuModel* model = SetPeak(input, answer);
  SetEachRank(input, answer);
  SetShares(input, answer);
  SetTokens(input, answer);
  SetMemory(input, model, answer);
  if (std::isnan(answer.tflops_per_gpu)) {
    answer.reason =
        "operations per step are not known: neither reported nor told by the model's shape";
  }
  return answer;
}

std::optional<double> ConversionFactor(FlopsConvention from, FlopsConvention to,
                                       const ModelShape& shape) {
  const std::optional<double> counted = StepFlops(from, shape);
  const std::optional<double> wanted = StepFlops(to, shape);
  if (!counted.has_value() || !wanted.has_value()) return std::nullopt;
  return *wanted / *counted;
}

double DecodeMbu(double weight_bytes, double cache_bytes, double seconds_per_token,
                 double peak_bytes_per_second) {
  return (weight_bytes + cache_bytes) / seconds_per_token / peak_bytes_per_second;
}

double SecondsLeft(const EfficiencyAnswer& answer, double total_tokens) {
  return std::max(0.0, total_tokens - answer.consumed_tokens) / answer.tokens_per_second;
}

}  // namespace lockstep::training
