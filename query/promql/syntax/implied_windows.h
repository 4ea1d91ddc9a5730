// Windows that MetricsQL allows a query to omit: `rollup_rate(m)` for `rollup_rate(m[d])`.
#pragma once

#include "query/promql/syntax/ast.h"

namespace lockstep::promql {

// Adds a window to a selector in the place of a range vector argument of `call`, if the function is
// one of MetricsQL, whose window may be omitted.
void GiveImpliedWindows(Call& call);

// Whether the window is omitted in the text.
bool HasImpliedWindow(const MatrixSelector& matrix);

}  // namespace lockstep::promql
