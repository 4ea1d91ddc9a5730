// Function calls: finds the evaluation of each function.
#pragma once

#include "query/engine/evaluator.h"

namespace lockstep::engine {

absl::StatusOr<EvaluatedValue> EvaluateCall(const promql::Call& call, Evaluator& evaluator);

}  // namespace lockstep::engine
