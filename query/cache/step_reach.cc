#include "query/cache/step_reach.h"

#include <algorithm>

#include "model/labels.h"

namespace lockstep::cache {
namespace {

using promql::As;
using promql::Expr;
using promql::ExprKind;
using promql::FunctionId;

using Reach = std::optional<StepReach>;

Reach Union(const Reach& a, const Reach& b) {
  if (!a.has_value() || !b.has_value()) return std::nullopt;
  return StepReach{std::max(a->before_ms, b->before_ms), std::max(a->after_ms, b->after_ms)};
}

bool IsOfTheStepAlone(const promql::TimeModifiers& modifiers) {
  return modifiers.at == promql::AtModifier::kNone && modifiers.offset_expr == nullptr;
}

// Otherwise dropping names may leave two series with the same labels, which an evaluation of a
// single step detects later than one of several steps.
bool HasOneName(const promql::VectorSelector& selector) {
  return std::ranges::any_of(selector.matchers, [](const Matcher& matcher) {
    return matcher.name() == kMetricName && matcher.type() == MatchType::kEqual;
  });
}

// The reach of a selector that looks back `range_ms` from each step.
Reach OfSelector(const promql::VectorSelector& selector, int64_t range_ms, int64_t lookback_ms) {
  if (!IsOfTheStepAlone(selector.modifiers) || !HasOneName(selector)) return std::nullopt;
  const int64_t margin_ms = selector.edges == promql::RangeEdges::kPlain ? 0 : lookback_ms;
  const int64_t offset_ms = selector.modifiers.offset_ms;
  return StepReach{range_ms + margin_ms + offset_ms, margin_ms - offset_ms};
}

Reach OfSubquery(const promql::SubqueryExpr& subquery, int64_t lookback_ms) {
  if (!IsOfTheStepAlone(subquery.modifiers) || subquery.range_expr != nullptr ||
      subquery.step_expr != nullptr) {
    return std::nullopt;
  }
  Reach reach = ReachOf(*subquery.inner, lookback_ms);
  if (!reach.has_value()) return std::nullopt;
  const int64_t offset_ms = subquery.modifiers.offset_ms;
  reach->before_ms += subquery.range_ms + offset_ms;
  reach->after_ms -= offset_ms;
  return reach;
}

// Which of several equal elements is chosen may depend on their order in earlier steps.
bool TakesSome(promql::AggregateOp op) {
  return op == promql::AggregateOp::kTopk || op == promql::AggregateOp::kBottomk ||
         op == promql::AggregateOp::kLimitk || op == promql::AggregateOp::kLimitRatio;
}

Reach OfAggregate(const promql::AggregateExpr& aggregate, int64_t lookback_ms) {
  if (TakesSome(aggregate.op)) return std::nullopt;
  const Reach operand = ReachOf(*aggregate.operand, lookback_ms);
  if (aggregate.param == nullptr) return operand;
  return Union(operand, ReachOf(*aggregate.param, lookback_ms));
}

bool LooksAtOtherSteps(FunctionId id) {
  switch (id) {
    case FunctionId::kStart:
    case FunctionId::kEnd:
    case FunctionId::kRange:
    case FunctionId::kStep:
    case FunctionId::kInfo:
    case FunctionId::kLabelJoin:
    case FunctionId::kLabelReplace:
    case FunctionId::kAlias:
    case FunctionId::kIncreasePure:
    case FunctionId::kKeepLastValue:
    case FunctionId::kLabelDel:
    case FunctionId::kLabelKeep:
    case FunctionId::kLabelSet:
    case FunctionId::kLimitOffset:
    case FunctionId::kRollup:
    case FunctionId::kRollupDelta:
    case FunctionId::kRollupDeriv:
    case FunctionId::kRollupIncrease:
    case FunctionId::kRollupRate:
    case FunctionId::kRunningAvg:
    case FunctionId::kRunningMax:
    case FunctionId::kRunningMin:
    case FunctionId::kRunningSum:
    case FunctionId::kUnion:
      return true;
    default:
      return false;
  }
}

Reach OfCall(const promql::Call& call, int64_t lookback_ms) {
  if (LooksAtOtherSteps(call.function->id)) return std::nullopt;
  Reach reach = StepReach();
  for (const promql::ExprPtr& argument : call.args) {
    reach = Union(reach, ReachOf(*argument, lookback_ms));
  }
  return reach;
}

}  // namespace

std::optional<StepReach> ReachOf(const Expr& expr, int64_t lookback_ms) {
  switch (expr.kind) {
    case ExprKind::kNumber:
    case ExprKind::kString:
      return StepReach();
    case ExprKind::kParen:
      return ReachOf(*As<promql::ParenExpr>(expr).inner, lookback_ms);
    case ExprKind::kUnary:
      return ReachOf(*As<promql::UnaryExpr>(expr).operand, lookback_ms);
    case ExprKind::kBinary: {
      const auto& binary = As<promql::BinaryExpr>(expr);
      return Union(ReachOf(*binary.lhs, lookback_ms), ReachOf(*binary.rhs, lookback_ms));
    }
    case ExprKind::kVectorSelector:
      return OfSelector(As<promql::VectorSelector>(expr), lookback_ms, lookback_ms);
    case ExprKind::kMatrixSelector: {
      const auto& matrix = As<promql::MatrixSelector>(expr);
      if (matrix.range_expr != nullptr) return std::nullopt;
      return OfSelector(*matrix.selector, matrix.range_ms, lookback_ms);
    }
    case ExprKind::kSubquery:
      return OfSubquery(As<promql::SubqueryExpr>(expr), lookback_ms);
    case ExprKind::kAggregate:
      return OfAggregate(As<promql::AggregateExpr>(expr), lookback_ms);
    case ExprKind::kCall:
      return OfCall(As<promql::Call>(expr), lookback_ms);
  }
  return std::nullopt;
}

}  // namespace lockstep::cache
