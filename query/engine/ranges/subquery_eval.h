// Subqueries: an instant vector evaluated on its own grid.
#pragma once

#include "query/engine/context/query_context.h"
#include "query/engine/ranges/range_windows.h"
#include "query/engine/values/evaluated.h"
#include "query/promql/syntax/ast.h"

namespace lockstep::engine {

struct SubqueryResult {
  StepGrid grid;
  VectorValue vector;
  int64_t samples_looked_at = 0;  // by the inner expression
  SampleCharge steps;             // for the memory per step, independent of the series
};

// Evaluates at all multiples of the subquery's step in absolute time that are in any window.
// Precondition: windows.ends.count > 0.
absl::StatusOr<SubqueryResult> EvaluateSubquery(const promql::SubqueryExpr& subquery,
                                                const RangeWindows& windows, QueryContext& context);

// Appends the present steps of `column` as samples. Clears the reset hints of histograms, because
// there may be other samples between two samples of a subquery.
absl::Status AppendSamples(const Column& column, const StepGrid& grid, QueryBudget& budget,
                           SampleColumns& samples);

}  // namespace lockstep::engine
