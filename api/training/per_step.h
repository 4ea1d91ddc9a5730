// query_range with axis=step and per_step: what counters and rates amount to in each step.
#pragma once

#include "answers/question.h"
#include "answers/steps.h"
#include "api/http/form.h"
#include "base/status.h"
#include "query/engine/values/value.h"

namespace lockstep::api {

// Results have the step where other queries have seconds.
inline constexpr int64_t kMsPerStep = 1000;

// A matrix with a point per step of `ends` and series of the selector `query`, from the parameters
// per_step, query, lookback_delta and units. An error is the complete message for the client.
// `default_gap_ms`: how far samples may be apart, without lookback_delta.
absl::StatusOr<engine::QueryValue> AmountsOverSteps(const Form& form, const answers::StepEnds& ends,
                                                    int64_t default_gap_ms,
                                                    const answers::QuestionContext& context);

}  // namespace lockstep::api
