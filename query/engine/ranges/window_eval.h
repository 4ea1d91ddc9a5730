// Functions over range vectors.
#pragma once

#include "query/engine/context/evaluator.h"
#include "query/engine/kernels/windows/window_functions.h"

namespace lockstep::engine {

// Evaluates any function with a range vector argument, except absent_over_time and functions that
// return several series for one.
absl::StatusOr<EvaluatedValue> EvaluateWindows(const promql::Call& call, Evaluator& evaluator);

// Applies `function` to the windows of the call's range vector.
absl::StatusOr<VectorValue> EvaluateWindowsBy(const promql::Call& call, WindowFunction function,
                                              Evaluator& evaluator);

// Fails if the range vector has anchored or smoothed edges and the function does not support them.
absl::Status CheckRangeEdges(const promql::Call& call);

}  // namespace lockstep::engine
