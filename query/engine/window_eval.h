// Functions over range vectors.
#pragma once

#include "query/engine/evaluator.h"

namespace lockstep::engine {

// Any function with a range vector argument but absent_over_time.
absl::StatusOr<EvaluatedValue> EvaluateWindows(const promql::Call& call, Evaluator& evaluator);

// Fails when the range vector has anchored or smoothed edges and the function cannot deal with them.
absl::Status CheckRangeEdges(const promql::Call& call);

}  // namespace lockstep::engine
