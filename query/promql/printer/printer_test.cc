#include "query/promql/printer/printer.h"

#include <cstdint>
#include <string>
#include <string_view>

#include "gtest/gtest.h"
#include "query/promql/parser/parser.h"

namespace lockstep::promql {
namespace {

struct PrintedRow {
  std::string_view query;
  std::string_view printed;
};

TEST(PrinterTest, OneLine) {
  constexpr PrintedRow kRows[] = {
      {"42", "42"},
      {"1_000.5", "1000.5"},
      {"0x1F", "31"},
      {"017", "15"},
      {"08", "8"},
      {".5", "0.5"},
      {"1e21", "1000000000000000000000"},
      {"-1.5e30", "-1500000000000000000000000000000"},
      {"1e-7", "0.0000001"},
      {"inf", "+Inf"},
      {"-inf", "-Inf"},
      {"inf ^ 2", "Inf ^ 2"},
      {"nan", "NaN"},
      {"5m", "5m"},
      {"90s", "1m30s"},
      {"365d", "1y"},
      {"8d", "8d"},
      {"-1h", "-1h"},
      {"'it\\'s'", "\"it's\""},
      {"`a\\b\n`", "\"a\\\\b\\n\""},
      {"\"\\xff\\u00e9\\a\"", "\"\\xffé\\a\""},
      {"foo", "foo"},
      {"foo{}", "foo"},
      {"foo{b='c',a!=\"d\",}", "foo{a!=\"d\",b=\"c\"}"},
      {"{__name__=\"foo\"}", "{__name__=\"foo\"}"},
      {"{\"foo bar\", \"a.b\"=~\"c\"}", "{\"a.b\"=~\"c\",__name__=\"foo bar\"}"},
      {"foo[300]", "foo[5m]"},
      {"foo[0.5]", "foo[500ms]"},
      {"foo [5m] OFFSET 1h @ 1m40s", "foo[5m] @ 100.000 offset 1h"},
      {"foo @ end() [5m]", "foo[5m] @ end()"},
      {"foo offset (1m * 2) [5m]", "foo[5m] offset (1m * 2)"},
      {"foo offset -90s", "foo offset -1m30s"},
      {"foo offset 0s", "foo"},
      {"foo @ -1.5", "foo @ -1.500"},
      {"foo @ START()", "foo @ start()"},
      {"foo[5m] anchored @ end()", "foo[5m] anchored @ end()"},
      {"foo smoothed", "foo smoothed"},
      {"foo[1h:5m] offset 1m", "foo[1h:5m] offset 1m"},
      {"foo[1h:]", "foo[1h:]"},
      {"foo[5m+step()*2]", "foo[5m + step() * 2]"},
      {"foo[-(10s-5s)+20s]", "foo[-(10s - 5s) + 20s]"},
      {"foo[max_of(range(),5)]", "foo[max_of(range(), 5)]"},
      {"foo[4s+4s:1s*2] offset (5s-8)", "foo[4s + 4s:1s * 2] offset (5s - 8)"},
      {"foo offset -step()", "foo offset -step()"},
      {"foo offset -min_of(5s,step()+8s)", "foo offset -min_of(5s, step() + 8s)"},
      {"foo offset (1m)*2", "foo offset (1m) * 2"},
      {"foo offset -(1m)*2", "foo offset -1m * 2"},
      {"foo offset -(step())*2", "foo offset -(step()) * 2"},
      {"foo offset +(1m+step())+2", "foo offset (1m + step()) + 2"},
      {"foo offset +step()", "foo offset step()"},
      {"foo offset -+step()", "foo offset -step()"},
      {"SUM(foo)BY(a,\"b c\",)", "sum by (a, \"b c\") (foo)"},
      {"sum by () (foo)", "sum(foo)"},
      {"sum without () (foo)", "sum without () (foo)"},
      {"sum by (sum, \"without\", \"inf\") (foo)", "sum by (sum, \"without\", \"inf\") (foo)"},
      {"topk(5,foo)", "topk(5, foo)"},
      {"count_values without (a) (\"v\", foo)", "count_values without (a) (\"v\", foo)"},
      {"round(foo,5)", "round(foo, 5)"},
      {"time()", "time()"},
      {"start()+step()", "start() + step()"},
      {"max_of(1,2)", "max_of(1, 2)"},
      {"a+b", "a + b"},
      {"-a", "-a"},
      {"- 5", "-5"},
      {"(a)", "(a)"},
      {"a==bool b", "a == bool b"},
      {"a</1", "a </ 1"},
      {"a + on() b", "a + on () b"},
      {"a + ignoring() b", "a + b"},
      {"a + ignoring(x) group_left b", "a + ignoring (x) group_left () b"},
      {"a + ignoring() group_right(y) b", "a + ignoring () group_right (y) b"},
      {"a + on(x) group_left(y) fill(0) b", "a + on (x) group_left (y) fill (0) b"},
      {"a + fill_right(2) fill_left(-1) b", "a + fill_left (-1) fill_right (2) b"},
      {"fill + fill_left", "fill + fill_left"},
  };
  for (const PrintedRow& row : kRows) {
    const absl::StatusOr<ExprPtr> expr = ParseExpr(row.query);
    ASSERT_TRUE(expr.ok()) << row.query << ": " << expr.status();
    EXPECT_EQ(Print(**expr), row.printed) << row.query;
  }
}

TEST(PrinterTest, LongExpressionsAreSplit) {
  constexpr std::string_view kQuery =
      "histogram_quantile(0.95, sum by (le, service) (rate(http_request_duration_seconds_bucket"
      "{job=\"api\",method=~\"GET|POST|PUT\",path!~\"/-/.*\",status=\"2..\"}[5m]))) / on (service) "
      "group_left () -(a_rather_long_metric_name_indeed + "
      "another_rather_long_metric_name_indeed_that_goes_on_and_on_until_it_is_too_long)";
  constexpr std::string_view kPretty = R"(  histogram_quantile(
    0.95,
    sum by (le, service) (
      rate(
        http_request_duration_seconds_bucket{job="api",method=~"GET|POST|PUT",)"
                                       R"(path!~"/-/.*",status="2.."}[5m]
      )
    )
  )
/ on (service) group_left ()
  -(
      a_rather_long_metric_name_indeed
    +
      another_rather_long_metric_name_indeed_that_goes_on_and_on_until_it_is_too_long
  ))";
  const absl::StatusOr<ExprPtr> expr = ParseExpr(kQuery);
  ASSERT_TRUE(expr.ok()) << expr.status();
  EXPECT_EQ(PrintPretty(**expr), kPretty);
}

// The longest indentation is quadratic in the depth; nothing else may be.
TEST(PrinterTest, DeepAndLongExpressionsTakeLittleTime) {
  constexpr int kDepth = kMaxExprDepth - 2;
  const std::string text = std::string(kDepth, '(') + "label_replace(a, \"b\", \"" +
                           std::string(1'000'000, 'x') + "\", \"c\", \"\")" +
                           std::string(kDepth, ')');
  const absl::StatusOr<ExprPtr> expr = ParseExpr(text);
  ASSERT_TRUE(expr.ok()) << Message(expr.status()).substr(0, 100);
  EXPECT_EQ(Print(**expr), text);
  EXPECT_LT(PrintPretty(**expr).size(), text.size() + 2 * 2 * kDepth * kDepth);
}

TEST(PrinterTest, SignsAndSubqueriesOfLongExpressions) {
  const std::string name(110, 'a');
  const absl::StatusOr<ExprPtr> expr = ParseExpr("-(" + name + ") + max_over_time(b[5m:1m])");
  ASSERT_TRUE(expr.ok()) << expr.status();
  EXPECT_EQ(PrintPretty(**expr), "  -(\n    " + name + "\n  )\n+\n  max_over_time(b[5m:1m])");
  const absl::StatusOr<ExprPtr> product = ParseExpr("-" + name + " ^ Inf");
  ASSERT_TRUE(product.ok()) << product.status();
  EXPECT_EQ(PrintPretty(**product), "-" + name + "\n^\n  +Inf");
}

TEST(PrinterTest, ShortExpressionsStayOnALine) {
  const absl::StatusOr<ExprPtr> expr = ParseExpr("sum(\n  a\n)\n/\nsum(b)");
  ASSERT_TRUE(expr.ok()) << expr.status();
  EXPECT_EQ(PrintPretty(**expr), "sum(a) / sum(b)");
}

TEST(PrinterTest, Durations) {
  EXPECT_EQ(PrintDurationMs(0), "0s");
  EXPECT_EQ(PrintDurationMs(90000), "1m30s");
  EXPECT_EQ(PrintDurationMs(1), "1ms");
  EXPECT_EQ(PrintDurationMs(-3661001), "-1h1m1s1ms");
  EXPECT_EQ(PrintDurationMs(int64_t{7} * 24 * 3600 * 1000), "1w");
}

}  // namespace
}  // namespace lockstep::promql
