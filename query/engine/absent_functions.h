// absent and absent_over_time: one element where there is none.
#pragma once

#include "query/engine/evaluator.h"

namespace lockstep::engine {

absl::StatusOr<EvaluatedValue> Absent(const promql::Call& call, Evaluator& evaluator);
absl::StatusOr<EvaluatedValue> AbsentOverTime(const promql::Call& call, Evaluator& evaluator);

}  // namespace lockstep::engine
