#include "training/efficiency/efficiency.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_format.h"
#include "training/bottlenecks/long_steps.h"
#include "training/job/step_work.h"
#include "training/matrix/statistics.h"

namespace lockstep::training {
namespace {

// DRAM_ACTIVE versus the bytes that a streaming kernel is known to move.
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

// Operations of one rank per step, from the model's shape.
double FlopsByShape(const EfficiencyInput& input) {
  if (!input.shape.has_value()) return kUnknown;
  const std::optional<double> flops = StepFlops(input.convention, *input.shape);
  return flops.has_value() ? *flops / static_cast<double>(input.job.ranks.size()) : kUnknown;
}

// The rate of one rank whose steps do different amounts of work: total operations over total time.
// Skips long steps, which say nothing about how fast the rank computes.
double RateOfVaryingSteps(const StepTable& table, size_t row, const std::vector<bool>& is_long) {
  double flops = 0;
  double seconds = 0;
  for (size_t n = 0; n < table.size(); ++n) {
    const bool is_warm_up = table.step[n] < table.attempt_first_step + kWarmUpSteps;
    const double done = table.model_flops(row, n);
    const double taken = table.step_seconds(row, n);
    if (is_warm_up || is_long[n] || std::isnan(done) || std::isnan(taken)) continue;
    flops += done;
    seconds += taken;
  }
  return seconds > 0 ? flops / seconds : kUnknown;
}

// Operations per second of each rank.
std::vector<double> RatesOf(const EfficiencyInput& input) {
  const StepTable& table = input.steps;
  std::vector<double> rates(input.job.ranks.size(), kUnknown);
  if (table.step_seconds.empty()) return rates;
  const bool is_reported = input.convention == FlopsConvention::kReported;
  if (is_reported && table.model_flops.empty()) return rates;
  const bool varies = is_reported && StepWork(table).varies();
  const std::vector<bool> is_long =
      varies ? MarkedColumns(table, FindLongSteps(table, input.devices)) : std::vector<bool>();
  for (size_t row = 0; row < rates.size(); ++row) {
    if (varies) {
      rates[row] = RateOfVaryingSteps(table, row, is_long);
      continue;
    }
    const double flops =
        is_reported ? Median(AfterWarmUp(table.model_flops.Row(row), table)) : FlopsByShape(input);
    rates[row] = flops / Median(AfterWarmUp(table.step_seconds.Row(row), table));
  }
  return rates;
}

std::string ModelName(std::span<const GpuCounters> devices) {
  const auto known = std::find_if(devices.begin(), devices.end(),
                                  [](const GpuCounters& device) { return !device.model.empty(); });
  return known == devices.end() ? std::string() : known->model;
}

const GpuModel* SetPeak(const EfficiencyInput& input, EfficiencyAnswer& answer) {
  const std::string name = ModelName(input.devices);
  if (name.empty()) {
    answer.reason = "the GPU model is unknown: no device metric names it";
    return nullptr;
  }
  const GpuMatch match = FindGpu(name);
  if (match.model == nullptr) {
    answer.reason = absl::StrFormat("no peak is known for \"%s\"", name);
    return nullptr;
  }
  answer.gpu_model = match.model->id;
  if (match.is_partition) {
    answer.reason = absl::StrFormat("\"%s\" is a slice of a GPU, whose peak is unknown", name);
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
  answer.work_varies = StepWork(input.steps).varies();
  for (const double rate : RatesOf(input)) {
    RankEfficiency rank{.tflops = rate / 1e12};
    if (answer.peak_flops.has_value()) rank.mfu = rate / *answer.peak_flops;
    tflops.push_back(rank.tflops);
    answer.ranks.push_back(rank);
  }
  // Rates of ranks that share a GPU add up.
  answer.tflops_per_gpu = Mean(tflops) * static_cast<double>(input.job.ranks.size()) /
                          static_cast<double>(GpuCount(input.job));
}

void SetShares(const EfficiencyInput& input, EfficiencyAnswer& answer) {
  if (!answer.peak_flops.has_value()) return;
  const double factor = input.recomputes_fully ? kFullRecomputeFactor : 1.0;
  answer.mfu = answer.tflops_per_gpu * 1e12 / *answer.peak_flops;
  answer.hfu = answer.mfu * factor;
  answer.is_above_peak = answer.hfu > 1;
  if (answer.is_above_peak) {
    answer.reason = absl::StrFormat(
        "a share of %.0f %% of the %s peak is not possible: the reported operations, the precision "
        "or the GPU model is wrong",
        100 * answer.hfu, Name(input.precision));
  }
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
      answer.tokens_per_second / static_cast<double>(GpuCount(input.job));
}

void SetMemory(const EfficiencyInput& input, const GpuModel* model, EfficiencyAnswer& answer) {
  std::vector<double> active;
  for (const GpuCounters& device : input.devices) {
    active.push_back(Mean(device[Role::kGpuDramActiveRatio].value));
  }
  answer.mbu = Mean(active);
  if (model == nullptr || !(model->memory_bytes_per_s > 0)) return;
  answer.memory_bytes_per_second = answer.mbu * kBytesPerActiveDram * model->memory_bytes_per_s;
}

void SetConfidence(const EfficiencyInput& input, EfficiencyAnswer& answer) {
  Confidence& confidence = answer.confidence;
  confidence.steps = AfterWarmUp(JobStepSeconds(input.steps), input.steps).size();
  for (const GpuCounters& device : input.devices) {
    confidence.samples =
        std::max(confidence.samples, device[Role::kGpuDramActiveRatio].value.size());
  }
  // The distance to 1, above which the data must be wrong.
  if (std::isfinite(answer.hfu)) confidence.margin = std::abs(1 - answer.hfu);
  if (!answer.peak_flops.has_value()) confidence.missing.emplace_back("a peak for this device");
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
        "operations per step are unknown: the trainer reports neither them nor the model's shape";
    answer.confidence.missing.emplace_back("operations per step, or the model's shape");
  }
  SetConfidence(input, answer);
  return answer;
}

double SecondsLeft(const EfficiencyAnswer& answer, double total_tokens) {
  return std::max(0.0, total_tokens - answer.consumed_tokens) / answer.tokens_per_second;
}

}  // namespace lockstep::training
