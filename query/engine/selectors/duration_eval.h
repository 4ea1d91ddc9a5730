// Arithmetic in ranges, steps and offsets, and the times that `offset` and `@` lead to.
#pragma once

#include <cstdint>

#include "base/status.h"
#include "query/engine/context/query_context.h"
#include "query/engine/values/step_grid.h"
#include "query/promql/syntax/ast.h"

namespace lockstep::engine {

// Returns milliseconds, truncated, or kInvalidArgument for a division by zero and a result that is
// NaN or out of range.
absl::StatusOr<int64_t> EvaluateDuration(const promql::DurationExpr& expr,
                                         const QueryContext& context);
// The same, but also rejects values that are not positive.
absl::StatusOr<int64_t> EvaluatePositiveDuration(const promql::DurationExpr& expr,
                                                 const QueryContext& context);

// Checks that all durations in `expr` can be evaluated, so that a query fails before it reads
// anything.
absl::Status CheckDurations(const promql::Expr& expr, const QueryContext& context);

struct SelectionTimes {
  StepGrid grid;        // one time if `pinned`, otherwise one per step of the evaluation
  bool pinned = false;  // by `@`: every step looks at the same time
};

absl::StatusOr<SelectionTimes> ResolveTimes(const promql::TimeModifiers& modifiers,
                                            const StepGrid& grid, const QueryContext& context);

}  // namespace lockstep::engine
