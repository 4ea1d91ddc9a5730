// query_range with axis=step: evaluates a query at the end of each of a job's training steps.
#pragma once

#include "answers/question.h"
#include "api/http/call.h"
#include "api/query/query_handlers.h"

namespace lockstep::api {

// Blocking: run it on the query pool.
Response HandleQueryOverSteps(const Call& call, const QueryContext& context,
                              const answers::QuestionContext& jobs);

}  // namespace lockstep::api
