#include "api/training/comparison_json.h"

#include <string_view>

#include "absl/strings/str_format.h"
#include "api/http/params.h"
#include "api/training/training_json.h"
#include "api/training/training_params.h"
#include "base/status.h"

namespace lockstep::api {
namespace {

using training::ComparisonAxis;

constexpr size_t kMostRuns = 20;
constexpr size_t kMostPoints = 20'000;

absl::Status SetAxis(std::string_view align, ComparisonAxis& axis) {
  if (align == "tokens") {
    axis = ComparisonAxis::kTokens;
  } else if (align == "time") {
    axis = ComparisonAxis::kSeconds;
  } else if (!align.empty() && align != "step") {
    return absl::InvalidArgumentError(absl::StrFormat(
        "invalid parameter \"align\": \"%s\" is not one of step, tokens, time", align));
  }
  return absl::OkStatus();
}

void WriteComparedRun(JsonWriter& json, const training::ComparedRun& run) {
  json.Field("run", run.name);
  json.Field("step_seconds", run.step_seconds);
  json.Field("speed", run.speed);
  json.Field("tokens_per_second", run.tokens_per_second);
  json.Field("highest_memory_bytes", run.highest_memory_bytes);
  json.Field("joules_per_step", run.joules_per_step);
  json.Field("joules_per_token", run.joules_per_token);
  json.Field("loss", run.loss);
  json.Field("loss_gap", run.loss_gap);
  json.Field("last_gap", run.last_gap);
  json.Field("parts_at", run.parts_at);
}

}  // namespace

absl::StatusOr<answers::ComparisonQuestion> ComparisonQuestionOf(const Form& form) {
  answers::ComparisonQuestion question;
  LOCKSTEP_RETURN_IF_ERROR(SetAxis(form.Get("align"), question.axis));
  LOCKSTEP_RETURN_IF_ERROR(SetCount(form, "points", kMostPoints, question.points));
  LOCKSTEP_ASSIGN_OR_RETURN(question.time, ParseTimeRange(form.Get("start"), form.Get("end")));
  std::string_view rest = form.Get("runs");
  while (!rest.empty()) {
    const size_t comma = rest.find(',');
    if (comma != 0) question.runs.emplace_back(rest.substr(0, comma));
    rest = comma == rest.npos ? std::string_view() : rest.substr(comma + 1);
  }
  if (question.runs.empty() || question.runs.size() > kMostRuns) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "invalid parameter \"runs\": must be 1 to %d job names separated by commas", kMostRuns));
  }
  return question;
}

void WriteComparison(JsonWriter& json, const training::Comparison& comparison) {
  json.BeginObject();
  json.Field("align", comparison.axis == ComparisonAxis::kSeconds ? "time" : Name(comparison.axis));
  json.Field("at", comparison.at);
  WriteObjects(json, "runs", comparison.runs,
               [&](const training::ComparedRun& run) { WriteComparedRun(json, run); });
  json.EndObject();
}

}  // namespace lockstep::api
