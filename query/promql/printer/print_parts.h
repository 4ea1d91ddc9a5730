// Prints the parts of expressions that contain no other expression, for both forms.
#pragma once

#include <string>

#include "query/promql/syntax/ast.h"

namespace lockstep::promql {

std::string PrintLiteral(const NumberLiteral& literal);
// `name{a="b"} offset 5m`, `name[5m] @ end()`.
std::string PrintVectorSelector(const VectorSelector& selector);
std::string PrintMatrixSelector(const MatrixSelector& matrix);
// `sum by (a) `, up to the parenthesis.
std::string PrintAggregateHead(const AggregateExpr& aggregate);
// `== bool on (a) group_left (b)`.
std::string PrintOperator(const BinaryExpr& binary);
// `[5m:1m] @ end() offset 1h`.
std::string PrintSubqueryTimes(const SubqueryExpr& subquery);
// `5m + step()`.
std::string PrintDuration(const DurationExpr& duration);

}  // namespace lockstep::promql
