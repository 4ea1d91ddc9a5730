// Windows that MetricsQL lets a query leave out: `rollup_rate(m)` for `rollup_rate(m[d])`.
#pragma once

#include "query/promql/ast.h"

namespace lockstep::promql {

// Gives a window to a selector that stands where `call` takes a range vector, if the function is
// one of MetricsQL, whose window may be left out.
void GiveImpliedWindows(Call& call);

// Whether the text has none.
bool HasImpliedWindow(const MatrixSelector& matrix);

}  // namespace lockstep::promql
