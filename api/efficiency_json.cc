#include "api/efficiency_json.h"

#include <array>
#include <vector>

#include "absl/strings/str_format.h"
#include "api/training_json.h"
#include "api/training_params.h"
#include "base/status.h"
#include "training/bottlenecks.h"

namespace lockstep::api {
namespace {

using training::EfficiencyAnswer;
using training::ModelShape;

struct ShapeParameter {
  std::string_view name;
  double ModelShape::*field;
};

constexpr std::array kShapeParameters = {
    ShapeParameter{"parameters", &ModelShape::parameters},
    ShapeParameter{"layers", &ModelShape::layers},
    ShapeParameter{"hidden", &ModelShape::hidden},
    ShapeParameter{"feed_forward", &ModelShape::feed_forward_hidden},
    ShapeParameter{"heads", &ModelShape::heads},
    ShapeParameter{"kv_heads", &ModelShape::key_value_heads},
    ShapeParameter{"vocabulary", &ModelShape::vocabulary},
    ShapeParameter{"sequence_length", &ModelShape::sequence_length},
    ShapeParameter{"global_batch", &ModelShape::global_batch},
};

absl::Status SetShape(const Form& form, ModelShape& shape) {
  for (const ShapeParameter& parameter : kShapeParameters) {
    LOCKSTEP_RETURN_IF_ERROR(SetNumber(form, parameter.name, shape.*parameter.field));
  }
  return absl::OkStatus();
}

absl::Status SetConvention(const Form& form, EfficiencyQuestion& question) {
  if (const std::string_view name = form.Get("dtype"); !name.empty()) {
    const auto precision = training::PrecisionOf(name);
    if (!precision.has_value()) {
      return absl::InvalidArgumentError(
          absl::StrFormat("invalid parameter \"dtype\": \"%s\" is not known", name));
    }
    question.precision = *precision;
  }
  if (const std::string_view name = form.Get("convention"); !name.empty()) {
    const auto convention = training::FlopsConventionOf(name);
    if (!convention.has_value()) {
      return absl::InvalidArgumentError(
          absl::StrFormat("invalid parameter \"convention\": \"%s\" is none of reported, 6nd, "
                          "causal_attention, full_attention, palm",
                          name));
    }
    question.convention = *convention;
  }
  return absl::OkStatus();
}

ModelShape ShapeOf(const answers::LoadedJob& job, const EfficiencyQuestion& question) {
  ModelShape shape = question.shape;
  if (shape.global_batch == 0) {
    shape.global_batch = static_cast<double>(job.facts.parallelism.global_batch);
  }
  if (shape.sequence_length == 0 && job.facts.sequence_length > 0) {
    shape.sequence_length = job.facts.sequence_length;
  }
  return shape;
}

// The counters, with the devices' model where only the question or other counters say it.
std::vector<training::GpuCounters> DevicesOf(const answers::LoadedJob& job,
                                             const EfficiencyQuestion& question) {
  std::vector<training::GpuCounters> devices = job.devices;
  devices.resize(job.job.ranks.size());
  for (size_t row = 0; row < devices.size(); ++row) {
    if (devices[row].model.empty()) devices[row].model = job.gpu_models[row];
    if (!question.gpu_model.empty()) devices[row].model = question.gpu_model;
  }
  return devices;
}

void WritePeak(JsonWriter& json, const EfficiencyAnswer& answer, training::Precision precision) {
  json.Key("peak");
  if (!answer.peak_flops.has_value()) {
    json.Raw() += "null";
    return;
  }
  json.BeginObject();
  WriteTextField(json, "dtype", Name(precision));
  WriteNumberField(json, "flops", *answer.peak_flops);
  WriteTextField(json, "source", absl::StrFormat("catalogue: %s, dense", answer.gpu_model));
  WriteTextField(json, "model", answer.gpu_model);
  WriteNumberField(json, "measured_best_flops", answer.achieved_flops);
  json.EndObject();
}

void WriteConsumption(JsonWriter& json, const answers::LoadedJob& job, const ModelShape& shape,
                      const EfficiencyAnswer& answer) {
  const double batch = shape.global_batch > 0 ? shape.global_batch : training::kUnknown;
  const double tokens = shape.Tokens() > 0 ? shape.Tokens() : training::kUnknown;
  const auto steps = static_cast<double>(job.steps.size());
  const bool told = answer.tokens_per_second > 0;
  const double per_second = told ? answer.tokens_per_second : tokens / answer.step_seconds;
  const double consumed = told ? answer.consumed_tokens : tokens * steps;
  WriteNumberField(json, "tokens_per_second", per_second);
  WriteNumberField(json, "tokens_per_second_per_gpu",
                   per_second / static_cast<double>(training::GpuCount(job.job)));
  WriteNumberField(json, "samples_per_second", batch / answer.step_seconds);
  WriteNumberField(json, "consumed_tokens", consumed);
  WriteNumberField(json, "consumed_samples",
                   job.facts.total_samples > 0 ? job.facts.total_samples : batch * steps);
}

void WriteRanks(JsonWriter& json, const answers::LoadedJob& job, const EfficiencyAnswer& answer) {
  json.Key("ranks");
  json.BeginArray();
  for (size_t row = 0; row < answer.ranks.size(); ++row) {
    json.BeginObject();
    WritePlace(json, job.job.ranks[row]);
    WriteNumberField(json, "mfu", answer.ranks[row].mfu);
    WriteNumberField(json, "tflops_per_gpu", answer.ranks[row].tflops);
    json.EndObject();
  }
  json.EndArray();
}

}  // namespace

absl::StatusOr<EfficiencyQuestion> EfficiencyQuestionOf(const Form& form) {
  EfficiencyQuestion question;
  LOCKSTEP_RETURN_IF_ERROR(SetConvention(form, question));
  LOCKSTEP_RETURN_IF_ERROR(SetShape(form, question.shape));
  LOCKSTEP_RETURN_IF_ERROR(SetNumber(form, "total_tokens", question.total_tokens));
  const std::string_view recompute = form.Get("recompute");
  if (!recompute.empty() && recompute != "full" && recompute != "none") {
    return absl::InvalidArgumentError(absl::StrFormat(
        "invalid parameter \"recompute\": \"%s\" is neither full nor none", recompute));
  }
  question.recomputes_fully = recompute == "full";
  question.gpu_model = form.Get("gpu_model");
  return question;
}

answers::JobNeeds EfficiencyNeeds() {
  answers::JobNeeds needs{.phases = true, .operations = true};
  for (const training::DeviceCounter counter : training::CountersOfClasses()) {
    needs.devices.set(static_cast<size_t>(counter));
  }
  return needs;
}

EfficiencyAnswer EfficiencyOf(const answers::LoadedJob& job, const EfficiencyQuestion& question) {
  const std::vector<training::GpuCounters> devices = DevicesOf(job, question);
  return training::EfficiencyOf({.job = job.job,
                                 .steps = job.steps,
                                 .devices = devices,
                                 .shape = ShapeOf(job, question),
                                 .convention = question.convention,
                                 .precision = question.precision,
                                 .recomputes_fully = question.recomputes_fully});
}

void WriteEfficiency(JsonWriter& json, const answers::LoadedJob& job,
                     const EfficiencyQuestion& question, const EfficiencyAnswer& answer) {
  const ModelShape shape = ShapeOf(job, question);
  json.BeginObject();
  WriteHead(json, job);
  WriteNumberField(json, "mfu", answer.mfu);
  WriteNumberField(json, "hfu", answer.hfu);
  WriteNumberField(json, "mbu", answer.mbu);
  WriteNumberField(json, "mfu_of_wall", answer.mfu_of_wall);
  WriteFlagField(json, "is_above_peak", answer.is_above_peak);
  WriteFlagField(json, "work_varies", answer.work_varies);
  WriteNumberField(json, "tflops_per_gpu", answer.tflops_per_gpu);
  WriteNumberField(json, "step_seconds", answer.step_seconds);
  WriteConsumption(json, job, shape, answer);
  WriteNumberField(json, "eta_seconds",
                   question.total_tokens > 0 ? training::SecondsLeft(answer, question.total_tokens)
                                             : training::kUnknown);
  WriteTextField(json, "convention", Name(answer.convention));
  WritePeak(json, answer, question.precision);
  WriteTextField(json, "reason", answer.reason);
  WriteConfidence(json, answer.confidence);
  WriteRanks(json, job, answer);
  json.EndObject();
}

}  // namespace lockstep::api
