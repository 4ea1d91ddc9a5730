// Range vectors: the series of a range selector or a subquery.
#pragma once

#include "absl/functional/function_ref.h"
#include "query/engine/evaluator.h"
#include "query/engine/range_windows.h"
#include "query/engine/series_part.h"

namespace lockstep::engine {

// Precondition for all: `expr` is a range vector, in parentheses or not.
absl::StatusOr<RangeWindows> ResolveRange(const promql::Expr& expr, const Evaluator& evaluator);

// The series that may have samples in a window, in at most `max_parts` parts: samples of all windows
// together, without stale markers. Nothing may change the evaluator's context while they are used.
absl::StatusOr<SeriesParts> OpenRange(const promql::Expr& expr, const RangeWindows& windows,
                                      Evaluator& evaluator, size_t max_parts);

// Calls `visit` for each of them, in order of labels; stops at its first error.
absl::Status ForEachRangeSeries(const promql::Expr& expr, const RangeWindows& windows,
                                Evaluator& evaluator,
                                absl::FunctionRef<absl::Status(SeriesPart&)> visit);

}  // namespace lockstep::engine
