// Whether two trees mean the same: what parsing, printing and parsing again must keep. For tests.
#pragma once

#include "query/promql/ast.h"

namespace lockstep::promql {

// Positions do not count, nor does the order of a selector's matchers; NaN equals NaN.
bool SameTree(const Expr& a, const Expr& b);

}  // namespace lockstep::promql
