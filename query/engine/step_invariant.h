// Which expressions have the same value at every step of a range query.
#pragma once

#include "query/promql/ast.h"

namespace lockstep::engine {

// True for expressions whose every selector is pinned by `@` and that do not look at the evaluation
// time. Such a part is evaluated once and its value repeated.
bool IsStepInvariant(const promql::Expr& expr);

// `expr` without the parentheses around it.
const promql::Expr& WithoutParens(const promql::Expr& expr);

}  // namespace lockstep::engine
