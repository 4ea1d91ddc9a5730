// The endpoints below /api/v1/training and /api/v1/fleet: each parses a question, lets answers/
// answer it and writes the answer. Functions of their arguments; safe from any thread. Blocking:
// run them on the query pool.
#pragma once

#include "answers/prices.h"
#include "answers/question.h"
#include "api/http/call.h"

namespace lockstep::api {

struct TrainingContext {
  answers::QuestionContext answers;
  const answers::Prices& prices;  // the server's settings
};

Response HandleTrainingJobs(const Call& call, const TrainingContext& context);
Response HandleStragglers(const Call& call, const TrainingContext& context);
Response HandleBottlenecks(const Call& call, const TrainingContext& context);
Response HandleEfficiency(const Call& call, const TrainingContext& context);
Response HandleLedger(const Call& call, const TrainingContext& context);
Response HandleForecast(const Call& call, const TrainingContext& context);
Response HandleEvents(const Call& call, const TrainingContext& context);
Response HandleComparison(const Call& call, const TrainingContext& context);
Response HandleHeatMap(const Call& call, const TrainingContext& context);
Response HandleParallelism(const Call& call, const TrainingContext& context);
Response HandleRunHistory(const Call& call, const TrainingContext& context);
Response HandleLemons(const Call& call, const TrainingContext& context);
Response HandleSteps(const Call& call, const TrainingContext& context);

// Like FailureReply, but 404 if something does not exist.
Response TrainingFailure(const absl::Status& status);

}  // namespace lockstep::api
