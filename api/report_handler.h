// /api/v1/training/report: all answers about a job at once, as JSON or as a page of text.
#pragma once

#include "api/call.h"
#include "api/training_handlers.h"
#include "base/query_budget.h"

namespace lockstep::api {

// Blocking: run it on the query pool.
Response HandleReport(const Call& call, const TrainingContext& context, QueryBudget& budget);

}  // namespace lockstep::api
