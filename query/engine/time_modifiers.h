// `offset` and `@`: which times a selector or subquery looks at.
#pragma once

#include "base/status.h"
#include "query/engine/query_context.h"
#include "query/engine/step_grid.h"
#include "query/promql/ast.h"

namespace lockstep::engine {

struct SelectionTimes {
  StepGrid grid;        // one time if `pinned`, else one per step of the evaluation
  bool pinned = false;  // by `@`: every step looks at the same time
};

absl::StatusOr<SelectionTimes> ResolveTimes(const promql::TimeModifiers& modifiers,
                                            const StepGrid& grid, const QueryContext& context);

}  // namespace lockstep::engine
