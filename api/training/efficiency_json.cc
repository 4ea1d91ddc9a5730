#include "api/training/efficiency_json.h"

#include <array>
#include <string_view>

#include "absl/strings/str_format.h"
#include "api/training/training_json.h"
#include "api/training/training_params.h"
#include "base/status.h"

namespace lockstep::api {
namespace {

using answers::EfficiencyOptions;
using answers::JobEfficiency;
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

absl::Status SetConvention(const Form& form, EfficiencyOptions& options) {
  if (const std::string_view name = form.Get("dtype"); !name.empty()) {
    const auto precision = training::PrecisionOf(name);
    if (!precision.has_value()) {
      return absl::InvalidArgumentError(
          absl::StrFormat("invalid parameter \"dtype\": unknown type \"%s\"", name));
    }
    options.precision = *precision;
  }
  if (const std::string_view name = form.Get("convention"); !name.empty()) {
    const auto convention = training::FlopsConventionOf(name);
    if (!convention.has_value()) {
      return absl::InvalidArgumentError(
          absl::StrFormat("invalid parameter \"convention\": \"%s\" is not one of reported, 6nd, "
                          "causal_attention, full_attention, palm",
                          name));
    }
    options.convention = *convention;
  }
  return absl::OkStatus();
}

void WritePeak(JsonWriter& json, const JobEfficiency& found) {
  const training::EfficiencyAnswer& answer = found.answer;
  json.Key("peak");
  if (!answer.peak_flops.has_value()) return json.Null();
  json.BeginObject();
  json.Field("dtype", Name(found.precision));
  json.Field("flops", *answer.peak_flops);
  json.Field("source", absl::StrFormat("catalogue: %s, dense", answer.gpu_model));
  json.Field("model", answer.gpu_model);
  json.Field("measured_best_flops", answer.achieved_flops);
  json.EndObject();
}

void WriteRanks(JsonWriter& json, const JobEfficiency& found) {
  json.Key("ranks");
  json.BeginArray();
  for (size_t row = 0; row < found.answer.ranks.size(); ++row) {
    json.BeginObject();
    WritePlace(json, found.subject.job.ranks[row]);
    json.Field("mfu", found.answer.ranks[row].mfu);
    json.Field("tflops_per_gpu", found.answer.ranks[row].tflops);
    json.EndObject();
  }
  json.EndArray();
}

}  // namespace

absl::StatusOr<EfficiencyOptions> EfficiencyOptionsOf(const Form& form) {
  EfficiencyOptions options;
  LOCKSTEP_RETURN_IF_ERROR(SetConvention(form, options));
  LOCKSTEP_RETURN_IF_ERROR(SetShape(form, options.shape));
  LOCKSTEP_RETURN_IF_ERROR(SetNumber(form, "total_tokens", options.total_tokens));
  const std::string_view recompute = form.Get("recompute");
  if (!recompute.empty() && recompute != "full" && recompute != "none") {
    return absl::InvalidArgumentError(absl::StrFormat(
        "invalid parameter \"recompute\": \"%s\" is not one of full, none", recompute));
  }
  options.recomputes_fully = recompute == "full";
  options.gpu_model = form.Get("gpu_model");
  return options;
}

absl::StatusOr<answers::EfficiencyQuestion> EfficiencyQuestionOf(const Form& form) {
  answers::EfficiencyQuestion question;
  LOCKSTEP_ASSIGN_OR_RETURN(question.options, EfficiencyOptionsOf(form));
  LOCKSTEP_ASSIGN_OR_RETURN(question.job, JobQuestionOf(form));
  return question;
}

void WriteEfficiency(JsonWriter& json, const JobEfficiency& found) {
  const training::EfficiencyAnswer& answer = found.answer;
  json.BeginObject();
  WriteHead(json, found.subject);
  json.Field("mfu", answer.mfu);
  json.Field("hfu", answer.hfu);
  json.Field("mbu", answer.mbu);
  json.Field("mfu_of_wall", answer.mfu_of_wall);
  json.Field("is_above_peak", answer.is_above_peak);
  json.Field("work_varies", answer.work_varies);
  json.Field("tflops_per_gpu", answer.tflops_per_gpu);
  json.Field("step_seconds", answer.step_seconds);
  json.Field("tokens_per_second", found.tokens_per_second);
  json.Field("tokens_per_second_per_gpu", found.tokens_per_second_per_gpu);
  json.Field("samples_per_second", found.samples_per_second);
  json.Field("consumed_tokens", found.consumed_tokens);
  json.Field("consumed_samples", found.consumed_samples);
  json.Field("eta_seconds", found.eta_seconds);
  json.Field("convention", Name(answer.convention));
  WritePeak(json, found);
  json.Field("reason", answer.reason);
  WriteConfidence(json, answer.confidence);
  WriteRanks(json, found);
  json.EndObject();
}

}  // namespace lockstep::api
