#include "api/training_handlers.h"

#include <memory>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "answers/job_list.h"
#include "answers/job_loader.h"
#include "api/bottlenecks_json.h"
#include "api/efficiency_json.h"
#include "api/events_json.h"
#include "api/jobs_json.h"
#include "api/ledger_json.h"
#include "api/reply.h"
#include "api/stragglers_json.h"
#include "api/training_params.h"

namespace lockstep::api {
namespace {

using answers::JobNeeds;
using answers::LoadedJob;

Response Failure(const absl::Status& status) {
  if (status.code() == absl::StatusCode::kNotFound) {
    return ErrorReply(ErrorType::kNotFound, Message(status));
  }
  return FailureReply(status);
}

absl::StatusOr<LoadedJob> Load(const Call& call, const JobNeeds& needs,
                               const TrainingContext& context, QueryBudget& budget) {
  LOCKSTEP_ASSIGN_OR_RETURN(answers::JobQuery query, JobQueryOf(call.form));
  query.needs = needs;
  LOCKSTEP_ASSIGN_OR_RETURN(const auto querier, context.storage.NewQuerier());
  return answers::LoadJob(query, {*querier, context.pool, budget});
}

absl::StatusOr<std::vector<LoadedJob>> LoadAll(const Call& call, const JobNeeds& needs,
                                               const TrainingContext& context,
                                               QueryBudget& budget) {
  LOCKSTEP_ASSIGN_OR_RETURN(answers::JobQuery query, JobQueryOf(call.form));
  query.needs = needs;
  LOCKSTEP_ASSIGN_OR_RETURN(const auto querier, context.storage.NewQuerier());
  return answers::LoadAttempts(query, {*querier, context.pool, budget});
}

Response Answer(const absl::StatusOr<LoadedJob>& job,
                absl::FunctionRef<void(JsonWriter&, const LoadedJob&)> write) {
  if (!job.ok()) return Failure(job.status());
  return SuccessReply([&](JsonWriter& json) { write(json, *job); });
}

}  // namespace

Response HandleTrainingJobs(const Call& call, const TrainingContext& context, QueryBudget& budget) {
  const auto question = JobListQueryOf(call.form, context.now_ms);
  if (!question.ok()) return Failure(question.status());
  const auto querier = context.storage.NewQuerier();
  if (!querier.ok()) return Failure(querier.status());
  const auto jobs = answers::ListJobs(*question, {**querier, context.pool, budget});
  if (!jobs.ok()) return Failure(jobs.status());
  return SuccessReply([&](JsonWriter& json) { WriteJobs(json, *jobs); });
}

Response HandleStragglers(const Call& call, const TrainingContext& context, QueryBudget& budget) {
  const auto question = StragglerQuestionOf(call.form);
  if (!question.ok()) return Failure(question.status());
  return Answer(
      Load(call, StragglerNeeds(), context, budget),
      [&](JsonWriter& json, const LoadedJob& job) { WriteStragglers(json, job, *question); });
}

Response HandleBottlenecks(const Call& call, const TrainingContext& context, QueryBudget& budget) {
  return Answer(Load(call, BottleneckNeeds(), context, budget), WriteBottlenecks);
}

Response HandleEfficiency(const Call& call, const TrainingContext& context, QueryBudget& budget) {
  const auto question = EfficiencyQuestionOf(call.form);
  if (!question.ok()) return Failure(question.status());
  return Answer(
      Load(call, EfficiencyNeeds(), context, budget),
      [&](JsonWriter& json, const LoadedJob& job) { WriteEfficiency(json, job, *question); });
}

Response HandleLedger(const Call& call, const TrainingContext& context, QueryBudget& budget) {
  const auto question = LedgerQuestionOf(call.form);
  if (!question.ok()) return Failure(question.status());
  const auto attempts = LoadAll(call, LedgerNeeds(), context, budget);
  if (!attempts.ok()) return Failure(attempts.status());
  return SuccessReply([&](JsonWriter& json) { WriteLedger(json, *attempts, *question); });
}

Response HandleEvents(const Call& call, const TrainingContext& context, QueryBudget& budget) {
  return Answer(
      Load(call, EventNeeds(), context, budget),
      [&](JsonWriter& json, const LoadedJob& job) { WriteEvents(json, job, context.now_ms); });
}

}  // namespace lockstep::api
