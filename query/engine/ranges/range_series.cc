#include "query/engine/ranges/range_series.h"

#include <memory>
#include <utility>

#include "query/engine/context/step_invariant.h"
#include "query/engine/ranges/subquery_eval.h"
#include "query/engine/selectors/duration_eval.h"
#include "query/engine/selectors/series_reader.h"

namespace lockstep::engine {
namespace {

using promql::As;
using promql::Expr;
using promql::ExprKind;

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

// Some of the series of a subquery's result.
class SubqueryPart : public SeriesPart {
 public:
  // Covers series [begin, end).
  SubqueryPart(std::shared_ptr<const SubqueryResult> result, size_t begin, size_t end,
               QueryBudget& budget)
      : result_(std::move(result)), next_(begin), end_(end), budget_(budget) {}

  absl::StatusOr<bool> Next() override {
    LOCKSTEP_RETURN_IF_ERROR(budget_.Check());
    if (next_ == end_) return false;
    ++next_;
    samples_.Clear();
    LOCKSTEP_RETURN_IF_ERROR(AppendSamples(series().column, result_->grid, budget_, samples_));
    return true;
  }
  size_t position() const override { return next_ - 1; }
  const LabelSet& labels() const override { return series().labels; }
  bool drop_name() const override { return series().drop_name; }
  SampleColumns& samples() override { return samples_; }

 private:
  const EvaluatedSeries& series() const { return result_->vector.series[next_ - 1]; }

  const std::shared_ptr<const SubqueryResult> result_;
  size_t next_;
  const size_t end_;
  QueryBudget& budget_;
  SampleColumns samples_;
};

absl::StatusOr<SeriesParts> OpenSubquery(const promql::SubqueryExpr& subquery,
                                         const RangeWindows& windows, QueryContext& context,
                                         size_t max_parts) {
  RangeWindows looked_at = windows;
  looked_at.range_ms += windows.margin_before_ms();
  LOCKSTEP_ASSIGN_OR_RETURN(SubqueryResult evaluated,
                            EvaluateSubquery(subquery, looked_at, context));
  const auto result = std::make_shared<const SubqueryResult>(std::move(evaluated));
  SeriesParts parts;
  parts.series_count = result->vector.series.size();
  const size_t part_count = PartsFor(parts.series_count, max_parts);
  for (size_t part = 0; part < part_count; ++part) {
    parts.parts.push_back(std::make_unique<SubqueryPart>(
        result, parts.series_count * part / part_count,
        parts.series_count * (part + 1) / part_count, context.budget));
  }
  return parts;
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

absl::StatusOr<SeriesParts> OpenRange(const Expr& expr, const RangeWindows& windows,
                                      Evaluator& evaluator, size_t max_parts) {
  if (windows.ends.count == 0) return SeriesParts();
  const Expr& range = WithoutParens(expr);
  QueryContext& context = evaluator.context();
  if (range.kind == ExprKind::kSubquery) {
    return OpenSubquery(As<promql::SubqueryExpr>(range), windows, context, max_parts);
  }
  const promql::VectorSelector& selector = *As<promql::MatrixSelector>(range).selector;
  return OpenSelector({selector, windows.Extent(), windows.needed}, context, max_parts);
}

absl::Status ForEachRangeSeries(const Expr& expr, const RangeWindows& windows, Evaluator& evaluator,
                                absl::FunctionRef<absl::Status(SeriesPart&)> visit) {
  LOCKSTEP_ASSIGN_OR_RETURN(const SeriesParts parts, OpenRange(expr, windows, evaluator, 1));
  for (const std::unique_ptr<SeriesPart>& part : parts.parts) {
    while (true) {
      LOCKSTEP_ASSIGN_OR_RETURN(const bool more, part->Next());
      if (!more) break;
      LOCKSTEP_RETURN_IF_ERROR(visit(*part));
    }
  }
  return absl::OkStatus();
}

}  // namespace lockstep::engine
