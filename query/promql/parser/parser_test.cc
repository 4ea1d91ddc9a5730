#include "query/promql/parser/parser.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "query/promql/printer/printer.h"

namespace lockstep::promql {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

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
      {"a offset -(2) ^ 2", "(a offset -2s ^ 2)"},
      {"a offset -(5s) * 2", "(a offset -5s * 2)"},
      {"a offset +(5s) * 2", "(a offset 5s * 2)"},
      {"a offset -step() * 2", "(a offset -step() * 2)"},
      {"a offset -(5s + step()) * 2", "(a offset -(5s + step()) * 2)"},
      {"a offset -(min_of(step(), 1s)) + 8000", "(a offset -(min_of(step(), 1s)) + 8000)"},
      {"a offset -(5s) @ 10 > 2", "(a @ 10.000 offset -5s > 2)"},
      {"rate(a[5m] offset -(5s)) or b", "(rate(a[5m] offset -5s) or b)"},
      {"rate(a[5m:] offset -(5s)) or b", "(rate(a[5m:] offset -5s) or b)"},
      {"a @ 10 * 2", "(a @ 10.000 * 2)"},
  };
  for (const Row& row : kRows) {
    const absl::StatusOr<ExprPtr> expr = ParseExpr(row.query);
    ASSERT_TRUE(expr.ok()) << row.query << ": " << expr.status();
    EXPECT_EQ(Shape(**expr), row.shape) << row.query;
  }
}

std::string Repeat(std::string_view text, int count) {
  std::string out;
  for (int i = 0; i < count; ++i) out += text;
  return out;
}

// All nesting is rejected with an error long before the stack overflows.
TEST(ParserTest, DepthIsBounded) {
  constexpr int kMany = 100000;
  const std::string kDeep[] = {
      Repeat("(", kMany),
      Repeat("(", kMany) + "a" + Repeat(")", kMany),
      Repeat("-", kMany) + "a",
      Repeat("-(", kMany) + "a" + Repeat(")", kMany),
      Repeat("abs(", kMany) + "a" + Repeat(")", kMany),
      Repeat("sum(", kMany) + "a" + Repeat(")", kMany),
      "a" + Repeat(" + a", kMany),
      "a" + Repeat(" ^ a", kMany),
      "a" + Repeat("[5m:]", kMany),
      "a[" + Repeat("(", kMany) + "5m" + Repeat(")", kMany) + "]",
      "a[" + Repeat("-", kMany) + "step()]",
      "a[5m" + Repeat(" + 5m", kMany) + "]",
      "a[5m" + Repeat(" ^ 5m", kMany) + "]",
      "a offset " + Repeat("min_of(1, ", kMany) + "1" + Repeat(")", kMany),
  };
  for (const std::string& query : kDeep) {
    EXPECT_THAT(ErrorOf(query), HasSubstr("parse error: expression is nested more than 512 levels"))
        << query.substr(0, 40);
  }
}

TEST(ParserTest, DepthUpToTheLimitIsFine) {
  constexpr int kFits = kMaxExprDepth - 2;
  const std::string kDeep[] = {
      Repeat("(", kFits) + "a" + Repeat(")", kFits),
      Repeat("-", kFits) + "a",
      Repeat("sum(", kFits) + "a" + Repeat(")", kFits),
      "a" + Repeat(" + a", kFits),
      "a[" + Repeat("(", kFits) + "5m" + Repeat(")", kFits) + "]",
      "a[5m" + Repeat(" ^ 1", kFits) + "]",
  };
  for (const std::string& query : kDeep) {
    const absl::StatusOr<ExprPtr> expr = ParseExpr(query);
    ASSERT_TRUE(expr.ok()) << query.substr(0, 40) << ": " << expr.status();
    EXPECT_LE((*expr)->depth, kMaxExprDepth);
    EXPECT_FALSE(PrintPretty(**expr).empty());
  }
}

// Every token has its own position, whatever was read ahead to find it.
TEST(ParserTest, PositionsAreThoseOfTheText) {
  EXPECT_THAT(ErrorOf("sum( foo{a=\"b\"} [5m:] offset 1m ) by (c) - -1"),
              "1:6: parse error: expected type instant vector in aggregation expression, got range "
              "vector");
  const absl::StatusOr<ExprPtr> fixed =
      ParseExpr("sum( last_over_time(foo [5m:] offset 1m ) ) by (c) - -1");
  ASSERT_TRUE(fixed.ok()) << fixed.status();
  const auto& binary = As<BinaryExpr>(**fixed);
  EXPECT_EQ(binary.position.start, 0);
  EXPECT_EQ(binary.position.end, 55);
  EXPECT_EQ(binary.op_position.start, 51);
  EXPECT_EQ(binary.rhs->position.start, 53);
  const auto& sum = As<AggregateExpr>(*binary.lhs);
  EXPECT_EQ(sum.position.end, 50);
  const auto& call = As<Call>(*sum.operand);
  EXPECT_EQ(call.position.start, 5);
  EXPECT_EQ(call.position.end, 41);
  EXPECT_EQ(call.args[0]->position.start, 20);
  EXPECT_EQ(call.args[0]->position.end, 39);
}

TEST(ParserTest, SelectorsOfApiParameters) {
  const absl::StatusOr<std::vector<Matcher>> named = ParseMetricSelector("up{job=\"x\"}");
  ASSERT_TRUE(named.ok()) << named.status();
  EXPECT_THAT(*named, ElementsAre(Matcher::Equal("job", "x"), Matcher::Equal("__name__", "up")));
  const absl::StatusOr<std::vector<Matcher>> empty = ParseMetricSelector("{}");
  ASSERT_TRUE(empty.ok()) << empty.status();
  EXPECT_TRUE(empty->empty());

  constexpr std::string_view kRefused[] = {"",  "up[5m]", "up offset 1m", "sum(up)",
                                           "1", "up up",  "{a=~\"(\"}"};
  for (const std::string_view text : kRefused) {
    const absl::StatusOr<std::vector<Matcher>> matchers = ParseMetricSelector(text);
    EXPECT_EQ(matchers.status().code(), absl::StatusCode::kInvalidArgument) << text;
  }
}

TEST(ParserTest, Durations) {
  struct Row {
    std::string_view text;
    int64_t ms;
  };
  constexpr Row kRows[] = {
      {"0", 0},          {"0s", 0},           {"5m", 300000},
      {"1m0s", 60000},   {"1h30m", 5400000},  {"54s321ms", 54321},
      {"1w", 604800000}, {"1y", 31536000000}, {"1y1w1d1h1m1s1ms", 32230861001},
  };
  for (const Row& row : kRows) {
    const absl::StatusOr<int64_t> ms = ParseDurationMs(row.text);
    ASSERT_TRUE(ms.ok()) << row.text << ": " << ms.status();
    EXPECT_EQ(*ms, row.ms) << row.text;
  }
  constexpr std::string_view kRefused[] = {
      "", "5", "m", "-5m", "5m5m", "1s1m", "1.5h", " 5m", "5M", "300y", "99999999999999999999s"};
  for (const std::string_view text : kRefused) EXPECT_FALSE(ParseDurationMs(text).ok()) << text;
}

// Ranges and offsets that are literals are known immediately; all others are kept as expressions.
TEST(ParserTest, LiteralDurationsAreFolded) {
  const absl::StatusOr<ExprPtr> expr = ParseExpr("a[(5m)] offset -(30)");
  ASSERT_TRUE(expr.ok()) << expr.status();
  const auto& matrix = As<MatrixSelector>(**expr);
  EXPECT_EQ(matrix.range_ms, 300000);
  EXPECT_EQ(matrix.range_expr, nullptr);
  EXPECT_EQ(matrix.selector->modifiers.offset_ms, -30000);
  const absl::StatusOr<ExprPtr> computed = ParseExpr("a[5m * 2:step()]");
  ASSERT_TRUE(computed.ok()) << computed.status();
  const auto& subquery = As<SubqueryExpr>(**computed);
  ASSERT_NE(subquery.range_expr, nullptr);
  EXPECT_EQ(subquery.range_expr->op, DurationExpr::Op::kMul);
  EXPECT_EQ(subquery.step_expr->op, DurationExpr::Op::kStep);
}

TEST(ParserTest, WordsOfTheLanguageMayBeNames) {
  constexpr std::string_view kNames[] = {
      "sum",  "by",    "without", "offset", "and",  "or",        "unless",   "start",    "end",
      "step", "range", "min_of",  "max_of", "fill", "fill_left", "anchored", "smoothed", "topk",
  };
  for (const std::string_view name : kNames) {
    for (const std::string& query : {std::string(name), std::string(name) + "{a=\"b\"} + 1",
                                     "sum by (a) (" + std::string(name) + " offset 5m)"}) {
      EXPECT_TRUE(ParseExpr(query).ok()) << query;
    }
  }
  constexpr std::string_view kReserved[] = {"bool",       "on",          "ignoring",
                                            "group_left", "group_right", "atan2"};
  for (const std::string_view word : kReserved) {
    EXPECT_FALSE(ParseExpr(word).ok()) << word;
    EXPECT_TRUE(ParseExpr("sum by (" + std::string(word) + ") (a)").ok()) << word;
  }
}

TEST(ParserTest, CommentsAndSpace) {
  const absl::StatusOr<ExprPtr> expr =
      ParseExpr("# first\nsum # second\r\n(\ta{ # third\n b=\"#\" } )# last");
  ASSERT_TRUE(expr.ok()) << expr.status();
  EXPECT_EQ(Print(**expr), "sum(a{b=\"#\"})");
}

}  // namespace
}  // namespace lockstep::promql
