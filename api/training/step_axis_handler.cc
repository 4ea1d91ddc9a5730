#include "api/training/step_axis_handler.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_format.h"
#include "answers/steps.h"
#include "api/http/params.h"
#include "api/http/reply.h"
#include "api/query/reduce_params.h"
#include "api/query/result_json.h"
#include "api/training/per_step.h"
#include "api/training/training_handlers.h"
#include "base/status.h"

namespace lockstep::api {
namespace {

// Each point is a separate query.
constexpr int64_t kMostPoints = 2000;
// Doubles hold all whole numbers up to here, and their differences fit into an integer.
constexpr int64_t kGreatestStep = int64_t{1} << 53;

// start, end and step.
absl::Status SetStep(const Form& form, std::string_view name, std::optional<int64_t>& step) {
  if (form.Get(name).empty()) return absl::OkStatus();
  const auto number = ParseInteger(form.Get(name));
  if (!number.ok() || *number < -kGreatestStep || *number > kGreatestStep) {
    return absl::InvalidArgumentError(
        absl::StrFormat("invalid parameter \"%s\": with axis=step it must be a number of training "
                        "steps, not \"%s\"",
                        name, form.Get(name)));
  }
  step = *number;
  return absl::OkStatus();
}

absl::StatusOr<answers::StepEndsQuestion> StepEndsQuestionOf(const Form& form) {
  answers::StepEndsQuestion question{.job = {}, .most_points = kMostPoints};
  question.job.name = form.Get("job");
  if (question.job.name.empty()) {
    return absl::InvalidArgumentError("axis=step requires the parameter \"job\"");
  }
  if (!form.Get("attempt").empty()) {
    const auto attempt = ParseInteger(form.Get("attempt"));
    if (!attempt.ok() || *attempt < 0) {
      return absl::InvalidArgumentError("invalid parameter \"attempt\": must be 0 or greater");
    }
    question.job.attempt = static_cast<size_t>(*attempt);
  }
  LOCKSTEP_RETURN_IF_ERROR(SetStep(form, "start", question.first_step));
  LOCKSTEP_RETURN_IF_ERROR(SetStep(form, "end", question.last_step));
  LOCKSTEP_RETURN_IF_ERROR(SetStep(form, "step", question.stride));
  return question;
}

// The points of all series by labels. Steps take the place of times.
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
          "axis=step supports only scalar and instant vector expressions");
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

  // The reductions of the step, which have one point each.
  void AddReduced(int64_t step, engine::MatrixResult reduced) {
    for (engine::MatrixSeries& from : reduced) {
      SampleColumns& samples = series_[std::move(from.labels)];
      for (HistogramSample& sample : from.samples.histograms) {
        samples.histograms.push_back({step * kMsPerStep, std::move(sample.histogram)});
      }
      for (const double value : from.samples.values) samples.Append(step * kMsPerStep, value);
    }
  }

  engine::QueryValue Take() {
    engine::MatrixResult matrix;
    for (auto& [labels, samples] : series_) matrix.push_back({labels, std::move(samples)});
    return matrix;
  }

 private:
  std::map<LabelSet, SampleColumns> series_;
};

absl::StatusOr<engine::QueryValue> Evaluate(std::string_view text, const answers::StepEnds& ends,
                                            const QueryContext& context, QueryBudget& budget) {
  StepMatrix matrix;
  for (size_t i = 0; i < ends.step.size(); ++i) {
    const engine::InstantQuery query{text, ends.end_ms[i], 0, {.progress = context.progress}};
    LOCKSTEP_ASSIGN_OR_RETURN(engine::QueryResult result, context.engine.Execute(query, budget));
    context.samples_total += static_cast<uint64_t>(result.stats.total_samples);
    LOCKSTEP_RETURN_IF_ERROR(matrix.Add(ends.step[i], std::move(result.value)));
  }
  return matrix.Take();
}

// Reduces the samples of each point's steps.
absl::StatusOr<engine::QueryValue> Reduce(std::string_view text, const answers::StepEnds& ends,
                                          const std::vector<engine::Reduction>& reductions,
                                          const QueryContext& context, QueryBudget& budget) {
  constexpr int64_t kEvaluationsPerPoint = 10;
  StepMatrix matrix;
  for (size_t i = 0; i < ends.step.size(); ++i) {
    const int64_t length_ms = ends.end_ms[i] - ends.begin_ms[i];
    // Nothing is known of a step without a begin.
    if (length_ms <= 0) continue;
    engine::RangeQuery query{.text = text,
                             .start_ms = ends.end_ms[i],
                             .end_ms = ends.end_ms[i],
                             .step_ms = length_ms,
                             .options = {.progress = context.progress},
                             .reductions = reductions};
    query.resolution_ms = std::max<int64_t>(length_ms / kEvaluationsPerPoint, 1);
    LOCKSTEP_ASSIGN_OR_RETURN(engine::QueryResult result, context.engine.Execute(query, budget));
    context.samples_total += static_cast<uint64_t>(result.stats.total_samples);
    matrix.AddReduced(ends.step[i], std::get<engine::MatrixResult>(std::move(result.value)));
  }
  return matrix.Take();
}

absl::StatusOr<engine::QueryValue> ValueOver(const answers::StepEnds& ends, const Form& form,
                                             const QueryContext& context,
                                             const answers::QuestionContext& jobs) {
  LOCKSTEP_ASSIGN_OR_RETURN(const std::vector<engine::Reduction> reductions, ReductionsOf(form));
  const bool is_per_step = !form.Get("per_step").empty();
  if (is_per_step && !reductions.empty()) {
    return absl::InvalidArgumentError("per_step and reduce exclude each other");
  }
  if (is_per_step) return AmountsOverSteps(form, ends, context.engine.lookback_ms(), jobs);
  if (!reductions.empty()) {
    return Reduce(form.Get("query"), ends, reductions, context, jobs.budget);
  }
  return Evaluate(form.Get("query"), ends, context, jobs.budget);
}

}  // namespace

Response HandleQueryOverSteps(const Call& call, const QueryContext& context,
                              const answers::QuestionContext& jobs) {
  const auto question = StepEndsQuestionOf(call.form);
  if (!question.ok()) return TrainingFailure(question.status());
  const auto ends = answers::AnswerStepEnds(*question, jobs);
  if (!ends.ok()) return TrainingFailure(ends.status());
  const auto value = ValueOver(*ends, call.form, context, jobs);
  if (!value.ok()) return TrainingFailure(value.status());
  return SuccessReply([&](JsonWriter& json) {
    json.BeginObject();
    json.Field("resultType", ResultTypeName(*value));
    json.Key("result");
    WriteResult(json, *value, context.engine.pool());
    json.EndObject();
  });
}

}  // namespace lockstep::api
