// /api/v1/training/report: all answers about a job at once, as JSON or as text.
#pragma once

#include "api/http/call.h"
#include "api/training/training_handlers.h"

namespace lockstep::api {

// Blocking: run it on the query pool.
Response HandleReport(const Call& call, const TrainingContext& context);

}  // namespace lockstep::api
