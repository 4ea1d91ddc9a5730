#include "query/promql/syntax/ast_equality.h"

#include <algorithm>
#include <cmath>

namespace lockstep::promql {
namespace {

bool SameNumber(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

bool SameNumber(const std::optional<double>& a, const std::optional<double>& b) {
  return a.has_value() == b.has_value() && (!a || SameNumber(*a, *b));
}

bool Same(const ExprPtr& a, const ExprPtr& b) {
  if (a == nullptr || b == nullptr) return a == b;
  return SameTree(*a, *b);
}

bool Same(const std::unique_ptr<DurationExpr>& a, const std::unique_ptr<DurationExpr>& b) {
  if (a == nullptr || b == nullptr) return a == b;
  return a->op == b->op && SameNumber(a->seconds, b->seconds) && a->is_duration == b->is_duration &&
         a->parenthesized == b->parenthesized && Same(a->lhs, b->lhs) && Same(a->rhs, b->rhs);
}

bool Same(const TimeModifiers& a, const TimeModifiers& b) {
  return a.offset_ms == b.offset_ms && Same(a.offset_expr, b.offset_expr) && a.at == b.at &&
         a.at_ms == b.at_ms;
}

bool Same(const VectorSelector& a, const VectorSelector& b) {
  return a.name == b.name && a.edges == b.edges && Same(a.modifiers, b.modifiers) &&
         std::is_permutation(a.matchers.begin(), a.matchers.end(), b.matchers.begin(),
                             b.matchers.end());
}

bool Same(const std::optional<VectorMatching>& a, const std::optional<VectorMatching>& b) {
  if (!a || !b) return a.has_value() == b.has_value();
  return a->cardinality == b->cardinality && a->on == b->on && a->labels == b->labels &&
         a->include == b->include && SameNumber(a->fill_left, b->fill_left) &&
         SameNumber(a->fill_right, b->fill_right);
}

bool Same(const BinaryExpr& a, const BinaryExpr& b) {
  return a.op == b.op && a.return_bool == b.return_bool && Same(a.matching, b.matching) &&
         Same(a.lhs, b.lhs) && Same(a.rhs, b.rhs);
}

bool Same(const MatrixSelector& a, const MatrixSelector& b) {
  return a.range_ms == b.range_ms && Same(a.range_expr, b.range_expr) &&
         Same(*a.selector, *b.selector);
}

bool Same(const SubqueryExpr& a, const SubqueryExpr& b) {
  return a.range_ms == b.range_ms && Same(a.range_expr, b.range_expr) && a.step_ms == b.step_ms &&
         Same(a.step_expr, b.step_expr) && Same(a.modifiers, b.modifiers) && Same(a.inner, b.inner);
}

bool Same(const AggregateExpr& a, const AggregateExpr& b) {
  return a.op == b.op && a.without == b.without && a.grouping == b.grouping &&
         Same(a.param, b.param) && Same(a.operand, b.operand);
}

bool Same(const Call& a, const Call& b) {
  return a.function == b.function &&
         std::equal(a.args.begin(), a.args.end(), b.args.begin(), b.args.end(),
                    [](const ExprPtr& x, const ExprPtr& y) { return Same(x, y); });
}

}  // namespace

bool SameTree(const Expr& a, const Expr& b) {
  if (a.kind != b.kind || a.type != b.type) return false;
  switch (a.kind) {
    case ExprKind::kNumber:
      return As<NumberLiteral>(a).is_duration == As<NumberLiteral>(b).is_duration &&
             SameNumber(As<NumberLiteral>(a).value, As<NumberLiteral>(b).value);
    case ExprKind::kString:
      return As<StringLiteral>(a).value == As<StringLiteral>(b).value;
    case ExprKind::kParen:
      return Same(As<ParenExpr>(a).inner, As<ParenExpr>(b).inner);
    case ExprKind::kUnary:
      return As<UnaryExpr>(a).negate == As<UnaryExpr>(b).negate &&
             Same(As<UnaryExpr>(a).operand, As<UnaryExpr>(b).operand);
    case ExprKind::kBinary:
      return Same(As<BinaryExpr>(a), As<BinaryExpr>(b));
    case ExprKind::kVectorSelector:
      return Same(As<VectorSelector>(a), As<VectorSelector>(b));
    case ExprKind::kMatrixSelector:
      return Same(As<MatrixSelector>(a), As<MatrixSelector>(b));
    case ExprKind::kSubquery:
      return Same(As<SubqueryExpr>(a), As<SubqueryExpr>(b));
    case ExprKind::kAggregate:
      return Same(As<AggregateExpr>(a), As<AggregateExpr>(b));
    case ExprKind::kCall:
      return Same(As<Call>(a), As<Call>(b));
  }
  return false;
}

}  // namespace lockstep::promql
