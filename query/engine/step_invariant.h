// Which expressions have the same value at every step of a range query.
#pragma once

#include "query/promql/ast.h"

namespace lockstep::engine {

// True for expressions whose every selector is pinned by `@` and that do not look at the evaluation
// time. Such a part is evaluated once and its value repeated.
bool IsStepInvariant(const promql::Expr& expr);

// `expr` without the parentheses around it.
const promql::Expr& WithoutParens(const promql::Expr& expr);

// Where annotations about an argument of a call point, to the letter as Prometheus has it: at the argument without
// its parentheses, and at the beginning of the query for a subquery.
promql::PositionRange ArgumentPosition(const promql::Expr& argument);

}  // namespace lockstep::engine
