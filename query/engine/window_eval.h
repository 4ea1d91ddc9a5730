// Functions over range vectors.
#pragma once

#include "query/engine/evaluator.h"
#include "query/engine/kernels/window_functions.h"

namespace lockstep::engine {

// Any function with a range vector argument but absent_over_time and those that give several series
// for one.
absl::StatusOr<EvaluatedValue> EvaluateWindows(const promql::Call& call, Evaluator& evaluator);

// What `function` makes of the windows of the call's range vector.
absl::StatusOr<VectorValue> EvaluateWindowsBy(const promql::Call& call, WindowFunction function,
                                              Evaluator& evaluator);

// Fails when the range vector has anchored or smoothed edges and the function cannot deal with them.
absl::Status CheckRangeEdges(const promql::Call& call);

}  // namespace lockstep::engine
