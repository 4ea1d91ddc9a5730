#include "query/promql/syntax/ast_equality.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "query/promql/parser/parser.h"

namespace lockstep::promql {
namespace {

ExprPtr ParsedTree(const std::string& query) {
  absl::StatusOr<ExprPtr> expr = ParseExpr(query);
  EXPECT_TRUE(expr.ok()) << query << ": " << expr.status();
  return *std::move(expr);
}

// Each differs from all others in one thing at least.
TEST(AstEquality, IsThatOfEveryPart) {
  const std::vector<std::string> queries = {
      "1",
      "2",
      "1s",
      "NaN",
      "\"a\"",
      "\"b\"",
      "(x)",
      "(y)",
      "-x",
      "+x",
      "-y",
      "x",
      "y",
      "{__name__=~\"x\"}",
      "x offset 1m",
      "x offset 2m",
      "x offset (1m + 1s)",
      "x offset (1m + 2s)",
      "x offset (1m - 1s)",
      "x @ 5",
      "x @ 6",
      "x @ start()",
      "x @ end()",
      "x smoothed",
      "x{a=\"b\"}",
      "x{a!=\"b\"}",
      "x{a=\"c\"}",
      "x{a=\"b\", c=\"d\"}",
      "x[5m]",
      "x[6m]",
      "y[5m]",
      "x[5m] offset 1m",
      "x[5m] smoothed",
      "x[5m * 2]",
      "x[5m * 3]",
      "x[5m / 2]",
      "x[step()]",
      "x[(step())]",
      "x[5m:1m]",
      "x[6m:1m]",
      "x[5m:2m]",
      "x[5m:]",
      "y[5m:1m]",
      "x[5m:1m] offset 1m",
      "x[5m:1m] @ 5",
      "x[5m:1m * 2]",
      "x[5m * 2:1m]",
      "sum(x)",
      "sum(y)",
      "max(x)",
      "sum by (a) (x)",
      "sum by (b) (x)",
      "sum by (a, b) (x)",
      "sum without (a) (x)",
      "topk(1, x)",
      "topk(2, x)",
      "rate(x[5m])",
      "rate(x[6m])",
      "irate(x[5m])",
      "round(x)",
      "round(x, 1)",
      "round(x, 2)",
      "x + y",
      "y + x",
      "x + x",
      "x - y",
      "x == y",
      "x == bool y",
      "x + on () y",
      "x + on (a) y",
      "x + on (b) y",
      "x + ignoring (a) y",
      "x + on (a) group_left y",
      "x + on (a) group_left (c) y",
      "x + on (a) group_right y",
      "x + fill (1) y",
      "x + fill (2) y",
      "x + fill_left (1) y",
      "x + fill_right (1) y",
      "x + fill (NaN) y",
  };
  for (const std::string& a : queries) {
    const ExprPtr one = ParsedTree(a);
    for (const std::string& b : queries) {
      EXPECT_EQ(SameTree(*one, *ParsedTree(b)), a == b) << a << " and " << b;
    }
  }
}

TEST(AstEquality, IsOfMatchersInAnyOrder) {
  EXPECT_TRUE(SameTree(*ParsedTree("x{a=\"b\", c=\"d\"}"), *ParsedTree("x{c=\"d\", a=\"b\"}")));
}

}  // namespace
}  // namespace lockstep::promql
