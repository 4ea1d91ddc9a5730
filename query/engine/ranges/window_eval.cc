#include "query/engine/ranges/window_eval.h"

#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "query/engine/context/step_invariant.h"
#include "query/engine/kernels/windows/window_functions.h"
#include "query/engine/ranges/range_series.h"
#include "query/engine/ranges/range_windows.h"
#include "query/engine/ranges/window_worker.h"
#include "query/engine/selectors/series_columns.h"

namespace lockstep::engine {
namespace {

using promql::Call;
using promql::FunctionId;
using promql::RangeEdges;
using promql::ValueType;

const promql::Expr& RangeArgument(const Call& call) {
  for (const promql::ExprPtr& argument : call.args) {
    if (argument->type == ValueType::kMatrix) return *argument;
  }
  return *call.args[0];
}

bool KeepsName(FunctionId id) {
  return id == FunctionId::kLastOverTime || id == FunctionId::kFirstOverTime ||
         id == FunctionId::kDefaultRollup || id == FunctionId::kRollup;
}

bool SmoothedEdgesFit(FunctionId id) {
  return id == FunctionId::kRate || id == FunctionId::kIncrease || id == FunctionId::kDelta;
}

bool AnchoredEdgesFit(FunctionId id) {
  return SmoothedEdgesFit(id) || id == FunctionId::kChanges || id == FunctionId::kResets;
}

absl::StatusOr<std::vector<ScalarValue>> EvaluateParams(const Call& call, Evaluator& evaluator) {
  std::vector<ScalarValue> params;
  for (const promql::ExprPtr& argument : call.args) {
    if (argument->type != ValueType::kScalar) continue;
    LOCKSTEP_ASSIGN_OR_RETURN(ScalarValue param, evaluator.EvaluateScalar(*argument));
    params.push_back(std::move(param));
  }
  return params;
}

}  // namespace

absl::StatusOr<VectorValue> EvaluateWindowsBy(const Call& call, WindowFunction function,
                                              Evaluator& evaluator) {
  const promql::Expr& range = WithoutParens(RangeArgument(call));
  const FunctionId id = call.function->id;
  QueryContext& context = evaluator.context();
  WindowCall window_call{.id = id,
                         .function = function,
                         .windows = {},
                         .params = {},
                         .range_position = ArgumentPosition(RangeArgument(call)),
                         .first_position = ArgumentPosition(*call.args[0]),
                         .is_range_query = context.step_ms > 0};
  LOCKSTEP_ASSIGN_OR_RETURN(window_call.params, EvaluateParams(call, evaluator));
  RangeWindows& windows = window_call.windows;
  LOCKSTEP_ASSIGN_OR_RETURN(windows, ResolveRange(range, evaluator));
  // Start at the sample before the range, if there is one.
  if (id == FunctionId::kIncreasePure) windows.edges = RangeEdges::kAnchored;
  windows.needed = SamplesNeededBy(id, windows);
  LOCKSTEP_ASSIGN_OR_RETURN(SeriesParts parts,
                            OpenRange(range, windows, evaluator, MaxParts(context)));
  const auto new_worker = [&]() -> ColumnWorker {
    return [worker = WindowWorker(window_call, evaluator.grid(), context.budget)](
               SeriesPart& series, Column& column, WorkNotes& notes) mutable {
      return worker.Apply(series, column, notes);
    };
  };
  return MakeColumns(std::move(parts), !KeepsName(id), evaluator, new_worker);
}

absl::StatusOr<EvaluatedValue> EvaluateWindows(const Call& call, Evaluator& evaluator) {
  LOCKSTEP_ASSIGN_OR_RETURN(
      VectorValue vector,
      EvaluateWindowsBy(call, FindWindowFunction(call.function->id), evaluator));
  return EvaluatedValue(std::move(vector));
}

absl::Status CheckRangeEdges(const Call& call) {
  const promql::Expr& range = WithoutParens(RangeArgument(call));
  if (range.kind != promql::ExprKind::kMatrixSelector) return absl::OkStatus();
  const RangeEdges edges = promql::As<promql::MatrixSelector>(range).selector->edges;
  const FunctionId id = call.function->id;
  if (edges == RangeEdges::kAnchored && !AnchoredEdgesFit(id)) {
    return absl::FailedPreconditionError(absl::StrFormat(
        "anchored modifier can only be used with: changes, delta, increase, rate, resets - not "
        "with %s",
        call.function->name));
  }
  if (edges == RangeEdges::kSmoothed && !SmoothedEdgesFit(id)) {
    return absl::FailedPreconditionError(absl::StrFormat(
        "smoothed modifier can only be used with: delta, increase, rate - not with %s",
        call.function->name));
  }
  return absl::OkStatus();
}

}  // namespace lockstep::engine
