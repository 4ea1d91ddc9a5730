// Functions that make scalars, or vectors of scalars.
#pragma once

#include "query/engine/evaluator.h"

namespace lockstep::engine {

// time pi start end range step max_of min_of scalar vector.
absl::StatusOr<EvaluatedValue> EvaluateScalarFunction(const promql::Call& call,
                                                      Evaluator& evaluator);

}  // namespace lockstep::engine
