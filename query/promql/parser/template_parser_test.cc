// Expansion of WITH templates, lists of queries and omitted windows. Expected texts follow from
// VictoriaMetrics' MetricsQL page.
#include <string>
#include <string_view>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "query/promql/parser/parser.h"
#include "query/promql/parser/templates.h"
#include "query/promql/printer/printer.h"

namespace lockstep::promql {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// The query without templates, or the error.
std::string Expanded(std::string_view query, Dialect dialect = Dialect::kMetricsql) {
  const absl::StatusOr<ExprPtr> expr = ParseExpr(query, nullptr, dialect);
  return expr.ok() ? Print(**expr) : std::string(Message(expr.status()));
}

TEST(TemplateParserTest, NamesStandForExpressions) {
  struct Row {
    std::string_view query;
    std::string_view expanded;
  };
  constexpr Row kRows[] = {
      {"WITH (q = rate(m_total[5m])) q / q", "(rate(m_total[5m]) / rate(m_total[5m]))"},
      {"with (q = m) sum(q) by (q)", "sum by (q) (m)"},
      {"WITH (a = 1, b = a + 1, c = b * 2) c", "((1 + 1) * 2)"},
      {"WITH (x = a + b) x * x", "((a + b) * (a + b))"},
      {"WITH (x = -1) 2 ^ x", "(2 ^ (-1))"},
      {"WITH (x = m) x[5m] offset 1m", "m[5m] offset 1m"},
      {"WITH (x = m{a=\"b\"}) rate(x[5m])", "rate(m{a=\"b\"}[5m])"},
      {"WITH (l = \"x\") label_set(m, \"a\", l)", "label_set(m, \"a\", \"x\")"},
      {"2 * WITH (x = m) x + 1", "2 * (m + 1)"},
      {"WITH (x = m) WITH (x = x + 1, y = x) x * y", "((m + 1) * (m + 1))"},
      {"WITH () m", "m"},
      {"WITH (x = m,) x", "m"},
      {"WITH (x = sum(a, \"),\", {b=\"}\"}[5m])) 1", "1"},
      // A metric and a label may be named "with".
      {"with + sum by (with) (with{with=\"x\"})", "with + sum by (with) (with{with=\"x\"})"},
  };
  for (const Row& row : kRows) EXPECT_EQ(Expanded(row.query), row.expanded) << row.query;
}

TEST(TemplateParserTest, Matchers) {
  EXPECT_EQ(Expanded("WITH (common = {job=\"j\", x!=\"y\"}) a{common} / b{z=\"1\", common}"),
            "(a{job=\"j\",x!=\"y\"} / b{job=\"j\",x!=\"y\",z=\"1\"})");
  EXPECT_EQ(Expanded("WITH (m = foo{a=\"b\"}) m{c=\"d\"}[5m]"), "foo{a=\"b\",c=\"d\"}[5m]");
  // A label may have the name of a template.
  EXPECT_EQ(Expanded("WITH (job = {job=\"j\"}) a{job, job=\"k\"}"), "a{job=\"j\",job=\"k\"}");
  EXPECT_THAT(Expanded("WITH (x = a{b=\"c\"}) y{x}"),
              HasSubstr("1:23: parse error: template \"x\" is not a list of matchers in braces"));
  EXPECT_THAT(Expanded("WITH (x = {b=\"c\"} offset 1m) y{x}"), HasSubstr("not a list of matchers"));
  EXPECT_THAT(Expanded("WITH (x = sum(a)) x{b=\"c\"}"),
              HasSubstr("1:19: parse error: template \"x\" is not a selector"));
  EXPECT_THAT(Expanded("WITH (x = {b=\"c\"}) y{z}"),
              HasSubstr("unexpected \"}\" in label matching"));
}

TEST(TemplateParserTest, Functions) {
  EXPECT_EQ(Expanded("WITH (share(used, all) = 100 * used / all) share(a + b, sum(c))"),
            "(100 * (a + b) / sum(c))");
  EXPECT_EQ(Expanded("WITH (f(x) = rate(x[5m]), g(x) = f(x) + f(y)) g(z)"),
            "(rate(z[5m]) + rate(y[5m]))");
  // An argument has the meaning of the place where it is written, not where it is used.
  EXPECT_EQ(Expanded("WITH (x = a, f(y) = WITH (x = b) x + y) f(x)"), "(b + a)");
  EXPECT_EQ(Expanded("WITH (f() = m) f() / f"), "(m / f)");
  EXPECT_THAT(Expanded("WITH (f(x) = x) f()"),
              HasSubstr("1:17: parse error: template \"f\" takes 1 argument(s), got 0"));
  EXPECT_THAT(Expanded("WITH (f(x) = x) f(1, 2)"), HasSubstr("takes 1 argument(s), got 2"));
  EXPECT_THAT(Expanded("WITH (sum(x) = x) sum(1)"), HasSubstr("must not be called sum"));
}

// A name is not visible in its own definition.
TEST(TemplateParserTest, NothingRecurses) {
  EXPECT_EQ(Expanded("WITH (up = up{job=\"x\"}) up"), "up{job=\"x\"}");
  EXPECT_EQ(Expanded("WITH (a = b, b = a) b"), "b");
  EXPECT_EQ(Expanded("WITH (f(x) = f(x)) f(1)"),
            "1:14: parse error: unknown function with name \"f\"");
  EXPECT_EQ(Expanded("WITH (f(x) = g(x), g(x) = f(x)) g(1)"),
            "1:14: parse error: unknown function with name \"g\"");
}

TEST(TemplateParserTest, WhatTheyExpandToIsBounded) {
  std::string doubling = "WITH (x0 = m";
  for (int i = 1; i < 40; ++i) {
    const std::string before = "x" + std::to_string(i - 1);
    doubling += ", x" + std::to_string(i) + " = (" + before + ", " + before + ")";
  }
  EXPECT_THAT(Expanded(doubling + ") x39"), HasSubstr("templates expand to more than 65536 bytes"));
  EXPECT_THAT(Expanded(doubling + ") x3"), StartsWith("union("));

  const std::string body(1024, 'm');
  std::string uses = "x";
  for (int i = 1; i < 64; ++i) uses += " + x";
  EXPECT_THAT(Expanded("WITH (x = " + body + ") " + uses), StartsWith("(mmm"));
  EXPECT_THAT(Expanded("WITH (x = " + body + ") " + uses + " + x"), HasSubstr("expand to more"));

  std::string deep = "WITH (x0 = m";
  for (int i = 1; i < 110; ++i) {
    deep += ", x" + std::to_string(i) + " = (((((x" + std::to_string(i - 1) + ")))))";
  }
  EXPECT_THAT(Expanded(deep + ") x109"), HasSubstr("nested more than 512 levels deep"));
  EXPECT_THAT(Expanded(deep + ") x80"), StartsWith("(((((("));

  std::string many = "WITH (";
  for (int i = 0; i < 200; ++i) many += "y" + std::to_string(i) + " = 1, ";
  EXPECT_THAT(Expanded(many + ") y0"), HasSubstr("more than 128 template names are in scope"));
}

TEST(TemplateParserTest, BadTemplates) {
  EXPECT_EQ(Expanded("WITH (x) x"), "1:8: parse error: unexpected \")\" in WITH, expected \"=\"");
  EXPECT_EQ(Expanded("WITH (x = ) x"),
            "1:11: parse error: unexpected \")\" in WITH, expected expression");
  EXPECT_EQ(Expanded("WITH (1 = x) x"),
            "1:7: parse error: unexpected number \"1\" in WITH, expected name");
  EXPECT_EQ(Expanded("WITH (x = a b) x"), "1:13: parse error: unexpected identifier \"b\"");
  EXPECT_THAT(Expanded("WITH (x = a"), HasSubstr("unclosed left parenthesis"));
  EXPECT_THAT(Expanded("WITH (x = a)"), HasSubstr("unexpected end of input"));
  EXPECT_THAT(Expanded("WITH (x = floor(1)) x"), HasSubstr("1:17: parse error: expected type"));
}

TEST(TemplateParserTest, ListsOfQueries) {
  EXPECT_EQ(Expanded("WITH () (a, b + 1, c,)"), "union(a, b + 1, c)");
  EXPECT_EQ(Expanded("sum((alias(a, \"n\"), b)) by (x)"), "sum by (x) (union(alias(a, \"n\"), b))");
  EXPECT_EQ(Expanded("(a)"), "(a)");
  EXPECT_THAT(Expanded("WITH () (a, 1)"), HasSubstr("call to function \"union\", got scalar"));
  EXPECT_THAT(Expanded("WITH () (a,,)"), HasSubstr("unexpected \",\""));
}

TEST(TemplateParserTest, WhatNamesNothingOfMetricsqlIsPromql) {
  for (const char* query : {"(a, b)", "sum((a, b))", "(a, ", "(a, rate(b[5m]), 1)"}) {
    EXPECT_EQ(Expanded(query), Expanded(query, Dialect::kPromql)) << query;
    EXPECT_THAT(Expanded(query), HasSubstr("unexpected \",\"")) << query;
  }
}

TEST(TemplateParserTest, WindowsMayBeLeftOut) {
  for (const char* query : {"rollup_rate(m)", "rollup(m offset 5m, \"min\")", "increase_pure(m)",
                            "rollup({a=\"b\"})", "default_rollup(m @ 5.000)"}) {
    EXPECT_EQ(Expanded(query), query);
    const auto expr = ParseExpr(query);
    ASSERT_TRUE(expr.ok());
    EXPECT_EQ(As<Call>(**expr).args[0]->kind, ExprKind::kMatrixSelector) << query;
  }
  EXPECT_THAT(Expanded("rollup_rate(sum(m))"), HasSubstr("expected type range vector"));
  // Queries that Prometheus rejects do not get another meaning.
  for (const char* query : {"rate(m)", "increase(m)"}) {
    EXPECT_THAT(Expanded(query), HasSubstr("expected type range vector"));
  }
}

TEST(TemplateParserTest, StrictModeKnowsNoneOfIt) {
  const auto strict = [](std::string_view query) { return Expanded(query, Dialect::kPromql); };
  EXPECT_EQ(strict("WITH (x = 1) x"), "1:9: parse error: unexpected \"=\"");
  EXPECT_EQ(strict("with (x)"), "1:1: parse error: unknown function with name \"with\"");
  EXPECT_EQ(strict("(a, b)"), "1:3: parse error: unexpected \",\"");
  EXPECT_EQ(strict("union(a, b)"), "1:1: parse error: unknown function with name \"union\"");
  EXPECT_THAT(strict("rate(m)"), HasSubstr("expected type range vector"));
}

}  // namespace
}  // namespace lockstep::promql
