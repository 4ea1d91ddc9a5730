#include "query/engine/context/query_trace.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "query/promql/printer/printer.h"

namespace lockstep::engine {
namespace {

using promql::As;
using promql::Expr;
using promql::ExprKind;

std::string_view KindName(ExprKind kind) {
  switch (kind) {
    case ExprKind::kNumber:
      return "number";
    case ExprKind::kString:
      return "string";
    case ExprKind::kParen:
      return "parentheses";
    case ExprKind::kUnary:
      return "unary operation";
    case ExprKind::kBinary:
      return "binary operation";
    case ExprKind::kVectorSelector:
      return "vector selector";
    case ExprKind::kMatrixSelector:
      return "matrix selector";
    case ExprKind::kSubquery:
      return "subquery";
    case ExprKind::kAggregate:
      return "aggregation";
    case ExprKind::kCall:
      return "function";
  }
  return "";
}

std::vector<const Expr*> ChildrenOf(const Expr& expr) {
  switch (expr.kind) {
    case ExprKind::kParen:
      return {As<promql::ParenExpr>(expr).inner.get()};
    case ExprKind::kUnary:
      return {As<promql::UnaryExpr>(expr).operand.get()};
    case ExprKind::kBinary:
      return {As<promql::BinaryExpr>(expr).lhs.get(), As<promql::BinaryExpr>(expr).rhs.get()};
    case ExprKind::kSubquery:
      return {As<promql::SubqueryExpr>(expr).inner.get()};
    case ExprKind::kAggregate: {
      const auto& aggregate = As<promql::AggregateExpr>(expr);
      if (aggregate.param == nullptr) return {aggregate.operand.get()};
      return {aggregate.param.get(), aggregate.operand.get()};
    }
    case ExprKind::kCall: {
      std::vector<const Expr*> arguments;
      for (const promql::ExprPtr& argument : As<promql::Call>(expr).args) {
        arguments.push_back(argument.get());
      }
      return arguments;
    }
    default:
      return {};
  }
}

// Null if `expr` is not a selector.
const promql::VectorSelector* SelectorUnder(const Expr& expr) {
  if (expr.kind == ExprKind::kVectorSelector) return &As<promql::VectorSelector>(expr);
  if (expr.kind == ExprKind::kMatrixSelector)
    return As<promql::MatrixSelector>(expr).selector.get();
  return nullptr;
}

SelectorCost CostOf(const promql::VectorSelector& selector, const QueryTrace& trace) {
  const NodeCost cost = trace.Find(selector);
  SelectorCost found{
      {}, cost.series_count, cost.sample_count, cost.left_out_count, cost.read_seconds};
  for (const Matcher& matcher : selector.matchers) found.matchers.push_back(matcher.ToString());
  return found;
}

// A node takes no longer than its parent.
PlanNode BuildNode(const Expr& expr, const QueryTrace& trace, double seconds_above) {
  PlanNode node;
  node.kind = KindName(expr.kind);
  node.text = promql::Print(expr);
  node.seconds = trace.Find(expr).seconds;
  if (const auto* selector = SelectorUnder(expr); selector != nullptr) {
    node.selector = CostOf(*selector, trace);
    // Functions read their selectors themselves, possibly on several threads.
    if (node.seconds == 0) node.seconds = node.selector->read_seconds;
  }
  node.seconds = std::min(node.seconds, seconds_above);
  double below = 0;
  for (const Expr* child : ChildrenOf(expr)) {
    node.children.push_back(
        BuildNode(*child, trace, node.seconds > 0 ? node.seconds : seconds_above));
    below += node.children.back().seconds;
  }
  // Parentheses around a range are not evaluated themselves.
  if (node.seconds == 0) node.seconds = below;
  node.own_seconds = std::max(0.0, node.seconds - below);
  return node;
}

}  // namespace

PlanNode BuildPlan(const Expr& expr, const QueryTrace& trace) {
  return BuildNode(expr, trace, std::numeric_limits<double>::infinity());
}

}  // namespace lockstep::engine
