// Range vectors: the series of a range selector or a subquery.
#pragma once

#include "absl/functional/function_ref.h"
#include "query/engine/context/evaluator.h"
#include "query/engine/ranges/range_windows.h"
#include "query/engine/selectors/series_part.h"

namespace lockstep::engine {

// Precondition for all: `expr` is a range vector, possibly in parentheses.
absl::StatusOr<RangeWindows> ResolveRange(const promql::Expr& expr, const Evaluator& evaluator);

// Opens the series that may have samples in a window, in at most `max_parts` parts, with the
// samples of all windows, without stale markers. The evaluator's context must not change while they
// are used.
absl::StatusOr<SeriesParts> OpenRange(const promql::Expr& expr, const RangeWindows& windows,
                                      Evaluator& evaluator, size_t max_parts);

// Calls `visit` for each series in label order; stops at the first error.
absl::Status ForEachRangeSeries(const promql::Expr& expr, const RangeWindows& windows,
                                Evaluator& evaluator,
                                absl::FunctionRef<absl::Status(SeriesPart&)> visit);

}  // namespace lockstep::engine
