// Whether two trees have the same meaning, which printing and parsing must preserve. For tests.
#pragma once

#include "query/promql/syntax/ast.h"

namespace lockstep::promql {

// Ignores positions and the order of a selector's matchers; NaN equals NaN.
bool SameTree(const Expr& a, const Expr& b);

}  // namespace lockstep::promql
