// Subqueries: an instant vector evaluated on a grid of its own.
#pragma once

#include "query/engine/evaluated.h"
#include "query/engine/query_context.h"
#include "query/engine/range_windows.h"
#include "query/promql/ast.h"

namespace lockstep::engine {

struct SubqueryResult {
  StepGrid grid;
  VectorValue vector;
  int64_t samples_looked_at = 0;  // by the inner expression
  SampleCharge steps;             // for what an evaluation needs per step, whatever its series
};

// On multiples of the subquery's step in absolute time: all that lie in any of the windows.
// Precondition: windows.ends.count > 0.
absl::StatusOr<SubqueryResult> EvaluateSubquery(const promql::SubqueryExpr& subquery,
                                                const RangeWindows& windows, QueryContext& context);

// Appends the present steps of `column` as samples. Histograms lose what they know about counter
// resets: between two samples of a subquery others may lie.
absl::Status AppendSamples(const Column& column, const StepGrid& grid, QueryBudget& budget,
                           SampleColumns& samples);

}  // namespace lockstep::engine
