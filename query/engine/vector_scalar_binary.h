// Binary operators between a vector and a scalar.
#pragma once

#include "query/engine/binary_element.h"
#include "query/engine/evaluated.h"
#include "query/promql/ast.h"

namespace lockstep::engine {

enum class ScalarSide { kLeft, kRight };

// Works in place. A comparison keeps the vector's element whichever side it is on.
VectorValue ApplyToVectorAndScalar(const promql::BinaryExpr& expr, VectorValue vector,
                                   const ScalarValue& scalar, ScalarSide side, BinaryNotes& notes);

}  // namespace lockstep::engine
