// query_range with axis=step: a query evaluated at the ends of a job's training steps.
#pragma once

#include "api/call.h"
#include "api/query_handlers.h"
#include "api/training_handlers.h"
#include "base/query_budget.h"

namespace lockstep::api {

// Blocking: run it on the query pool.
Response HandleQueryOverSteps(const Call& call, const QueryContext& context,
                              const TrainingContext& training, QueryBudget& budget);

}  // namespace lockstep::api
