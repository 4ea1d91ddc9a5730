// The endpoints below /api/v1/training: each reads a job's series and says what they tell.
// Functions of their arguments, safe from any thread. Blocking: run them on the query pool.
#pragma once

#include <cstdint>

#include "answers/live_jobs.h"
#include "api/call.h"
#include "api/prices.h"
#include "base/query_budget.h"
#include "base/task_pool.h"
#include "storage/storage.h"

namespace lockstep::api {

struct TrainingContext {
  const Storage&
      storage;           // of what was written: jobs are not loaded from what is computed from them
  TaskPool& pool;        // that helps to read
  const Prices& prices;  // that the server was told
  int64_t now_ms = 0;
  answers::LiveJobs* live_jobs =
      nullptr;  // what is known of the jobs that run; null: nothing is kept
};

Response HandleTrainingJobs(const Call& call, const TrainingContext& context, QueryBudget& budget);
Response HandleStragglers(const Call& call, const TrainingContext& context, QueryBudget& budget);
Response HandleBottlenecks(const Call& call, const TrainingContext& context, QueryBudget& budget);
Response HandleEfficiency(const Call& call, const TrainingContext& context, QueryBudget& budget);
Response HandleLedger(const Call& call, const TrainingContext& context, QueryBudget& budget);
Response HandleEvents(const Call& call, const TrainingContext& context, QueryBudget& budget);
Response HandleComparison(const Call& call, const TrainingContext& context, QueryBudget& budget);
Response HandleHeatMap(const Call& call, const TrainingContext& context, QueryBudget& budget);
Response HandleSteps(const Call& call, const TrainingContext& context, QueryBudget& budget);

// As FailureReply, and 404 for what is not there.
Response TrainingFailure(const absl::Status& status);

}  // namespace lockstep::api
