// count_values: how many elements have which value.
#pragma once

#include "query/engine/evaluator.h"

namespace lockstep::engine {

// Precondition: `expr` is a count_values.
absl::StatusOr<EvaluatedValue> CountValues(const promql::AggregateExpr& expr, Evaluator& evaluator);

}  // namespace lockstep::engine
