// Arithmetic and comparison between two vectors.
#pragma once

#include "query/engine/evaluator.h"

namespace lockstep::engine {

struct VectorOperands {
  VectorValue left;
  VectorValue right;
};

// Precondition: `expr` is no set operator and has a matching.
absl::StatusOr<EvaluatedValue> ApplyToVectors(const promql::BinaryExpr& expr,
                                              VectorOperands operands, Evaluator& evaluator);

}  // namespace lockstep::engine
