// Range vectors: the series of a range selector or a subquery, one at a time.
#pragma once

#include "absl/functional/function_ref.h"
#include "query/engine/evaluator.h"
#include "query/engine/range_windows.h"

namespace lockstep::engine {

struct RangeSeries {
  const LabelSet& labels;
  bool drop_name = false;
  const SampleColumns& samples;  // without stale markers; of all windows together
};

// Precondition for both: `expr` is a range vector, in parentheses or not.
absl::StatusOr<RangeWindows> ResolveRange(const promql::Expr& expr, const Evaluator& evaluator);

// Calls `visit` for every series that may have samples in a window; stops at its first error. What it is
// given lives for the call.
absl::Status ForEachRangeSeries(const promql::Expr& expr, const RangeWindows& windows,
                                Evaluator& evaluator,
                                absl::FunctionRef<absl::Status(const RangeSeries&)> visit);

}  // namespace lockstep::engine
