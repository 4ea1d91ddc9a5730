#include "query/engine/functions/function_eval.h"

#include <utility>

#include "query/engine/context/step_invariant.h"
#include "query/engine/ranges/window_eval.h"

namespace lockstep::engine {
namespace {

using promql::Call;
using promql::FunctionId;

// Evaluates functions with a range vector argument.
absl::StatusOr<EvaluatedValue> EvaluateOverRange(const Call& call, Evaluator& evaluator) {
  LOCKSTEP_RETURN_IF_ERROR(CheckRangeEdges(call));
  if (call.function->id == FunctionId::kAbsentOverTime) return AbsentOverTime(call, evaluator);
  if (call.function->id == FunctionId::kDefaultRollup &&
      WithoutParens(*call.args[0]).kind == promql::ExprKind::kMatrixSelector) {
    return DefaultRollup(call, evaluator);
  }
  return IsRollup(call.function->id) ? EvaluateRollup(call, evaluator)
                                     : EvaluateWindows(call, evaluator);
}

bool TakesRange(const Call& call) {
  for (const promql::ValueType type : call.function->arg_types) {
    if (type == promql::ValueType::kMatrix) return true;
  }
  return false;
}

}  // namespace

absl::StatusOr<EvaluatedValue> EvaluateCall(const Call& call, Evaluator& evaluator) {
  if (TakesRange(call)) return EvaluateOverRange(call, evaluator);
  switch (call.function->id) {
    case FunctionId::kTime:
    case FunctionId::kPi:
    case FunctionId::kStart:
    case FunctionId::kEnd:
    case FunctionId::kRange:
    case FunctionId::kStep:
    case FunctionId::kMaxOf:
    case FunctionId::kMinOf:
    case FunctionId::kScalar:
    case FunctionId::kVector:
      return EvaluateScalarFunction(call, evaluator);
    case FunctionId::kAbsent:
      return Absent(call, evaluator);
    case FunctionId::kLabelReplace:
      return LabelReplace(call, evaluator);
    case FunctionId::kLabelJoin:
      return LabelJoin(call, evaluator);
    case FunctionId::kSort:
    case FunctionId::kSortDesc:
    case FunctionId::kSortByLabel:
    case FunctionId::kSortByLabelDesc:
      return Sort(call, evaluator);
    case FunctionId::kHistogramQuantile:
    case FunctionId::kHistogramQuantiles:
    case FunctionId::kHistogramFraction:
      return EvaluateHistogramBuckets(call, evaluator);
    case FunctionId::kInfo:
      return Info(call, evaluator);
    case FunctionId::kAlias:
    case FunctionId::kLabelDel:
    case FunctionId::kLabelKeep:
    case FunctionId::kLabelMatch:
    case FunctionId::kLabelMismatch:
    case FunctionId::kLabelSet:
      return EvaluateMetricsqlLabels(call, evaluator);
    case FunctionId::kKeepLastValue:
    case FunctionId::kLimitOffset:
    case FunctionId::kRunningAvg:
    case FunctionId::kRunningMax:
    case FunctionId::kRunningMin:
    case FunctionId::kRunningSum:
    case FunctionId::kUnion:
      return EvaluateMetricsqlTransform(call, evaluator);
    default:
      return EvaluateElementwise(call, evaluator);
  }
}

}  // namespace lockstep::engine
