#include "query/promql/printer/line_printer.h"

#include "query/promql/printer/print_parts.h"
#include "query/promql/syntax/quoting.h"

namespace lockstep::promql {

void LinePrinter::Append(const Expr& expr) {
  const size_t start = out_.size();
  AppendNode(expr);
  if (spans_ != nullptr) spans_->emplace(&expr, LineSpan{start, out_.size() - start});
}

void LinePrinter::AppendNode(const Expr& expr) {
  switch (expr.kind) {
    case ExprKind::kNumber:
      return AppendLiteral(As<NumberLiteral>(expr));
    case ExprKind::kString:
      out_ += Quote(As<StringLiteral>(expr).value);
      return;
    case ExprKind::kParen:
      out_ += '(';
      Append(*As<ParenExpr>(expr).inner);
      out_ += ')';
      return;
    case ExprKind::kUnary:
      return AppendUnary(As<UnaryExpr>(expr));
    case ExprKind::kBinary:
      return AppendBinary(As<BinaryExpr>(expr));
    case ExprKind::kVectorSelector:
      out_ += PrintVectorSelector(As<VectorSelector>(expr));
      return;
    case ExprKind::kMatrixSelector:
      out_ += PrintMatrixSelector(As<MatrixSelector>(expr));
      return;
    case ExprKind::kSubquery:
      Append(*As<SubqueryExpr>(expr).inner);
      out_ += PrintSubqueryTimes(As<SubqueryExpr>(expr));
      return;
    case ExprKind::kAggregate:
      return AppendAggregate(As<AggregateExpr>(expr));
    case ExprKind::kCall:
      return AppendCall(As<Call>(expr));
  }
}

void LinePrinter::AppendLiteral(const NumberLiteral& literal) {
  std::string printed = PrintLiteral(literal);
  if (&literal == unsigned_base_ && printed.front() == '+') printed.erase(0, 1);
  out_ += printed;
}

void LinePrinter::AppendUnary(const UnaryExpr& unary) {
  out_ += unary.negate ? '-' : '+';
  Append(*unary.operand);
}

void LinePrinter::AppendBinary(const BinaryExpr& binary) {
  if (binary.op == BinaryOp::kPow) unsigned_base_ = binary.lhs.get();
  Append(*binary.lhs);
  out_ += ' ';
  out_ += PrintOperator(binary);
  out_ += ' ';
  Append(*binary.rhs);
}

void LinePrinter::AppendAggregate(const AggregateExpr& aggregate) {
  out_ += PrintAggregateHead(aggregate);
  out_ += '(';
  if (aggregate.param != nullptr) {
    Append(*aggregate.param);
    out_ += ", ";
  }
  Append(*aggregate.operand);
  out_ += ')';
}

void LinePrinter::AppendCall(const Call& call) {
  out_ += call.function->name;
  out_ += '(';
  for (const ExprPtr& arg : call.args) {
    if (arg != call.args.front()) out_ += ", ";
    Append(*arg);
  }
  out_ += ')';
}

std::string Print(const Expr& expr) {
  std::string out;
  LinePrinter(out, nullptr).Append(expr);
  return out;
}

}  // namespace lockstep::promql
