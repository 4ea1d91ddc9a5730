// Aggregations over instant vectors.
#pragma once

#include "query/engine/evaluator.h"

namespace lockstep::engine {

absl::StatusOr<EvaluatedValue> EvaluateAggregate(const promql::AggregateExpr& expr,
                                                 Evaluator& evaluator);

}  // namespace lockstep::engine
