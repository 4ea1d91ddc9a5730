#include "query/promql/parser.h"

#include <string>
#include <string_view>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "query/promql/printer.h"

namespace lockstep::promql {
namespace {

std::string ErrorOf(std::string_view query) {
  const absl::StatusOr<ExprPtr> expr = ParseExpr(query);
  if (expr.ok()) return "parsed as " + Print(**expr);
  EXPECT_EQ(expr.status().code(), absl::StatusCode::kInvalidArgument);
  return std::string(Message(expr.status()));
}

// `shape` has a pair of parentheses around every operator with its operands.
std::string Shape(const Expr& expr) {
  if (expr.kind == ExprKind::kBinary) {
    const auto& binary = As<BinaryExpr>(expr);
    const std::string whole = Print(expr);
    const std::string op =
        whole.substr(Print(*binary.lhs).size(),
                     whole.size() - Print(*binary.lhs).size() - Print(*binary.rhs).size());
    return "(" + Shape(*binary.lhs) + op + Shape(*binary.rhs) + ")";
  }
  if (expr.kind == ExprKind::kUnary) {
    const auto& unary = As<UnaryExpr>(expr);
    return "(" + std::string(unary.negate ? "-" : "+") + Shape(*unary.operand) + ")";
  }
  return Print(expr);
}

TEST(ParserTest, OperatorsBindByPrecedence) {
  struct Row {
    std::string_view query;
    std::string_view shape;
  };
  constexpr Row kRows[] = {
      {"1 + 2 * 3", "(1 + (2 * 3))"},
      {"a - b - c", "((a - b) - c)"},
      {"a ^ b ^ c", "(a ^ (b ^ c))"},
      {"a * b atan2 c % d", "(((a * b) atan2 c) % d)"},
      {"a + b == c", "((a + b) == c)"},
      {"a == b and c", "((a == b) and c)"},
      {"a or b unless c", "(a or (b unless c))"},
      {"a and b unless c or d", "(((a and b) unless c) or d)"},
      {"a </ 2 + 3", "(a </ (2 + 3))"},
      {"-1 ^ 2", "(-(1 ^ 2))"},
      {"-a * b", "((-a) * b)"},
      {"-a ^ b * c", "((-(a ^ b)) * c)"},
      {"2 ^ -a * b", "((2 ^ (-a)) * b)"},
      {"2 ^ -a ^ b", "(2 ^ (-(a ^ b)))"},
      {"- + a", "(-(+a))"},
      {"a + b offset 5m", "(a + b offset 5m)"},
      {"a offset 100 + 2", "(a offset 1m40s + 2)"},
      {"a offset -2 ^ 2", "(a offset -2s ^ 2)"},
      {"a @ 10 * 2", "(a @ 10.000 * 2)"},
  };
  for (const Row& row : kRows) {
    const absl::StatusOr<ExprPtr> expr = ParseExpr(row.query);
    ASSERT_TRUE(expr.ok()) << row.query << ": " << expr.status();
    EXPECT_EQ(Shape(**expr), row.shape) << row.query;
  }
}

TEST(ParserTest, ErrorsReadLikePrometheus) {
  struct Row {
    std::string_view query;
    std::string_view error;
  };
  constexpr Row kRows[] = {
      {"", "unknown position: parse error: no expression found in input"},
      {"# only this", "1:1: parse error: no expression found in input"},
      {"1+", "1:3: parse error: unexpected end of input"},
      {"*1", "1:1: parse error: unexpected <op:*>"},
      {"(1", "1:3: parse error: unclosed left parenthesis"},
      {"sum(a b)", "1:7: parse error: unexpected identifier \"b\" in aggregation"},
      {"abs(1)",
       "1:5: parse error: expected type instant vector in call to function \"abs\", got scalar"},
      {"foo(1)", "1:1: parse error: unknown function with name \"foo\""},
      {"{}", "1:1: parse error: vector selector must contain at least one non-empty matcher"},
  };
  for (const Row& row : kRows) EXPECT_EQ(ErrorOf(row.query), row.error) << row.query;
}

}  // namespace
}  // namespace lockstep::promql
