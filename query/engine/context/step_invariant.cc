#include "query/engine/context/step_invariant.h"

#include <algorithm>

namespace lockstep::engine {
namespace {

using promql::As;
using promql::Expr;
using promql::ExprKind;
using promql::FunctionId;

bool IsPinned(const promql::TimeModifiers& modifiers) {
  return modifiers.at != promql::AtModifier::kNone;
}

// Whether the value may depend on the evaluation time even if no argument does.
bool LooksAtTheClock(const promql::Call& call) {
  switch (call.function->id) {
    case FunctionId::kTime:
    case FunctionId::kPredictLinear:
    case FunctionId::kMinute:
    case FunctionId::kHour:
    case FunctionId::kDayOfWeek:
    case FunctionId::kDayOfMonth:
    case FunctionId::kDayOfYear:
    case FunctionId::kDaysInMonth:
    case FunctionId::kMonth:
    case FunctionId::kYear:
    // Their value at a step depends on the number of steps before it.
    case FunctionId::kRunningAvg:
    case FunctionId::kRunningSum:
      return true;
    case FunctionId::kTimestamp:
      // For a plain selector it is the time of the sample, otherwise the evaluation time.
      return WithoutParens(*call.args[0]).kind != ExprKind::kVectorSelector;
    default:
      return false;
  }
}

bool IsInvariantCall(const promql::Call& call) {
  if (LooksAtTheClock(call)) return false;
  return std::all_of(call.args.begin(), call.args.end(),
                     [](const promql::ExprPtr& argument) { return IsStepInvariant(*argument); });
}

}  // namespace

bool IsStepInvariant(const Expr& expr) {
  switch (expr.kind) {
    case ExprKind::kNumber:
    case ExprKind::kString:
      return true;
    case ExprKind::kParen:
      return IsStepInvariant(*As<promql::ParenExpr>(expr).inner);
    case ExprKind::kUnary:
      return IsStepInvariant(*As<promql::UnaryExpr>(expr).operand);
    case ExprKind::kBinary: {
      const auto& binary = As<promql::BinaryExpr>(expr);
      return IsStepInvariant(*binary.lhs) && IsStepInvariant(*binary.rhs);
    }
    case ExprKind::kVectorSelector:
      return IsPinned(As<promql::VectorSelector>(expr).modifiers);
    case ExprKind::kMatrixSelector:
      return IsPinned(As<promql::MatrixSelector>(expr).selector->modifiers);
    case ExprKind::kSubquery:
      return IsPinned(As<promql::SubqueryExpr>(expr).modifiers);
    case ExprKind::kAggregate: {
      const auto& aggregate = As<promql::AggregateExpr>(expr);
      return IsStepInvariant(*aggregate.operand) &&
             (aggregate.param == nullptr || IsStepInvariant(*aggregate.param));
    }
    case ExprKind::kCall:
      return IsInvariantCall(As<promql::Call>(expr));
  }
  return false;
}

const Expr& WithoutParens(const Expr& expr) {
  const Expr* inner = &expr;
  while (inner->kind == ExprKind::kParen) inner = As<promql::ParenExpr>(*inner).inner.get();
  return *inner;
}

promql::PositionRange ArgumentPosition(const Expr& argument) {
  const Expr& inner = WithoutParens(argument);
  return inner.kind == ExprKind::kSubquery ? promql::PositionRange() : inner.position;
}

}  // namespace lockstep::engine
