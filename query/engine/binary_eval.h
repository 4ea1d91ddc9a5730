// Binary operators, of scalars and vectors in any mix.
#pragma once

#include "query/engine/evaluator.h"

namespace lockstep::engine {

absl::StatusOr<EvaluatedValue> EvaluateBinary(const promql::BinaryExpr& expr, Evaluator& evaluator);

}  // namespace lockstep::engine
