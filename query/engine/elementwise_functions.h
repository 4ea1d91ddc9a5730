// Functions of one element at a time.
#pragma once

#include "query/engine/evaluator.h"

namespace lockstep::engine {

// The mathematical and calendar functions, round, clamp*, timestamp, and histogram_count _sum _avg
// _stddev _stdvar.
absl::StatusOr<EvaluatedValue> EvaluateElementwise(const promql::Call& call, Evaluator& evaluator);

}  // namespace lockstep::engine
