#include "query/engine/functions/function_eval.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "query/engine/context/series_assembler.h"
#include "query/engine/context/step_invariant.h"
#include "query/engine/ranges/range_series.h"
#include "query/engine/selectors/selector_eval.h"

namespace lockstep::engine {
namespace {

using promql::Call;
using promql::ExprKind;
using promql::FunctionId;

// Fills each gap with the last value before it.
absl::Status FillGaps(Column& column, SampleCharge& charge, QueryBudget& budget) {
  constexpr size_t kStepsPerCheck = 1 << 16;
  bool has_last = false;
  double last_value = 0;
  HistogramPtr last_histogram;
  LOCKSTEP_RETURN_IF_ERROR(charge.Add(static_cast<int64_t>(column.step_count())));
  for (size_t step = 0; step < column.step_count(); ++step) {
    if (step % kStepsPerCheck == 0) LOCKSTEP_RETURN_IF_ERROR(budget.Check());
    if (column.has_float(step)) {
      has_last = true;
      last_value = column.value(step);
      last_histogram = nullptr;
    } else if (column.present(step)) {
      last_histogram = column.histogram_ptr(step);
    } else if (last_histogram != nullptr) {
      LOCKSTEP_RETURN_IF_ERROR(charge.Add(BudgetSize(*last_histogram)));
      column.SetHistogram(step, last_histogram);
    } else if (has_last) {
      column.SetFloat(step, last_value);
    }
  }
  return absl::OkStatus();
}

// The next result of a running function from its previous result, the next value and the number of
// values before it.
double Next(FunctionId id, double so_far, double value, size_t count) {
  switch (id) {
    case FunctionId::kRunningSum:
      return so_far + value;
    case FunctionId::kRunningMax:
      return std::fmax(so_far, value);
    case FunctionId::kRunningMin:
      return std::fmin(so_far, value);
    default:
      return so_far + (value - so_far) / static_cast<double>(count + 1);
  }
}

// Floats only: there is no running sum of native histograms. In a gap the result is unchanged.
void Run(FunctionId id, Column& column) {
  column.DropHistograms();
  size_t count = 0;
  double so_far = 0;
  for (size_t step = 0; step < column.step_count(); ++step) {
    if (column.present(step)) {
      const double value = column.value(step);
      so_far = count == 0 ? value : Next(id, so_far, value, count);
      ++count;
    }
    if (count > 0) column.SetFloat(step, so_far);
  }
}

absl::StatusOr<EvaluatedValue> RunningFunction(const Call& call, Evaluator& evaluator) {
  LOCKSTEP_ASSIGN_OR_RETURN(VectorValue vector, evaluator.EvaluateVector(*call.args[0]));
  for (EvaluatedSeries& series : vector.series) {
    LOCKSTEP_RETURN_IF_ERROR(evaluator.context().budget.Check());
    LOCKSTEP_RETURN_IF_ERROR(vector.charge.Add(static_cast<int64_t>(series.column.step_count())));
    series.drop_name = true;
    Run(call.function->id, series.column);
  }
  std::erase_if(vector.series, [](const EvaluatedSeries& series) { return series.column.empty(); });
  return EvaluatedValue(std::move(vector));
}

absl::StatusOr<EvaluatedValue> KeepLastValue(const Call& call, Evaluator& evaluator) {
  LOCKSTEP_ASSIGN_OR_RETURN(VectorValue vector, evaluator.EvaluateVector(*call.args[0]));
  for (EvaluatedSeries& series : vector.series) {
    LOCKSTEP_RETURN_IF_ERROR(FillGaps(series.column, vector.charge, evaluator.context().budget));
  }
  return EvaluatedValue(std::move(vector));
}

// The parameter at the first step, as a number of series.
absl::StatusOr<size_t> CountArgument(const promql::Expr& argument, Evaluator& evaluator) {
  LOCKSTEP_ASSIGN_OR_RETURN(const ScalarValue scalar, evaluator.EvaluateScalar(argument));
  const double count = scalar.values.empty() ? 0 : scalar.values[0];
  if (!(count >= 0)) return 0;
  constexpr double kMost = 1e9;
  return static_cast<size_t>(std::min(count, kMost));
}

// Whether the expression determines the order: sort() and topk() do in an instant query; otherwise
// labels do.
bool SaysOrder(const promql::Expr& expr) {
  if (expr.kind == ExprKind::kAggregate) {
    const promql::AggregateOp op = promql::As<promql::AggregateExpr>(expr).op;
    return op == promql::AggregateOp::kTopk || op == promql::AggregateOp::kBottomk;
  }
  if (expr.kind != ExprKind::kCall) return false;
  switch (promql::As<Call>(expr).function->id) {
    case FunctionId::kSort:
    case FunctionId::kSortDesc:
    case FunctionId::kSortByLabel:
    case FunctionId::kSortByLabelDesc:
    case FunctionId::kLimitOffset:
      return true;
    default:
      return false;
  }
}

absl::StatusOr<EvaluatedValue> LimitOffset(const Call& call, Evaluator& evaluator) {
  LOCKSTEP_ASSIGN_OR_RETURN(const size_t limit, CountArgument(*call.args[0], evaluator));
  LOCKSTEP_ASSIGN_OR_RETURN(const size_t offset, CountArgument(*call.args[1], evaluator));
  LOCKSTEP_ASSIGN_OR_RETURN(VectorValue vector, evaluator.EvaluateVector(*call.args[2]));
  std::vector<EvaluatedSeries>& all = vector.series;
  if (!evaluator.is_single_step() || !SaysOrder(WithoutParens(*call.args[2]))) {
    std::ranges::stable_sort(all, {}, &EvaluatedSeries::labels);
  }
  const size_t begin = std::min(offset, all.size());
  const size_t end = begin + std::min(limit, all.size() - begin);
  all.erase(all.begin() + static_cast<std::ptrdiff_t>(end), all.end());
  all.erase(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(begin));
  return EvaluatedValue(std::move(vector));
}

// Copies the values of `from` at steps where `into` has none.
void FillFrom(const Column& from, Column& into) {
  from.ForEachPresent([&](size_t step) {
    if (!into.present(step)) into.Set(step, from, step);
  });
}

// At each step, the first query that has an element with given labels provides it.
absl::StatusOr<EvaluatedValue> Union(const Call& call, Evaluator& evaluator) {
  VectorValue all = evaluator.NewVector();
  absl::flat_hash_map<LabelSet, size_t> index;
  for (const promql::ExprPtr& argument : call.args) {
    LOCKSTEP_ASSIGN_OR_RETURN(VectorValue vector, evaluator.EvaluateVector(*argument));
    // Whether two series are the same is known only after the marked names are dropped.
    LOCKSTEP_RETURN_IF_ERROR(RemoveNames(vector));
    all.charge.Absorb(std::move(vector.charge));
    for (EvaluatedSeries& series : vector.series) {
      LOCKSTEP_RETURN_IF_ERROR(evaluator.context().budget.Check());
      const auto [found, added] = index.try_emplace(series.labels, all.series.size());
      if (added) {
        all.series.push_back(std::move(series));
      } else {
        FillFrom(series.column, all.series[found->second].column);
      }
    }
  }
  return EvaluatedValue(std::move(all));
}

}  // namespace

absl::StatusOr<EvaluatedValue> EvaluateMetricsqlTransform(const Call& call, Evaluator& evaluator) {
  switch (call.function->id) {
    case FunctionId::kKeepLastValue:
      return KeepLastValue(call, evaluator);
    case FunctionId::kLimitOffset:
      return LimitOffset(call, evaluator);
    case FunctionId::kUnion:
      return Union(call, evaluator);
    default:
      return RunningFunction(call, evaluator);
  }
}

absl::StatusOr<EvaluatedValue> DefaultRollup(const Call& call, Evaluator& evaluator) {
  const promql::Expr& range = WithoutParens(*call.args[0]);
  LOCKSTEP_ASSIGN_OR_RETURN(const RangeWindows windows, ResolveRange(range, evaluator));
  return EvaluateSelector(*promql::As<promql::MatrixSelector>(range).selector, evaluator,
                          windows.range_ms);
}

}  // namespace lockstep::engine
