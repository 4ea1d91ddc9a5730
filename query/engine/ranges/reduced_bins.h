// Bins: the samples between neighbouring steps of a range query, and what they are reduced to.
//
//   steps       start        start + step        start + 2 step
//   bins     ...----]--------------------]--------------------]
//
// A bin is (t - step, t], like the window of m[step], so that every sample after the first bin's
// begin is in exactly one bin. Reductions are those of min_over_time and so on, bit for bit.
#pragma once

#include <cstdint>
#include <span>

#include "query/engine/context/evaluator.h"
#include "query/engine/values/reduction.h"
#include "query/promql/syntax/ast.h"

namespace lockstep::engine {

// The bins of an instant vector or a scalar, as a range vector. A selector, whatever its `offset`
// and `@`, is reduced from its samples: m becomes m[step]. Any other expression has no samples of
// its own: it is evaluated every `resolution_ms`, as the subquery expr[step:resolution].
promql::ExprPtr BinsOf(promql::ExprPtr expr, int64_t step_ms, int64_t resolution_ms);

// One series per reduction for each series of `bins`, which BinsOf() returned, with the reduction's
// name as the label kReduceLabel. Keeps metric names. Reads each series once where it can: if the
// store has the reductions of its own buckets, it reads those instead of the samples.
absl::StatusOr<VectorValue> EvaluateBins(const promql::Expr& bins,
                                         std::span<const Reduction> reductions,
                                         Evaluator& evaluator);

}  // namespace lockstep::engine
