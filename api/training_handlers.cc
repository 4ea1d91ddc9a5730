#include "api/training_handlers.h"

#include <memory>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "answers/job_list.h"
#include "answers/job_loader.h"
#include "api/bottlenecks_json.h"
#include "api/comparison_json.h"
#include "api/efficiency_json.h"
#include "api/events_json.h"
#include "api/heat_map_json.h"
#include "api/jobs_json.h"
#include "api/ledger_json.h"
#include "api/reply.h"
#include "api/steps_json.h"
#include "api/stragglers_json.h"
#include "api/training_params.h"

namespace lockstep::api {
namespace {

using answers::JobNeeds;
using answers::LoadedJob;

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
  if (!job.ok()) return TrainingFailure(job.status());
  return SuccessReply([&](JsonWriter& json) { write(json, *job); });
}

}  // namespace

Response TrainingFailure(const absl::Status& status) {
  if (status.code() == absl::StatusCode::kNotFound) {
    return ErrorReply(ErrorType::kNotFound, Message(status));
  }
  return FailureReply(status);
}

Response HandleTrainingJobs(const Call& call, const TrainingContext& context, QueryBudget& budget) {
  const auto question = JobListQueryOf(call.form, context.now_ms);
  if (!question.ok()) return TrainingFailure(question.status());
  const auto querier = context.storage.NewQuerier();
  if (!querier.ok()) return TrainingFailure(querier.status());
  const auto jobs = answers::ListJobs(*question, {**querier, context.pool, budget});
  if (!jobs.ok()) return TrainingFailure(jobs.status());
  return SuccessReply([&](JsonWriter& json) { WriteJobs(json, *jobs); });
}

Response HandleStragglers(const Call& call, const TrainingContext& context, QueryBudget& budget) {
  const auto question = StragglerQuestionOf(call.form, context.prices);
  if (!question.ok()) return TrainingFailure(question.status());
  return Answer(Load(call, StragglerNeeds(), context, budget),
                [&](JsonWriter& json, const LoadedJob& job) {
                  const auto answer = StragglersOf(job, *question, context.pool);
                  WriteStragglers(json, job, answer, question->prices, context.pool);
                });
}

Response HandleBottlenecks(const Call& call, const TrainingContext& context, QueryBudget& budget) {
  return Answer(
      Load(call, BottleneckNeeds(), context, budget), [](JsonWriter& json, const LoadedJob& job) {
        WriteBottlenecks(json, job, training::FindBottlenecks({job.job, job.steps, job.devices}));
      });
}

Response HandleEfficiency(const Call& call, const TrainingContext& context, QueryBudget& budget) {
  const auto question = EfficiencyQuestionOf(call.form);
  if (!question.ok()) return TrainingFailure(question.status());
  return Answer(Load(call, EfficiencyNeeds(), context, budget),
                [&](JsonWriter& json, const LoadedJob& job) {
                  WriteEfficiency(json, job, *question, EfficiencyOf(job, *question));
                });
}

Response HandleLedger(const Call& call, const TrainingContext& context, QueryBudget& budget) {
  const auto prices = PricesOf(call.form, context.prices);
  if (!prices.ok()) return TrainingFailure(prices.status());
  const auto attempts = LoadAll(call, LedgerNeeds(), context, budget);
  if (!attempts.ok()) return TrainingFailure(attempts.status());
  return SuccessReply([&](JsonWriter& json) {
    WriteLedger(json, *attempts, *prices, LedgerOf(*attempts), EnergyOf(*attempts, *prices));
  });
}

Response HandleEvents(const Call& call, const TrainingContext& context, QueryBudget& budget) {
  return Answer(Load(call, EventNeeds(), context, budget),
                [&](JsonWriter& json, const LoadedJob& job) {
                  WriteEvents(json, job, EventsOf(job, context.now_ms));
                });
}

Response HandleComparison(const Call& call, const TrainingContext& context, QueryBudget& budget) {
  const auto question = ComparisonQuestionOf(call.form);
  if (!question.ok()) return TrainingFailure(question.status());
  const auto querier = context.storage.NewQuerier();
  if (!querier.ok()) return TrainingFailure(querier.status());
  std::vector<LoadedJob> runs;
  for (const answers::JobQuery& query : question->runs) {
    auto run = answers::LoadJob(query, {**querier, context.pool, budget});
    if (!run.ok()) return TrainingFailure(run.status());
    runs.push_back(*std::move(run));
  }
  return SuccessReply([&](JsonWriter& json) { WriteComparison(json, runs, *question); });
}

Response HandleHeatMap(const Call& call, const TrainingContext& context, QueryBudget& budget) {
  const auto question = HeatMapQuestionOf(call.form);
  if (!question.ok()) return TrainingFailure(question.status());
  auto query = JobQueryOf(call.form);
  if (!query.ok()) return TrainingFailure(query.status());
  query->needs = NeedsOf(question->metric);
  const auto querier = context.storage.NewQuerier();
  if (!querier.ok()) return TrainingFailure(querier.status());
  const answers::LoadContext load{**querier, context.pool, budget};
  const auto job = answers::LoadJob(*query, load);
  if (!job.ok()) return TrainingFailure(job.status());
  const auto metrics = answers::PictureMetricsOf(*query, load);
  if (!metrics.ok()) return TrainingFailure(metrics.status());
  return SuccessReply([&](JsonWriter& json) { WriteHeatMap(json, *job, *question, *metrics); });
}

Response HandleSteps(const Call& call, const TrainingContext& context, QueryBudget& budget) {
  constexpr size_t kMostPoints = 100'000;
  size_t points = 2000;
  const absl::Status status = SetCount(call.form, "points", kMostPoints, points);
  if (!status.ok()) return TrainingFailure(status);
  const auto attempts = LoadAll(call, {}, context, budget);
  if (!attempts.ok()) return TrainingFailure(attempts.status());
  return SuccessReply([&](JsonWriter& json) { WriteSteps(json, *attempts, points); });
}

}  // namespace lockstep::api
