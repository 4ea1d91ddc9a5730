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

}  // namespace lockstep::engine
