#include "query/engine/ranges/subquery_eval.h"

#include <algorithm>
#include <utility>

#include "query/engine/context/evaluator.h"
#include "query/engine/selectors/duration_eval.h"

namespace lockstep::engine {
namespace {

absl::StatusOr<int64_t> StepOf(const promql::SubqueryExpr& subquery, const QueryContext& context) {
  int64_t step_ms = subquery.step_ms;
  if (subquery.step_expr != nullptr) {
    LOCKSTEP_ASSIGN_OR_RETURN(step_ms, EvaluatePositiveDuration(*subquery.step_expr, context));
  }
  return step_ms != 0 ? step_ms : context.default_subquery_step_ms;
}

// The smallest multiple of `step_ms` after `time_ms`.
int64_t FirstMultipleAfter(int64_t time_ms, int64_t step_ms) {
  const int64_t multiple = time_ms / step_ms * step_ms;
  return multiple <= time_ms ? multiple + step_ms : multiple;
}

HistogramPtr WithoutResetHint(const HistogramPtr& histogram) {
  if (histogram->reset_hint != CounterResetHint::kReset &&
      histogram->reset_hint != CounterResetHint::kNotReset) {
    return histogram;
  }
  auto copy = std::make_shared<Histogram>(*histogram);
  copy->reset_hint = CounterResetHint::kUnknown;
  return copy;
}

}  // namespace

absl::StatusOr<SubqueryResult> EvaluateSubquery(const promql::SubqueryExpr& subquery,
                                                const RangeWindows& windows,
                                                QueryContext& context) {
  LOCKSTEP_ASSIGN_OR_RETURN(const int64_t step_ms, StepOf(subquery, context));
  const int64_t first_ms = FirstMultipleAfter(windows.ends.start_ms - windows.range_ms, step_ms);
  SubqueryResult result;
  result.grid = StepGrid::Over(first_ms, windows.ends.last_ms(), step_ms);
  result.steps = SampleCharge(context.budget);
  if (result.grid.count == 0) return result;
  LOCKSTEP_RETURN_IF_ERROR(result.steps.Add(static_cast<int64_t>(result.grid.count)));
  const TraceSpan span(context.trace, subquery);
  Evaluator inner(context, result.grid);
  LOCKSTEP_ASSIGN_OR_RETURN(result.vector, inner.EvaluateVector(*subquery.inner));
  result.samples_looked_at = inner.counts().total();
  return result;
}

absl::Status AppendSamples(const Column& column, const StepGrid& grid, QueryBudget& budget,
                           SampleColumns& samples) {
  constexpr size_t kStepsPerCheck = 1 << 16;  // a multiple of 64
  for (size_t begin = 0; begin < column.step_count(); begin += kStepsPerCheck) {
    LOCKSTEP_RETURN_IF_ERROR(budget.Check());
    const StepBlock block{begin, std::min(begin + kStepsPerCheck, column.step_count())};
    column.ForEachPresent(block, [&](size_t step) {
      if (column.histogram(step) != nullptr) {
        samples.histograms.push_back(
            {grid.TimeAt(step), WithoutResetHint(column.histogram_ptr(step))});
      } else {
        samples.Append(grid.TimeAt(step), column.value(step));
      }
    });
  }
  return absl::OkStatus();
}

}  // namespace lockstep::engine
