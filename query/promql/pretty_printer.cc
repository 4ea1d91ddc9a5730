// The indented form. An expression that fits a line stays on it; one that does not gives each of
// its parts lines of its own, two spaces further in. (Prometheus' prettifier has the same rules.)
#include "absl/strings/str_format.h"
#include "query/promql/print_parts.h"
#include "query/promql/printer.h"

namespace lockstep::promql {
namespace {

constexpr size_t kMaxLineChars = 100;

std::string Indent(int level) { return std::string(static_cast<size_t>(level) * 2, ' '); }

std::string Pretty(const Expr& expr, int level);

std::string PrettyAggregate(const AggregateExpr& aggregate, int level) {
  std::string out = Indent(level) + PrintAggregateHead(aggregate) + "(\n";
  if (aggregate.param != nullptr) out += Pretty(*aggregate.param, level + 1) + ",\n";
  return out + Pretty(*aggregate.operand, level + 1) + "\n" + Indent(level) + ")";
}

std::string PrettyBinary(const BinaryExpr& binary, int level) {
  const bool is_literal = binary.lhs->kind == ExprKind::kNumber;
  return absl::StrFormat(
      "%s\n%s%s\n%s",
      is_literal ? Indent(level + 1) + PrintLeft(binary) : Pretty(*binary.lhs, level + 1),
      Indent(level), PrintOperator(binary), Pretty(*binary.rhs, level + 1));
}

std::string PrettyCall(const Call& call, int level) {
  std::string args;
  for (const ExprPtr& arg : call.args) {
    if (!args.empty()) args += ",\n";
    args += Pretty(*arg, level + 1);
  }
  return absl::StrFormat("%s%s(\n%s\n%s)", Indent(level), call.function->name, args, Indent(level));
}

std::string PrettyUnary(const UnaryExpr& unary, int level) {
  std::string operand = Pretty(*unary.operand, level);
  // The sign takes the place of the operand's own indentation.
  operand.erase(0, operand.find_first_not_of(' '));
  return Indent(level) + (unary.negate ? "-" : "+") + operand;
}

// `expr` does not fit a line.
std::string PrettySplit(const Expr& expr, const std::string& one_line, int level) {
  switch (expr.kind) {
    case ExprKind::kParen:
      return absl::StrFormat("%s(\n%s\n%s)", Indent(level),
                             Pretty(*As<ParenExpr>(expr).inner, level + 1), Indent(level));
    case ExprKind::kUnary:
      return PrettyUnary(As<UnaryExpr>(expr), level);
    case ExprKind::kBinary:
      return PrettyBinary(As<BinaryExpr>(expr), level);
    case ExprKind::kSubquery:
      return Pretty(*As<SubqueryExpr>(expr).inner, level) +
             PrintSubqueryTimes(As<SubqueryExpr>(expr));
    case ExprKind::kAggregate:
      return PrettyAggregate(As<AggregateExpr>(expr), level);
    case ExprKind::kCall:
      return PrettyCall(As<Call>(expr), level);
    default:
      return Indent(level) + one_line;
  }
}

std::string Pretty(const Expr& expr, int level) {
  const std::string one_line = Print(expr);
  if (one_line.size() <= kMaxLineChars) return Indent(level) + one_line;
  return PrettySplit(expr, one_line, level);
}

}  // namespace

std::string PrintPretty(const Expr& expr) { return Pretty(expr, 0); }

}  // namespace lockstep::promql
