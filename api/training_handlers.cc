#include "api/training_handlers.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "answers/job_list.h"
#include "answers/job_loader.h"
#include "answers/verdict.h"
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
  query.now_ms = std::min(query.time.max_ms, context.now_ms);
  LOCKSTEP_ASSIGN_OR_RETURN(const auto querier, context.storage.NewQuerier());
  return answers::LoadJob(query, {*querier, context.pool, budget});
}

absl::StatusOr<std::vector<LoadedJob>> LoadAll(const Call& call, const JobNeeds& needs,
                                               const TrainingContext& context,
                                               QueryBudget& budget) {
  LOCKSTEP_ASSIGN_OR_RETURN(answers::JobQuery query, JobQueryOf(call.form));
  query.needs = needs;
  query.now_ms = std::min(query.time.max_ms, context.now_ms);
  LOCKSTEP_ASSIGN_OR_RETURN(const auto querier, context.storage.NewQuerier());
  return answers::LoadAttempts(query, {*querier, context.pool, budget});
}

Response Answer(const absl::StatusOr<LoadedJob>& job,
                absl::FunctionRef<void(JsonWriter&, const LoadedJob&)> write) {
  if (!job.ok()) return TrainingFailure(job.status());
  return SuccessReply([&](JsonWriter& json) { write(json, *job); });
}

// Of a job that runs, asked as it is now: as PromQL says it. Nothing otherwise.
absl::StatusOr<std::optional<Response>> LiveStragglers(const Call& call,
                                                       const StragglerQuestion& question,
                                                       const TrainingContext& context,
                                                       QueryBudget& budget) {
  std::optional<Response> response;
  const bool is_about_now = call.form.Get("start").empty() && call.form.Get("end").empty() &&
                            call.form.Get("attempt").empty() && !question.method.has_value();
  if (!is_about_now || context.live_jobs == nullptr) return response;
  LOCKSTEP_ASSIGN_OR_RETURN(const answers::JobQuery query, JobQueryOf(call.form));
  const uint64_t change_count = context.storage.change_count();
  LOCKSTEP_ASSIGN_OR_RETURN(const auto querier, context.storage.NewQuerier());
  const auto visit = [&](const LoadedJob& job, const training::StragglerAnswer& answer) {
    if (!job.is_running) return;
    response = SuccessReply([&](JsonWriter& json) {
      WriteStragglers(json, job, answer, question.prices, context.pool);
    });
  };
  LOCKSTEP_RETURN_IF_ERROR(
      context.live_jobs
          ->Find(query.name, context.now_ms, change_count, {*querier, context.pool, budget}, visit)
          .status());
  return response;
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
  const answers::LoadContext load{**querier, context.pool, budget};
  auto jobs = answers::ListJobs(*question, load);
  if (!jobs.ok()) return TrainingFailure(jobs.status());
  const absl::Status judged = answers::Judge(*jobs, *question, load);
  if (!judged.ok()) return TrainingFailure(judged);
  return SuccessReply([&](JsonWriter& json) { WriteJobs(json, *jobs); });
}

Response HandleStragglers(const Call& call, const TrainingContext& context, QueryBudget& budget) {
  const auto question = StragglerQuestionOf(call.form, context.prices);
  if (!question.ok()) return TrainingFailure(question.status());
  auto live = LiveStragglers(call, *question, context, budget);
  if (!live.ok()) return TrainingFailure(live.status());
  if (live->has_value()) return **std::move(live);
  return Answer(Load(call, StragglerNeeds(), context, budget),
                [&](JsonWriter& json, const LoadedJob& job) {
                  const auto answer = StragglersOf(job, *question, context.pool);
                  WriteStragglers(json, job, answer, question->prices, context.pool);
                });
}

Response HandleBottlenecks(const Call& call, const TrainingContext& context, QueryBudget& budget) {
  return Answer(
      Load(call, BottleneckNeeds(), context, budget), [](JsonWriter& json, const LoadedJob& job) {
        WriteBottlenecks(
            json, job,
            training::FindBottlenecks({job.job, job.steps, job.devices, job.facts.world_size}));
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
  const auto attempts = LoadAll(call, {.beyond_frontier = true}, context, budget);
  if (!attempts.ok()) return TrainingFailure(attempts.status());
  return SuccessReply([&](JsonWriter& json) { WriteSteps(json, *attempts, points); });
}

}  // namespace lockstep::api
