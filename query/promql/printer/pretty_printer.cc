// The indented form. An expression that fits on a line stays there; otherwise each of its parts
// gets its own lines, indented by two more spaces. Prometheus' prettifier has the same rules and
// the same quirk: a subquery that fits is not indented.
#include <string>
#include <utility>

#include "query/promql/printer/line_printer.h"
#include "query/promql/printer/print_parts.h"
#include "query/promql/printer/printer.h"

namespace lockstep::promql {
namespace {

constexpr size_t kMaxLineChars = 100;

class PrettyPrinter {
 public:
  explicit PrettyPrinter(const Expr& root) { LinePrinter(line_, &spans_).Append(root); }

  // Whether the first line is indented or continues the current line.
  enum class FirstLine { kIndented, kContinued };

  // Precondition: `expr` is part of the root.
  void Append(const Expr& expr, int level, FirstLine first = FirstLine::kIndented) {
    const LineSpan span = spans_.at(&expr);
    if (span.size > kMaxLineChars) return AppendSplit(expr, level, first);
    if (expr.kind != ExprKind::kSubquery) Indent(level, first);
    out_.append(line_, span.start, span.size);
  }

  std::string Take() { return std::move(out_); }

 private:
  // For an `expr` that does not fit on a line.
  void AppendSplit(const Expr& expr, int level, FirstLine first) {
    switch (expr.kind) {
      case ExprKind::kParen:
        return AppendParen(As<ParenExpr>(expr), level, first);
      case ExprKind::kUnary:
        return AppendUnary(As<UnaryExpr>(expr), level, first);
      case ExprKind::kBinary:
        return AppendBinary(As<BinaryExpr>(expr), level, first);
      case ExprKind::kSubquery:
        Append(*As<SubqueryExpr>(expr).inner, level, first);
        out_ += PrintSubqueryTimes(As<SubqueryExpr>(expr));
        return;
      case ExprKind::kAggregate:
        return AppendAggregate(As<AggregateExpr>(expr), level, first);
      case ExprKind::kCall:
        return AppendCall(As<Call>(expr), level, first);
      default:
        Indent(level, first);
        out_.append(line_, spans_.at(&expr).start, spans_.at(&expr).size);
    }
  }

  void AppendParen(const ParenExpr& paren, int level, FirstLine first) {
    Indent(level, first);
    out_ += "(\n";
    Append(*paren.inner, level + 1);
    CloseParen(level);
  }

  void AppendUnary(const UnaryExpr& unary, int level, FirstLine first) {
    Indent(level, first);
    out_ += unary.negate ? '-' : '+';
    Append(*unary.operand, level, FirstLine::kContinued);
  }

  void AppendBinary(const BinaryExpr& binary, int level, FirstLine first) {
    Append(*binary.lhs, level + 1, first);
    out_ += '\n';
    Indent(level, FirstLine::kIndented);
    out_ += PrintOperator(binary);
    out_ += '\n';
    Append(*binary.rhs, level + 1);
  }

  void AppendAggregate(const AggregateExpr& aggregate, int level, FirstLine first) {
    Indent(level, first);
    out_ += PrintAggregateHead(aggregate);
    out_ += "(\n";
    if (aggregate.param != nullptr) {
      Append(*aggregate.param, level + 1);
      out_ += ",\n";
    }
    Append(*aggregate.operand, level + 1);
    CloseParen(level);
  }

  void AppendCall(const Call& call, int level, FirstLine first) {
    Indent(level, first);
    out_ += call.function->name;
    out_ += "(\n";
    for (const ExprPtr& arg : call.args) {
      if (arg != call.args.front()) out_ += ",\n";
      Append(*arg, level + 1);
    }
    CloseParen(level);
  }

  void CloseParen(int level) {
    out_ += '\n';
    Indent(level, FirstLine::kIndented);
    out_ += ')';
  }

  void Indent(int level, FirstLine first) {
    if (first == FirstLine::kIndented) out_.append(static_cast<size_t>(level) * 2, ' ');
  }

  std::string line_;  // the root on one line
  LineSpans spans_;
  std::string out_;
};

}  // namespace

std::string PrintPretty(const Expr& expr) {
  PrettyPrinter printer(expr);
  printer.Append(expr, 0);
  return printer.Take();
}

}  // namespace lockstep::promql
