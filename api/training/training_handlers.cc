#include "api/training/training_handlers.h"

#include "answers/verdict.h"
#include "api/http/reply.h"
#include "api/training/bottlenecks_json.h"
#include "api/training/comparison_json.h"
#include "api/training/efficiency_json.h"
#include "api/training/events_json.h"
#include "api/training/forecast_json.h"
#include "api/training/heat_map_json.h"
#include "api/training/jobs_json.h"
#include "api/training/ledger_json.h"
#include "api/training/lemons_json.h"
#include "api/training/parallelism_json.h"
#include "api/training/run_history_json.h"
#include "api/training/steps_json.h"
#include "api/training/stragglers_json.h"
#include "api/training/training_params.h"

namespace lockstep::api {
namespace {

template <typename Question, typename Answer>
Response Reply(const absl::StatusOr<Question>& question,
               absl::StatusOr<Answer> (&answer)(const Question&, const answers::QuestionContext&),
               void (&write)(JsonWriter&, const Answer&), const TrainingContext& context) {
  if (!question.ok()) return TrainingFailure(question.status());
  const absl::StatusOr<Answer> found = answer(*question, context.answers);
  if (!found.ok()) return TrainingFailure(found.status());
  return SuccessReply([&](JsonWriter& json) { write(json, *found); });
}

}  // namespace

Response TrainingFailure(const absl::Status& status) {
  if (status.code() == absl::StatusCode::kNotFound) {
    return ErrorReply(ErrorType::kNotFound, Message(status));
  }
  return FailureReply(status);
}

Response HandleTrainingJobs(const Call& call, const TrainingContext& context) {
  return Reply(JobListQueryOf(call.form, context.answers.now_ms), answers::AnswerJobs, WriteJobs,
               context);
}

Response HandleStragglers(const Call& call, const TrainingContext& context) {
  return Reply(StragglerQuestionOf(call.form, context.prices), answers::AnswerStragglers,
               WriteStragglers, context);
}

Response HandleBottlenecks(const Call& call, const TrainingContext& context) {
  return Reply(JobQuestionOf(call.form), answers::AnswerBottlenecks, WriteBottlenecks, context);
}

Response HandleEfficiency(const Call& call, const TrainingContext& context) {
  return Reply(EfficiencyQuestionOf(call.form), answers::AnswerEfficiency, WriteEfficiency,
               context);
}

Response HandleLedger(const Call& call, const TrainingContext& context) {
  return Reply(LedgerQuestionOf(call.form, context.prices), answers::AnswerLedger, WriteLedger,
               context);
}

Response HandleForecast(const Call& call, const TrainingContext& context) {
  return Reply(ForecastQuestionOf(call.form, context.prices), answers::AnswerForecast,
               WriteForecast, context);
}

Response HandleEvents(const Call& call, const TrainingContext& context) {
  return Reply(JobQuestionOf(call.form), answers::AnswerEvents, WriteEvents, context);
}

Response HandleComparison(const Call& call, const TrainingContext& context) {
  return Reply(ComparisonQuestionOf(call.form), answers::AnswerComparison, WriteComparison,
               context);
}

Response HandleHeatMap(const Call& call, const TrainingContext& context) {
  return Reply(HeatMapQuestionOf(call.form), answers::AnswerHeatMap, WriteHeatMap, context);
}

Response HandleParallelism(const Call& call, const TrainingContext& context) {
  return Reply(ParallelismQuestionOf(call.form), answers::AnswerParallelism, WriteParallelismAnswer,
               context);
}

Response HandleRunHistory(const Call& call, const TrainingContext& context) {
  return Reply(RunHistoryQuestionOf(call.form), answers::AnswerRunHistory, WriteRunHistory,
               context);
}

Response HandleLemons(const Call& call, const TrainingContext& context) {
  return Reply(LemonQuestionOf(call.form), answers::AnswerLemons, WriteLemons, context);
}

Response HandleSteps(const Call& call, const TrainingContext& context) {
  return Reply(StepsQuestionOf(call.form), answers::AnswerSteps, WriteSteps, context);
}

}  // namespace lockstep::api
