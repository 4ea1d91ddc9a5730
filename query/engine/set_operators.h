// `and`, `or` and `unless`: vectors as sets of match groups.
#pragma once

#include "query/engine/vector_binary.h"

namespace lockstep::engine {

// Precondition: `expr` is a set operator.
absl::StatusOr<EvaluatedValue> ApplySetOperator(const promql::BinaryExpr& expr,
                                                VectorOperands operands, Evaluator& evaluator);

}  // namespace lockstep::engine
