// Parts of expressions that the one-line and the pretty form share.
#pragma once

#include <string>

#include "query/promql/ast.h"

namespace lockstep::promql {

// `sum by (a) `, up to the parenthesis.
std::string PrintAggregateHead(const AggregateExpr& aggregate);
// `== bool on (a) group_left (b)`.
std::string PrintOperator(const BinaryExpr& binary);
// The left operand. An infinite base of a power goes without its sign, which would bind looser than `^`.
std::string PrintLeft(const BinaryExpr& binary);
// `[5m:1m] @ end() offset 1h`.
std::string PrintSubqueryTimes(const SubqueryExpr& subquery);
// `5m + step()`.
std::string PrintDuration(const DurationExpr& duration);

}  // namespace lockstep::promql
