// Which expressions have the same value at every step of a range query.
#pragma once

#include "query/promql/syntax/ast.h"

namespace lockstep::engine {

// True if every selector of `expr` is pinned by `@` and it does not use the evaluation time. Such a
// part is evaluated once and its value repeated.
bool IsStepInvariant(const promql::Expr& expr);

// `expr` without the parentheses around it.
const promql::Expr& WithoutParens(const promql::Expr& expr);

// The position of annotations about an argument of a call, exactly as in Prometheus: the argument
// without its parentheses, or the beginning of the query for a subquery.
promql::PositionRange ArgumentPosition(const promql::Expr& argument);

}  // namespace lockstep::engine
