#include "api/comparison_json.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "absl/strings/str_format.h"
#include "api/params.h"
#include "api/training_json.h"
#include "api/training_params.h"
#include "base/status.h"
#include "training/ledger.h"

namespace lockstep::api {
namespace {

using training::ComparisonAxis;

constexpr size_t kMostRuns = 20;
constexpr size_t kMostPoints = 20'000;

answers::JobNeeds ComparisonNeeds() {
  answers::JobNeeds needs{.loss = true, .memory = true, .operations = true};
  needs.devices.set(static_cast<size_t>(training::DeviceCounter::kEnergyMj));
  needs.devices.set(static_cast<size_t>(training::DeviceCounter::kPowerW));
  return needs;
}

absl::Status SetAxis(std::string_view align, ComparisonQuestion& question) {
  if (align == "tokens") {
    question.axis = ComparisonAxis::kTokens;
  } else if (align == "time") {
    question.axis = ComparisonAxis::kSeconds;
  } else if (!align.empty() && align != "step") {
    return absl::InvalidArgumentError(absl::StrFormat(
        "invalid parameter \"align\": \"%s\" is none of step, tokens, time", align));
  }
  return absl::OkStatus();
}

// Of `count` points, those that are shown.
std::vector<double> Thinned(const std::vector<double>& values, size_t points) {
  if (values.size() <= points) return values;
  std::vector<double> kept;
  for (size_t i = 1; i <= points; ++i) kept.push_back(values[i * values.size() / points - 1]);
  return kept;
}

void WriteComparedRun(JsonWriter& json, const training::ComparedRun& run, size_t points) {
  json.BeginObject();
  WriteTextField(json, "run", run.name);
  WriteNumberField(json, "step_seconds", run.step_seconds);
  WriteNumberField(json, "speed", run.speed);
  WriteNumberField(json, "tokens_per_second", run.tokens_per_second);
  WriteNumberField(json, "highest_memory_bytes", run.highest_memory_bytes);
  WriteNumberField(json, "joules_per_step", run.joules_per_step);
  WriteNumberField(json, "joules_per_token", run.joules_per_token);
  WriteNumbersField(json, "loss", Thinned(run.loss, points));
  WriteNumbersField(json, "loss_gap", Thinned(run.loss_gap, points));
  WriteNumberField(json, "last_gap", run.last_gap);
  WriteNumberField(json, "parts_at", run.parts_at.value_or(training::kUnknown));
  json.EndObject();
}

}  // namespace

absl::StatusOr<ComparisonQuestion> ComparisonQuestionOf(const Form& form) {
  ComparisonQuestion question;
  LOCKSTEP_RETURN_IF_ERROR(SetAxis(form.Get("align"), question));
  LOCKSTEP_RETURN_IF_ERROR(SetCount(form, "points", kMostPoints, question.points));
  answers::JobQuery query;
  query.needs = ComparisonNeeds();
  LOCKSTEP_ASSIGN_OR_RETURN(query.time, ParseTimeRange(form.Get("start"), form.Get("end")));
  std::string_view rest = form.Get("runs");
  while (!rest.empty()) {
    const size_t comma = rest.find(',');
    query.name = rest.substr(0, comma);
    if (!query.name.empty()) question.runs.push_back(query);
    rest = comma == rest.npos ? std::string_view() : rest.substr(comma + 1);
  }
  if (question.runs.empty() || question.runs.size() > kMostRuns) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "invalid parameter \"runs\": 1 to %d names of jobs are needed, with commas between them",
        kMostRuns));
  }
  return question;
}

void WriteComparison(JsonWriter& json, const std::vector<answers::LoadedJob>& runs,
                     const ComparisonQuestion& question) {
  std::vector<training::TrainingRun> compared;
  for (const answers::LoadedJob& job : runs) {
    const double joules = training::EnergyOf(job.job, job.devices, job.time, 0, 0, 0).joules;
    compared.push_back({job.job.name, &job.steps, joules, job.job.ranks.size()});
  }
  const training::Comparison comparison = training::CompareRuns(compared, question.axis);
  json.BeginObject();
  WriteTextField(json, "align",
                 question.axis == ComparisonAxis::kSeconds ? "time" : Name(question.axis));
  WriteNumbersField(json, "at", Thinned(comparison.at, question.points));
  json.Key("runs");
  json.BeginArray();
  for (const training::ComparedRun& run : comparison.runs)
    WriteComparedRun(json, run, question.points);
  json.EndArray();
  json.EndObject();
}

}  // namespace lockstep::api
