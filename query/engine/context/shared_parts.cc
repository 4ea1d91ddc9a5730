#include "query/engine/context/shared_parts.h"

#include <utility>
#include <vector>

#include "query/promql/printer/printer.h"

namespace lockstep::engine {
namespace {

using promql::As;
using promql::Expr;
using promql::ExprKind;

bool ReadsRange(const promql::Call& call) {
  for (const promql::ExprPtr& argument : call.args) {
    if (argument->kind == ExprKind::kMatrixSelector) return true;
  }
  return false;
}

// Appends the parts of `expr` (may be null) that are worth sharing.
void FindReads(const Expr* expr, std::vector<const Expr*>& reads) {
  if (expr == nullptr) return;
  switch (expr->kind) {
    case ExprKind::kVectorSelector:
      reads.push_back(expr);
      return;
    case ExprKind::kParen:
      return FindReads(As<promql::ParenExpr>(*expr).inner.get(), reads);
    case ExprKind::kUnary:
      return FindReads(As<promql::UnaryExpr>(*expr).operand.get(), reads);
    case ExprKind::kSubquery:
      return FindReads(As<promql::SubqueryExpr>(*expr).inner.get(), reads);
    case ExprKind::kBinary: {
      const auto& binary = As<promql::BinaryExpr>(*expr);
      FindReads(binary.lhs.get(), reads);
      return FindReads(binary.rhs.get(), reads);
    }
    case ExprKind::kAggregate: {
      const auto& aggregate = As<promql::AggregateExpr>(*expr);
      FindReads(aggregate.param.get(), reads);
      return FindReads(aggregate.operand.get(), reads);
    }
    case ExprKind::kCall: {
      const auto& call = As<promql::Call>(*expr);
      if (ReadsRange(call)) {
        reads.push_back(expr);
        return;
      }
      for (const promql::ExprPtr& argument : call.args) FindReads(argument.get(), reads);
      return;
    }
    default:
      return;
  }
}

}  // namespace

SharedParts::SharedParts(const Expr& root) {
  std::vector<const Expr*> reads;
  FindReads(&root, reads);
  if (reads.size() < 2) return;
  std::vector<std::string> texts;
  for (const Expr* expr : reads) ++by_text_[texts.emplace_back(promql::Print(*expr))].uses_left;
  absl::erase_if(by_text_, [](const auto& entry) { return entry.second.uses_left < 2; });
  for (size_t i = 0; i < reads.size(); ++i) {
    const auto found = by_text_.find(texts[i]);
    if (found != by_text_.end()) by_expr_[reads[i]] = &found->second;
  }
}

SharedPart* SharedParts::Find(const Expr& expr) {
  const auto found = by_expr_.find(&expr);
  return found == by_expr_.end() ? nullptr : found->second;
}

absl::StatusOr<VectorValue> Copy(const VectorValue& vector) {
  VectorValue copy;
  LOCKSTEP_ASSIGN_OR_RETURN(copy.charge, vector.charge.Again());
  copy.series = vector.series;
  return copy;
}

}  // namespace lockstep::engine
