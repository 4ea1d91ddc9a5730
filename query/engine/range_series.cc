#include "query/engine/range_series.h"

#include "query/engine/duration_eval.h"
#include "query/engine/series_reader.h"
#include "query/engine/step_invariant.h"
#include "query/engine/subquery_eval.h"
#include "query/engine/time_modifiers.h"

namespace lockstep::engine {
namespace {

using promql::As;
using promql::Expr;
using promql::ExprKind;

using Visitor = absl::FunctionRef<absl::Status(const RangeSeries&)>;

absl::StatusOr<RangeWindows> Resolve(const promql::TimeModifiers& modifiers,
                                     const promql::DurationExpr* range_expr, int64_t range_ms,
                                     const Evaluator& evaluator) {
  LOCKSTEP_ASSIGN_OR_RETURN(const SelectionTimes times,
                            ResolveTimes(modifiers, evaluator.grid(), evaluator.context()));
  RangeWindows windows;
  windows.ends = times.grid;
  windows.pinned = times.pinned;
  windows.range_ms = range_ms;
  windows.lookback_ms = evaluator.context().lookback_ms;
  if (range_expr != nullptr) {
    LOCKSTEP_ASSIGN_OR_RETURN(windows.range_ms,
                              EvaluatePositiveDuration(*range_expr, evaluator.context()));
  }
  return windows;
}

absl::Status ForEachSelected(const promql::VectorSelector& selector, const RangeWindows& windows,
                             Evaluator& evaluator, Visitor visit) {
  LOCKSTEP_ASSIGN_OR_RETURN(
      SeriesReader reader,
      SeriesReader::Open(selector, windows.Extent(), evaluator.context(), windows.needed));
  while (true) {
    LOCKSTEP_ASSIGN_OR_RETURN(const bool more, reader.Next());
    if (!more) return absl::OkStatus();
    RemoveStaleMarkers(reader.samples());
    LOCKSTEP_RETURN_IF_ERROR(visit({reader.labels(), false, reader.samples()}));
  }
}

absl::Status ForEachOfSubquery(const promql::SubqueryExpr& subquery, const RangeWindows& windows,
                               Evaluator& evaluator, Visitor visit) {
  LOCKSTEP_ASSIGN_OR_RETURN(const SubqueryResult result,
                            EvaluateSubquery(subquery, windows, evaluator.context()));
  SampleColumns samples;
  for (const EvaluatedSeries& series : result.vector.series) {
    LOCKSTEP_RETURN_IF_ERROR(evaluator.context().budget.Check());
    samples.Clear();
    AppendSamples(series.column, result.grid, samples);
    LOCKSTEP_RETURN_IF_ERROR(visit({series.labels, series.drop_name, samples}));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<RangeWindows> ResolveRange(const Expr& expr, const Evaluator& evaluator) {
  const Expr& range = WithoutParens(expr);
  if (range.kind == ExprKind::kSubquery) {
    const auto& subquery = As<promql::SubqueryExpr>(range);
    return Resolve(subquery.modifiers, subquery.range_expr.get(), subquery.range_ms, evaluator);
  }
  const auto& matrix = As<promql::MatrixSelector>(range);
  LOCKSTEP_ASSIGN_OR_RETURN(
      RangeWindows windows,
      Resolve(matrix.selector->modifiers, matrix.range_expr.get(), matrix.range_ms, evaluator));
  windows.edges = matrix.selector->edges;
  return windows;
}

absl::Status ForEachRangeSeries(const Expr& expr, const RangeWindows& windows, Evaluator& evaluator,
                                Visitor visit) {
  if (windows.ends.count == 0) return absl::OkStatus();
  const Expr& range = WithoutParens(expr);
  if (range.kind == ExprKind::kSubquery) {
    return ForEachOfSubquery(As<promql::SubqueryExpr>(range), windows, evaluator, visit);
  }
  return ForEachSelected(*As<promql::MatrixSelector>(range).selector, windows, evaluator, visit);
}

}  // namespace lockstep::engine
