#include "api/step_axis_handler.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_format.h"
#include "answers/job_loader.h"
#include "api/params.h"
#include "api/reply.h"
#include "api/result_json.h"
#include "base/status.h"

namespace lockstep::api {
namespace {

// Each is a query of its own.
constexpr size_t kMostPoints = 2000;

struct StepQuestion {
  answers::JobQuery job;
  int64_t first_step = 0;
  int64_t last_step = 0;
  int64_t stride = 0;
};

// What is not said is the attempt's first and last step, and as many as there may be.
absl::Status SetStep(const Form& form, std::string_view name, int64_t& step) {
  if (form.Get(name).empty()) return absl::OkStatus();
  const auto number = ParseInteger(form.Get(name));
  if (!number.ok()) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "invalid parameter \"%s\": with axis=step it counts training steps, and \"%s\" is no "
        "number of them",
        name, form.Get(name)));
  }
  step = *number;
  return absl::OkStatus();
}

absl::StatusOr<StepQuestion> StepQuestionOf(const Form& form) {
  StepQuestion question;
  question.job.name = form.Get("job");
  if (question.job.name.empty()) {
    return absl::InvalidArgumentError("axis=step needs a job parameter: whose steps?");
  }
  if (!form.Get("attempt").empty()) {
    const auto attempt = ParseInteger(form.Get("attempt"));
    if (!attempt.ok() || *attempt < 0) {
      return absl::InvalidArgumentError("invalid parameter \"attempt\": attempts count from 0");
    }
    question.job.attempt = static_cast<size_t>(*attempt);
  }
  return question;
}

absl::Status SetRange(const Form& form, const training::StepTable& table, StepQuestion& question) {
  question.first_step = table.step.front();
  question.last_step = table.step.back();
  LOCKSTEP_RETURN_IF_ERROR(SetStep(form, "start", question.first_step));
  LOCKSTEP_RETURN_IF_ERROR(SetStep(form, "end", question.last_step));
  if (question.last_step < question.first_step) {
    return absl::InvalidArgumentError("invalid parameter \"end\": it must not be before start");
  }
  const auto most = static_cast<int64_t>(kMostPoints);
  question.stride = (question.last_step - question.first_step) / most + 1;
  LOCKSTEP_RETURN_IF_ERROR(SetStep(form, "step", question.stride));
  if (question.stride < 1 || (question.last_step - question.first_step) / question.stride >= most) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "invalid parameter \"step\": it must be above zero, and leave at most %d points", most));
  }
  return absl::OkStatus();
}

// Points of all series, by labels. Times are steps.
class StepMatrix {
 public:
  absl::Status Add(int64_t step, engine::QueryValue value) {
    if (const auto* scalar = std::get_if<engine::ScalarResult>(&value)) {
      series_[LabelSet()].Append(step * kMsPerStep, scalar->value);
      return absl::OkStatus();
    }
    auto* vector = std::get_if<engine::VectorResult>(&value);
    if (vector == nullptr) {
      return absl::InvalidArgumentError(
          "axis=step takes expressions that are scalars or instant vectors");
    }
    for (engine::VectorElement& element : *vector) {
      SampleColumns& samples = series_[std::move(element.labels)];
      if (element.histogram != nullptr) {
        samples.histograms.push_back({step * kMsPerStep, std::move(element.histogram)});
      } else {
        samples.Append(step * kMsPerStep, element.value);
      }
    }
    return absl::OkStatus();
  }

  engine::QueryValue Take() {
    engine::MatrixResult matrix;
    for (auto& [labels, samples] : series_) matrix.push_back({labels, std::move(samples)});
    return matrix;
  }

 private:
  // What results have as seconds is the step.
  static constexpr int64_t kMsPerStep = 1000;

  std::map<LabelSet, SampleColumns> series_;
};

absl::StatusOr<engine::QueryValue> Evaluate(const Call& call, const StepQuestion& question,
                                            const training::StepTable& table,
                                            const QueryContext& context, QueryBudget& budget) {
  StepMatrix matrix;
  int64_t next_step = question.first_step;
  for (size_t n = 0; n < table.size() && next_step <= question.last_step; ++n) {
    if (table.step[n] < next_step) continue;
    if (table.step[n] > question.last_step) break;
    const engine::InstantQuery query{
        call.form.Get("query"), table.end_ms[n], 0, {.progress = context.progress}};
    LOCKSTEP_ASSIGN_OR_RETURN(engine::QueryResult result, context.engine.Execute(query, budget));
    context.samples_total += static_cast<uint64_t>(result.stats.total_samples);
    LOCKSTEP_RETURN_IF_ERROR(matrix.Add(table.step[n], std::move(result.value)));
    const int64_t passed = (table.step[n] - question.first_step) / question.stride;
    next_step = question.first_step + (passed + 1) * question.stride;
  }
  return matrix.Take();
}

}  // namespace

Response HandleQueryOverSteps(const Call& call, const QueryContext& context,
                              const TrainingContext& training, QueryBudget& budget) {
  absl::StatusOr<StepQuestion> question = StepQuestionOf(call.form);
  if (!question.ok()) return TrainingFailure(question.status());
  const auto querier = training.storage.NewQuerier();
  if (!querier.ok()) return TrainingFailure(querier.status());
  const auto job = answers::LoadJob(question->job, {**querier, training.pool, budget});
  if (!job.ok()) return TrainingFailure(job.status());
  if (job->steps.size() == 0) {
    return ErrorReply(ErrorType::kNotFound,
                      absl::StrFormat("no steps are stored of \"%s\"", question->job.name));
  }
  const absl::Status range = SetRange(call.form, job->steps, *question);
  if (!range.ok()) return TrainingFailure(range);
  const auto value = Evaluate(call, *question, job->steps, context, budget);
  if (!value.ok()) return TrainingFailure(value.status());
  return SuccessReply([&](JsonWriter& json) {
    json.BeginObject();
    json.Key("resultType");
    json.String(ResultTypeName(*value));
    json.Key("result");
    WriteResult(json, *value, context.engine.pool());
    json.EndObject();
  });
}

}  // namespace lockstep::api
