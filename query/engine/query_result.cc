#include "query/engine/query_result.h"

#include <algorithm>
#include <utility>

#include "query/engine/evaluator.h"
#include "query/engine/extended_range.h"
#include "query/engine/name_removal.h"
#include "query/engine/range_series.h"
#include "query/engine/series_reader.h"
#include "query/engine/step_invariant.h"
#include "query/engine/subquery_eval.h"

namespace lockstep::engine {
namespace {

void AppendColumn(const Column& column, const StepGrid& grid, SampleColumns& samples) {
  const size_t count = column.PresentCount();
  if (!column.has_histograms()) {
    samples.timestamps_ms.reserve(count);
    samples.values.reserve(count);
  }
  column.ForEachPresent([&](size_t step) {
    if (column.histogram(step) != nullptr) {
      samples.histograms.push_back({grid.TimeAt(step), column.histogram_ptr(step)});
    } else {
      samples.Append(grid.TimeAt(step), column.value(step));
    }
  });
}

void SortByLabels(MatrixResult& matrix) {
  const auto is_less = [](const MatrixSeries& a, const MatrixSeries& b) {
    return a.labels < b.labels;
  };
  // Selections are already.
  if (std::is_sorted(matrix.begin(), matrix.end(), is_less)) return;
  std::sort(matrix.begin(), matrix.end(), is_less);
}

MatrixResult VectorToMatrix(VectorValue vector, const StepGrid& grid) {
  MatrixResult matrix;
  matrix.reserve(vector.series.size());
  for (EvaluatedSeries& series : vector.series) {
    MatrixSeries out{std::move(series.labels), {}};
    AppendColumn(series.column, grid, out.samples);
    series.column = Column(0);
    if (out.samples.size() > 0) matrix.push_back(std::move(out));
  }
  SortByLabels(matrix);
  return matrix;
}

VectorResult VectorToInstant(VectorValue vector, int64_t time_ms) {
  VectorResult result;
  for (EvaluatedSeries& series : vector.series) {
    if (!series.column.present(0)) continue;
    VectorElement element{std::move(series.labels), time_ms, series.column.value(0), nullptr};
    if (series.column.histogram(0) != nullptr) {
      element.histogram = series.column.histogram_ptr(0);
    }
    result.push_back(std::move(element));
  }
  return result;
}

// A subquery's own steps; names go as they do from any other result.
absl::StatusOr<MatrixResult> SubqueryMatrix(const promql::SubqueryExpr& subquery,
                                            const RangeWindows& windows, QueryContext& context) {
  LOCKSTEP_ASSIGN_OR_RETURN(SubqueryResult result, EvaluateSubquery(subquery, windows, context));
  LOCKSTEP_RETURN_IF_ERROR(RemoveNames(result.vector));
  context.stats.total_samples = result.samples_looked_at;
  if (context.counts_per_step) context.stats.samples_per_step = {result.samples_looked_at};
  return VectorToMatrix(std::move(result.vector), result.grid);
}

}  // namespace

MatrixResult ToMatrix(EvaluatedValue value, const StepGrid& grid) {
  if (auto* vector = std::get_if<VectorValue>(&value)) {
    return VectorToMatrix(std::move(*vector), grid);
  }
  const ScalarValue& scalar = std::get<ScalarValue>(value);
  if (scalar.values.empty()) return {};
  MatrixSeries series;
  for (size_t step = 0; step < scalar.values.size(); ++step) {
    series.samples.Append(grid.TimeAt(step), scalar.values[step]);
  }
  MatrixResult matrix;
  matrix.push_back(std::move(series));
  return matrix;
}

QueryValue ToInstantValue(EvaluatedValue value, int64_t time_ms) {
  if (auto* text = std::get_if<StringValue>(&value)) {
    return StringResult{time_ms, std::move(text->text)};
  }
  if (const auto* scalar = std::get_if<ScalarValue>(&value)) {
    return ScalarResult{time_ms, scalar->values[0]};
  }
  return VectorToInstant(std::get<VectorValue>(std::move(value)), time_ms);
}

absl::StatusOr<MatrixResult> EvaluateRangeVector(const promql::Expr& expr, int64_t time_ms,
                                                 QueryContext& context) {
  Evaluator evaluator(context, StepGrid::At(time_ms));
  LOCKSTEP_ASSIGN_OR_RETURN(const RangeWindows windows, ResolveRange(expr, evaluator));
  const promql::Expr& range = WithoutParens(expr);
  if (range.kind == promql::ExprKind::kSubquery) {
    return SubqueryMatrix(promql::As<promql::SubqueryExpr>(range), windows, context);
  }
  MatrixResult matrix;
  SampleCharge charge(context.budget);
  LOCKSTEP_RETURN_IF_ERROR(ForEachRangeSeries(range, windows, evaluator, [&](SeriesPart& series) {
    MatrixSeries out{series.labels(), {}};
    LOCKSTEP_RETURN_IF_ERROR(
        CopyWindow(WindowSlider(series.samples(), windows).At(0), out.samples));
    if (out.samples.size() == 0) return absl::OkStatus();
    evaluator.counts().Add(0, BudgetSize(out.samples));
    LOCKSTEP_RETURN_IF_ERROR(charge.Add(BudgetSize(out.samples)));
    LOCKSTEP_RETURN_IF_ERROR(charge.AddText(out.labels.bytes().size()));
    matrix.push_back(std::move(out));
    return absl::OkStatus();
  }));
  SortByLabels(matrix);
  context.stats.total_samples = evaluator.counts().total();
  context.stats.samples_per_step = evaluator.counts().TakePerStep();
  return matrix;
}

}  // namespace lockstep::engine
