// The functions of MetricsQL that give the lowest, the highest and the mean of something in each
// window: rollup, rollup_delta, rollup_deriv, rollup_increase, rollup_rate.
#pragma once

#include "query/engine/evaluator.h"

namespace lockstep::engine {

bool IsRollup(promql::FunctionId id);

// Three series for each of the call's, told apart by the label "rollup"; if the second argument
// picks one of "min", "max" and "avg", that alone, without the label. Precondition: IsRollup() of
// its function.
absl::StatusOr<EvaluatedValue> EvaluateRollup(const promql::Call& call, Evaluator& evaluator);

}  // namespace lockstep::engine
