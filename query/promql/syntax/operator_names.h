// The spelling of operators and aggregators.
#pragma once

#include <string_view>

#include "query/promql/syntax/ast.h"

namespace lockstep::promql {

std::string_view OperatorName(BinaryOp op);
std::string_view AggregatorName(AggregateOp op);

inline bool IsComparison(BinaryOp op) {
  return op >= BinaryOp::kEqual && op <= BinaryOp::kLessEqual;
}
inline bool IsTrim(BinaryOp op) { return op == BinaryOp::kTrimUpper || op == BinaryOp::kTrimLower; }
inline bool IsSetOperator(BinaryOp op) { return op >= BinaryOp::kAnd && op <= BinaryOp::kUnless; }

}  // namespace lockstep::promql
