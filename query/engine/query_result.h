// Converts columns to query results.
#pragma once

#include "query/engine/context/query_context.h"
#include "query/engine/values/evaluated.h"
#include "query/engine/values/step_grid.h"
#include "query/engine/values/value.h"
#include "query/promql/syntax/ast.h"

namespace lockstep::engine {

// Precondition of the first two: the value has the steps of `grid`, and names are already dropped.
// A scalar becomes one series without labels.
MatrixResult ToMatrix(EvaluatedValue value, const StepGrid& grid);
// Precondition: one step.
QueryValue ToInstantValue(EvaluatedValue value, int64_t time_ms);

// The samples of a range vector, for an instant query that is a range vector.
absl::StatusOr<MatrixResult> EvaluateRangeVector(const promql::Expr& expr, int64_t time_ms,
                                                 QueryContext& context);

}  // namespace lockstep::engine
