// Arithmetic in ranges, steps and offsets.
#pragma once

#include <cstdint>

#include "base/status.h"
#include "query/engine/query_context.h"
#include "query/promql/ast.h"

namespace lockstep::engine {

// Milliseconds, truncated. kInvalidArgument on a division by zero, and when the result is not a
// number or out of range.
absl::StatusOr<int64_t> EvaluateDuration(const promql::DurationExpr& expr,
                                         const QueryContext& context);
// The same; also refuses what is not above zero.
absl::StatusOr<int64_t> EvaluatePositiveDuration(const promql::DurationExpr& expr,
                                                 const QueryContext& context);

// Whether all of them in `expr` can be evaluated: a query fails by them before it reads anything.
absl::Status CheckDurations(const promql::Expr& expr, const QueryContext& context);

}  // namespace lockstep::engine
