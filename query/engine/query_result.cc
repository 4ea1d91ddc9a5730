#include "query/engine/query_result.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "absl/strings/str_format.h"
#include "base/status.h"
#include "model/sample.h"
#include "query/engine/context/evaluator.h"
#include "query/engine/context/series_assembler.h"
#include "query/engine/context/step_invariant.h"
#include "query/engine/kernels/windows/window.h"
#include "query/engine/kernels/windows/window_functions.h"
#include "query/engine/ranges/range_series.h"
#include "query/engine/ranges/subquery_eval.h"
#include "query/engine/selectors/series_reader.h"

namespace lockstep::engine {
namespace {

using promql::RangeEdges;

FloatPoint PointAt(const Window& window, size_t index) {
  return {window.timestamps_ms[index], window.values[index]};
}

// The value at the start of the range. `first` is the newest sample at or before it, otherwise the
// first.
double LeftEdge(const Window& window, size_t first) {
  const bool between = window.edges == RangeEdges::kSmoothed &&
                       window.timestamps_ms[first] < window.range_start_ms &&
                       first + 1 < window.values.size();
  if (!between) return window.values[first];
  return Interpolate(PointAt(window, first), PointAt(window, first + 1), window.range_start_ms,
                     SeriesKind::kGauge);
}

// The value at the end of the range. `last` is the first sample at or after it, otherwise the last.
double RightEdge(const Window& window, size_t last) {
  const bool between = window.edges == RangeEdges::kSmoothed && last > 0 &&
                       window.timestamps_ms[last] > window.range_end_ms;
  if (!between) return window.values[last];
  return Interpolate(PointAt(window, last - 1), PointAt(window, last), window.range_end_ms,
                     SeriesKind::kGauge);
}

void CopyExtended(const Window& window, SampleColumns& samples) {
  const auto& times = window.timestamps_ms;
  if (times.empty()) return;
  const auto behind_start = std::upper_bound(times.begin(), times.end(), window.range_start_ms);
  const auto at_end = std::lower_bound(times.begin(), times.end(), window.range_end_ms);
  const size_t inside_begin = static_cast<size_t>(behind_start - times.begin());
  const size_t inside_end = static_cast<size_t>(at_end - times.begin());
  const size_t last = std::min(inside_end, times.size() - 1);
  if (times[last] <= window.range_start_ms) return;
  samples.Append(window.range_start_ms, LeftEdge(window, inside_begin > 0 ? inside_begin - 1 : 0));
  for (size_t i = inside_begin; i < inside_end; ++i) samples.Append(times[i], window.values[i]);
  samples.Append(window.range_end_ms, RightEdge(window, last));
}

// Appends the window's samples to `samples`. For a window with anchored or smoothed edges, appends
// floats at both edges of the range, synthesized if necessary, and those in between; returns
// kFailedPrecondition if it has histograms.
absl::Status CopyWindow(const Window& window, SampleColumns& samples) {
  if (window.edges != RangeEdges::kPlain) {
    if (!window.histograms.empty()) {
      return absl::FailedPreconditionError(
          absl::StrFormat("%s modifier is not supported with histograms",
                          window.edges == RangeEdges::kSmoothed ? "smoothed" : "anchored"));
    }
    CopyExtended(window, samples);
    return absl::OkStatus();
  }
  samples.timestamps_ms.assign(window.timestamps_ms.begin(), window.timestamps_ms.end());
  samples.values.assign(window.values.begin(), window.values.end());
  samples.histograms.assign(window.histograms.begin(), window.histograms.end());
  return absl::OkStatus();
}

void AppendFloats(const Column& column, const StepGrid& grid, SampleColumns& samples) {
  const size_t count = column.PresentCount();
  samples.timestamps_ms.resize(count);
  samples.values.resize(count);
  int64_t* next_time_ms = samples.timestamps_ms.data();
  double* next_value = samples.values.data();
  column.ForEachRun({0, column.step_count()}, [&](size_t step, std::span<const double> values) {
    int64_t time_ms = grid.TimeAt(step);
    for (size_t i = 0; i < values.size(); ++i, time_ms += grid.step_ms) *next_time_ms++ = time_ms;
    next_value = std::ranges::copy(values, next_value).out;
  });
}

// Precondition: `samples` is empty.
void AppendColumn(const Column& column, const StepGrid& grid, SampleColumns& samples) {
  if (!column.has_histograms()) return AppendFloats(column, grid, samples);
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
  // Results of selectors are already sorted.
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

// The steps of a subquery itself; drops names like any other result.
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
