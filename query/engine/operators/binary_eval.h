// Evaluates binary operators.
#pragma once

#include "query/engine/context/evaluator.h"
#include "query/engine/operators/binary_element.h"

namespace lockstep::engine {

// Any operator, on any combination of scalars and vectors.
absl::StatusOr<EvaluatedValue> EvaluateBinary(const promql::BinaryExpr& expr, Evaluator& evaluator);

// The cases from which EvaluateBinary() chooses, each in a .cc file of its own.

struct VectorOperands {
  VectorValue left;
  VectorValue right;
};

// vector_binary: arithmetic and comparison between two vectors. Precondition: `expr` is not a set
// operator and has a matching.
absl::StatusOr<EvaluatedValue> ApplyToVectors(const promql::BinaryExpr& expr,
                                              VectorOperands operands, Evaluator& evaluator);

// set_operators: `and`, `or` and `unless`, vectors as sets of match groups. Precondition: `expr` is
// one of these.
absl::StatusOr<EvaluatedValue> ApplySetOperator(const promql::BinaryExpr& expr,
                                                VectorOperands operands, Evaluator& evaluator);

enum class ScalarSide { kLeft, kRight };

// vector_scalar_binary: arithmetic and comparison between a vector and a scalar. Works in place. A
// comparison keeps the vector's element, whichever side it is on.
VectorValue ApplyToVectorAndScalar(const promql::BinaryExpr& expr, VectorValue vector,
                                   const ScalarValue& scalar, ScalarSide side, BinaryNotes& notes);

}  // namespace lockstep::engine
