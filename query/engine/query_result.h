// From columns to the values that a query answers with.
#pragma once

#include "query/engine/evaluated.h"
#include "query/engine/query_context.h"
#include "query/engine/step_grid.h"
#include "query/engine/value.h"
#include "query/promql/ast.h"

namespace lockstep::engine {

// Precondition of the first two: the value's steps are those of `grid`; names are removed already.
// A scalar becomes one series without labels.
MatrixResult ToMatrix(EvaluatedValue value, const StepGrid& grid);
// Precondition: one step.
QueryValue ToInstantValue(EvaluatedValue value, int64_t time_ms);

// The samples of a range vector itself, which an instant query may ask for.
absl::StatusOr<MatrixResult> EvaluateRangeVector(const promql::Expr& expr, int64_t time_ms,
                                                 QueryContext& context);

}  // namespace lockstep::engine
