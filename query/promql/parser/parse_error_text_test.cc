// Errors for texts that are not PromQL: Prometheus' own messages and positions.
#include <span>
#include <string>
#include <string_view>

#include "gtest/gtest.h"
#include "query/promql/parser/parser.h"
#include "query/promql/printer/printer.h"

namespace lockstep::promql {
namespace {

struct Row {
  std::string_view query;
  std::string_view error;  // without " parse error:"; begins with the position
};

void CheckAll(std::span<const Row> rows) {
  for (const Row& row : rows) {
    const absl::StatusOr<ExprPtr> expr = ParseExpr(row.query);
    ASSERT_FALSE(expr.ok()) << row.query << " parsed as " << Print(**expr);
    EXPECT_EQ(expr.status().code(), absl::StatusCode::kInvalidArgument) << row.query;
    std::string error(Message(expr.status()));
    constexpr std::string_view kMark = " parse error:";
    const size_t mark = error.find(kMark);
    ASSERT_NE(mark, std::string::npos) << row.query << ": " << error;
    EXPECT_EQ(error.erase(mark, kMark.size()), row.error) << row.query;
  }
}

TEST(ParseErrorTextTest, Lexer) {
  constexpr Row kRows[] = {
      {"(", "1:2: unclosed left parenthesis"},
      {"(1))", "1:5: unexpected right parenthesis ')'"},
      {"1)", "1:3: unexpected right parenthesis ')'"},
      {"foo]", "1:4: unexpected right bracket ']'"},
      {"1 !~ 1", "1:3: unexpected character after '!': '~'"},
      {"1 =~ 1", "1:3: unexpected character after '=': '~'"},
      {"a & b", "1:3: unexpected character: '&'"},
      {"a ü b", "1:3: unexpected character: 'ü'"},
      {"some}", "1:5: unexpected character: '}'"},
      {"{", "1:2: unexpected end of input inside braces"},
      {"foo{{", "1:5: unexpected left brace '{'"},
      {"foo{1}", "1:5: unexpected character inside braces: '1'"},
      {"foo{a>=\"b\"}", "1:6: unexpected character inside braces: '>'"},
      {"foo{a:b=\"b\"}", "1:6: unexpected character inside braces: ':'"},
      {"foo{a!\"b\"}", "1:6: unexpected character after '!' inside braces: '\"'"},
      {"foo{a=\"\xff\"}", "1:7: invalid UTF-8 rune"},
      {"label_replace(a, `b`, `c\xff`, `d`, `.*`)", "1:23: invalid UTF-8 rune"},
      {"\"abc", "1:1: unterminated quoted string"},
      {"\"a\nb\"", "1:1: unterminated quoted string"},
      {"`\\``", "1:4: unterminated raw string"},
      {"\"\\", "1:1: escape sequence not terminated"},
      {"\"\\c\"", "1:1: unknown escape sequence U+0063 'c'"},
      {"'\\\"'", "1:1: unknown escape sequence U+0022 '\"'"},
      {"\"\\x.\"", "1:1: illegal character U+002E '.' in escape sequence"},
      {"\"\\ud800\"", "1:1: escape sequence is an invalid Unicode code point"},
      {"\"\\400\"", "1:1: escape sequence is an invalid Unicode code point"},
      {"foo[", "1:5: unexpected end of input in duration expression"},
      {"foo[5m", "1:7: unclosed left bracket"},
      {"foo[\"5m\"]", "1:5: unexpected character in duration expression: '\"'"},
      {"foo[bar]", "1:5: unexpected character in duration expression: 'b'"},
      {"foo[5m s]", "1:8: unexpected character: 's', expected ':'"},
      {"foo[5mm]", "1:5: bad number or duration syntax: \"5mm\""},
      {"foo[5m1]", "1:5: bad number or duration syntax: \"5m1\""},
      {"foo[5m:1m1]", "1:8: bad number or duration syntax: \"1m1\""},
      {"foo[5m[1m]]", "1:7: unexpected left bracket '['"},
      {"foo[5m:1m:1m]", "1:10: unexpected colon ':'"},
      {"foo[:5m]", "1:6: unexpected colon before duration in duration expression"},
      {"foo[step()::1m]", "1:12: unexpected repeated colon in duration expression"},
      {"foo[step]",
       "1:9: unexpected \"]\" in subquery or range selector, expected number, "
       "duration, step(), or range()"},
      {"foo[steps()]", "1:5: unexpected character in duration expression: 's'"},
      {"{a=\"b\"", "1:7: unexpected end of input inside braces"},
      {"{a=\"\\u12\"}", "1:4: illegal character U+0022 '\"' in escape sequence"},
      {"{a=\"\\x4\"}", "1:4: illegal character U+0022 '\"' in escape sequence"},
      {"\"\\U00110000\"", "1:1: escape sequence is an invalid Unicode code point"},
      {"\"\\U0010FFFG\"", "1:1: illegal character U+0047 'G' in escape sequence"},
      {"\"\\udfff\"", "1:1: escape sequence is an invalid Unicode code point"},
      {"\"\\08\"", "1:1: illegal character U+0038 '8' in escape sequence"},
      {"\"\\12", "1:1: escape sequence not terminated"},
      {"foo offset 1mm", "1:12: bad number or duration syntax: \"1mm\""},
      {"1__000", "1:1: bad number or duration syntax: \"1__\""},
      {"1..2", "1:1: bad number or duration syntax: \"1..\""},
      {".0.0.", "1:1: bad number or duration syntax: \".0.0.\""},
      {"foo.0.0", "1:4: unexpected number \".0.0\""},
      {"0x1.8", "1:1: bad number or duration syntax: \"0x1.\""},
      {"1e", "1:1: bad number or duration syntax: \"1e\""},
      {"\n\n  §", "3:3: unexpected character: '§'"},
  };
  CheckAll(kRows);
}

TEST(ParseErrorTextTest, Literals) {
  constexpr Row kRows[] = {
      {"1_ + 1", "1:1: error parsing number: strconv.ParseFloat: parsing \"1_\": invalid syntax"},
      {"1e999",
       "1:1: error parsing number: strconv.ParseFloat: parsing \"1e999\": value out of range"},
      {"1e999.5",
       "1:1: error parsing number: strconv.ParseFloat: parsing \"1e999.5\": invalid syntax"},
      {".0.0", "1:1: error parsing number: strconv.ParseFloat: parsing \".0.0\": invalid syntax"},
      {"1e-999.5",
       "1:1: error parsing number: strconv.ParseFloat: parsing \"1e-999.5\": invalid syntax"},
      {"foo[5y1hs]", "1:5: unknown unit \"hs\" in duration \"5y1hs\""},
      {"1.5h", "1:1: unknown unit \".\" in duration \"1.5h\""},
      {"0xABm", "1:1: unknown unit \"xABm\" in duration \"0xABm\""},
      {"foo[5m1h]", "1:5: not a valid duration string: \"5m1h\""},
      {"foo[5m1m]", "1:5: not a valid duration string: \"5m1m\""},
      {"foo[300y]", "1:5: duration out of range"},
      {"foo[1e10]", "1:5: duration out of range"},
      {"foo offset 1e10", "1:12: duration out of range"},
      {"foo offset - inf", "1:12: duration out of range"},
      {"foo[5m:- 1e10]", "1:10: duration out of range"},
      {"foo[0m]", "1:5: duration must be greater than 0"},
      {"foo[-1]", "1:5: duration must be greater than 0"},
      {"foo[-(1m)]", "1:5: duration must be greater than 0"},
      {"foo[5m:0]", "1:8: duration must be greater than 0"},
      {"foo[5m/0]", "1:7: division by zero"},
      {"foo[0 bool]", "1:7: unexpected character: 'b', expected ':'"},
      {"foo[0\\x3c]", "1:6: unexpected character: '\\\\'"},
      {"foo[-(5m) offset ]", "1:11: unexpected character: 'o', expected ':'"},
      {"(foo[0", "1:7: unclosed left parenthesis"},
      {"foo[000", "1:8: unclosed left bracket"},
      {"foo[5m/0 bool]", "1:10: unexpected character: 'b', expected ':'"},
      {"foo[5m:step1]",
       "1:12: unexpected number \"1\" in subquery selector, expected number, duration, step(), "
       "range(), or \"]\""},
      {"foo[5m%0 bool]", "1:10: unexpected character: 'b', expected ':'"},
      {"foo[5m%0s]", "1:7: modulo by zero"},
  };
  CheckAll(kRows);
}

TEST(ParseErrorTextTest, UnexpectedTokens) {
  constexpr Row kRows[] = {
      {"   ", "1:1: no expression found in input"},
      {"1+", "1:3: unexpected end of input"},
      {"*test", "1:1: unexpected <op:*>"},
      {"@@", "1:1: unexpected <op:@>"},
      {"-=", "1:2: unexpected \"=\""},
      {"++-++-+-+-<", "1:11: unexpected <op:<>"},
      {"e-+=/(0)", "1:4: unexpected \"=\""},
      {"a b", "1:3: unexpected identifier \"b\""},
      {"a b:c", "1:3: unexpected metric identifier \"b:c\""},
      {"a 5m", "1:3: unexpected duration \"5m\""},
      {"a Inf", "1:3: unexpected number \"Inf\""},
      {"a \"a long string\"", "1:3: unexpected string \"\\\"a long st\"..."},
      {"a sum", "1:3: unexpected <aggr:sum>"},
      {"a BY", "1:3: unexpected <BY>"},
      {"a start", "1:3: unexpected \"start\""},
      {"a b(", "1:3: unexpected identifier \"b\""},
      {"a:b(c)", "1:4: unexpected \"(\""},
      {"bool", "1:1: unexpected <bool>"},
      {"()", "1:2: unexpected \")\""},
      {"(a b)", "1:4: unexpected identifier \"b\""},
      {"abs(a b)", "1:7: unexpected identifier \"b\""},
      {"a - on(b) ignoring(c) d", "1:11: unexpected <ignoring>"},
      {"foo + group_left(baz) bar", "1:7: unexpected <group_left>"},
      {"a + fill() b", "1:10: unexpected \")\""},
      {"sum some_metric by (test)", "1:5: unexpected identifier \"some_metric\""},
      {"MIN keep_common (some_metric)", "1:5: unexpected identifier \"keep_common\""},
      {"MIN (some_metric) keep_common", "1:19: unexpected identifier \"keep_common\""},
      {"sum (some_metric) without (test) by (test)", "1:34: unexpected <by>"},
      {"sum without (test) (some_metric) by (test)", "1:34: unexpected <by>"},
  };
  CheckAll(kRows);
}

TEST(ParseErrorTextTest, UnexpectedTokensInContext) {
  constexpr Row kRows[] = {
      {"sum(a b)", "1:7: unexpected identifier \"b\" in aggregation"},
      {"sum((a b))", "1:8: unexpected identifier \"b\" in aggregation"},
      {"sum(abs(a b))", "1:11: unexpected identifier \"b\" in aggregation"},
      {"sum by (a) b", "1:12: unexpected identifier \"b\" in aggregation"},
      {"sum without(==)(a)", "1:13: unexpected <op:==> in grouping opts, expected label"},
      {"sum without(,)(a)", "1:13: unexpected \",\" in grouping opts, expected label"},
      {"sum without(foo,,)(a)", "1:17: unexpected \",\" in grouping opts, expected label"},
      {"sum by (without)(a)", "1:9: unexpected <without> in grouping opts, expected label"},
      {"sum by (a b)(c)",
       "1:11: unexpected identifier \"b\" in grouping opts, expected \",\" or \")\""},
      {"sum (a) by test", "1:12: unexpected identifier \"test\" in grouping opts, expected \"(\""},
      {"sum by (\"\") (a)", "1:9: invalid label name for grouping: \"\""},
      {"a + on b", "1:8: unexpected identifier \"b\" in grouping opts, expected \"(\""},
      {"a + on(b) group_left / c", "1:22: unexpected <op:/> in grouping opts, expected \"(\""},
      {"foo{a=b}", "1:7: unexpected identifier \"b\" in label matching, expected string"},
      {"foo{\"a\"=}", "1:9: unexpected \"}\" in label matching, expected string"},
      {"foo{__name__= =}", "1:15: unexpected \"=\" in label matching, expected string"},
      {"foo{gibberish}",
       "1:14: unexpected \"}\" in label matching, expected label matching operator"},
      {"foo{,}", "1:5: unexpected \",\" in label matching, expected identifier or \"}\""},
      {"foo{a=\"b\",,}", "1:11: unexpected \",\" in label matching, expected identifier or \"}\""},
      {"foo{a=\"b\" lol}",
       "1:11: unexpected identifier \"lol\" in label matching, expected \",\" or \"}\""},
      {"foo offset",
       "1:11: unexpected end of input in offset, expected number, duration, step(), or range()"},
      {"foo offset bar",
       "1:12: unexpected identifier \"bar\" in offset, expected number, "
       "duration, step(), or range()"},
      {"foo @", "1:6: unexpected end of input in @, expected timestamp"},
      {"foo @ bar", "1:7: unexpected identifier \"bar\" in @, expected timestamp"},
      {"foo @ start", "1:12: unexpected end of input in @, expected timestamp"},
      {"foo[]",
       "1:5: unexpected \"]\" in subquery or range selector, expected number, duration, "
       "step(), or range()"},
      {"foo[5m+]",
       "1:8: unexpected \"]\" in subquery or range selector, expected number, "
       "duration, step(), or range()"},
      {"foo[5m 1m]",
       "1:8: unexpected duration \"1m\" in subquery or range, expected \":\" or \"]\""},
      {"foo[5m:@]",
       "1:8: unexpected <op:@> in subquery selector, expected number, duration, "
       "step(), range(), or \"]\""},
      {"foo[5m:1m 1m]", "1:11: unexpected duration \"1m\" in subquery selector, expected \"]\""},
  };
  CheckAll(kRows);
}

TEST(ParseErrorTextTest, Modifiers) {
  constexpr Row kRows[] = {
      {"1 offset 1d",
       "1:1: offset modifier must be preceded by an instant vector selector or "
       "range vector selector or a subquery"},
      {"rate(a[5m]) @ 1234",
       "1:1: @ modifier must be preceded by an instant vector selector or "
       "range vector selector or a subquery"},
      {"foo offset 1s offset 2s", "1:1: offset may not be set multiple times"},
      {"foo @ 1 @ 2", "1:1: @ <timestamp> may not be set multiple times"},
      {"foo @ end() @ 2", "1:1: @ <timestamp> may not be set multiple times"},
      {"foo @ +Inf", "1:1: timestamp out of bounds for @ modifier: +Inf"},
      {"foo @ -Inf", "1:1: timestamp out of bounds for @ modifier: -Inf"},
      {"foo @ NaN", "1:1: timestamp out of bounds for @ modifier: NaN"},
      {"foo @ 9223372036854775808",
       "1:1: timestamp out of bounds for @ modifier: 9223372036854775808.000000"},
      {"foo OFFSET 1m[5m]", "1:14: no offset modifiers allowed before range"},
      {"foo @ 1234 [5m]", "1:12: no @ modifiers allowed before range"},
      {"(foo + bar)[5m]", "1:12: ranges only allowed for vector selectors"},
      {"rate(food[1m])[1h] offset 1h", "1:15: ranges only allowed for vector selectors"},
      {"foo anchored smoothed", "1:1: anchored and smoothed modifiers cannot be used together"},
      {"foo[5m:] anchored", "1:1: anchored modifier is not supported for subqueries"},
      {"foo[5m:] smoothed", "1:1: smoothed modifier is not supported for subqueries"},
  };
  CheckAll(kRows);
}

TEST(ParseErrorTextTest, Types) {
  constexpr Row kRows[] = {
      {"{}", "1:1: vector selector must contain at least one non-empty matcher"},
      {"{x=\"\"}", "1:1: vector selector must contain at least one non-empty matcher"},
      {"{x=~\".*\"}", "1:1: vector selector must contain at least one non-empty matcher"},
      {"{x!~\".+\"}", "1:1: vector selector must contain at least one non-empty matcher"},
      {"{x!=\"a\"}", "1:1: vector selector must contain at least one non-empty matcher"},
      {"foo{__name__=\"bar\"}", "1:1: metric name must not be set twice: \"foo\" or \"bar\""},
      {"foo{\"bar\"}", "1:1: metric name must not be set twice: \"foo\" or \"bar\""},
      {"1 and 1", "1:1: set operator \"and\" not allowed in binary scalar expression"},
      {"foo unless 1", "1:1: set operator \"unless\" not allowed in binary scalar expression"},
      {"1 or on(bar) foo", "1:1: vector matching only allowed between instant vectors"},
      {"foo == on(bar) 10", "1:1: vector matching only allowed between instant vectors"},
      {"foo + fill(0) 10", "1:1: filling in missing series only allowed between instant vectors"},
      {"foo and fill(0) bar", "1:1: filling in missing series not allowed for set operators"},
      {"foo and on(bar) group_left(baz) bar", "1:1: no grouping allowed for \"and\" operation"},
      {"1 == 1", "1:3: comparisons between scalars must use BOOL modifier"},
      {"foo + bool bar", "1:5: bool modifier can only be used on comparison operators"},
      {"foo and bool 10", "1:5: bool modifier can only be used on comparison operators"},
      {"a + on(b) group_left(c, b) d",
       "1:3: label \"b\" must not occur in ON and GROUP clause at once"},
      {"a + \"b\"", "1:5: binary expression must contain only scalar and instant vector types"},
      {"a[5m] + 1", "1:1: binary expression must contain only scalar and instant vector types"},
      {"-\"string\"",
       "1:1: unary expression only allowed on expressions of type scalar or instant "
       "vector, got \"string\""},
      {"-test[5m]",
       "1:1: unary expression only allowed on expressions of type scalar or instant "
       "vector, got \"range vector\""},
      {"test[5d] OFFSET 10s [10m:5s]",
       "1:1: subquery is only allowed on instant vector, got matrix instead"},
      {"time()[5m:]", "1:1: subquery is only allowed on instant vector, got scalar instead"},
      {"sum(a[5m])",
       "1:5: expected type instant vector in aggregation expression, got range vector"},
      {"topk(a, b)", "1:6: expected type scalar in aggregation parameter, got instant vector"},
      {"count_values(5, a)", "1:14: expected type string in aggregation parameter, got scalar"},
      {"sum () by (test)", "1:1: no arguments for aggregate expression provided"},
      {"topk(a)",
       "1:1: wrong number of arguments for aggregate expression provided, expected 2, got 1"},
      {"sum(a, b)",
       "1:1: wrong number of arguments for aggregate expression provided, expected 1, got 2"},
      {"topk(a,,b)", "1:7: trailing commas not allowed in function call args"},
      {"topk(a) )", "1:10: unexpected right parenthesis ')'"},
      {"topk(a,)", "1:7: trailing commas not allowed in function call args"},
  };
  CheckAll(kRows);
}

TEST(ParseErrorTextTest, Calls) {
  constexpr Row kRows[] = {
      {"non_existent()", "1:1: unknown function with name \"non_existent\""},
      {"a>b()", "1:3: unknown function with name \"b\""},
      {"Rate(a[5m])", "1:1: unknown function with name \"Rate\""},
      {"floor()", "1:1: expected 1 argument(s) in call to \"floor\", got 0"},
      {"floor(a, b)", "1:1: expected 1 argument(s) in call to \"floor\", got 2"},
      {"time(a)", "1:1: expected 0 argument(s) in call to \"time\", got 1"},
      {"hour(a, a, a)", "1:1: expected at most 1 argument(s) in call to \"hour\", got 3"},
      {"label_join(a, \"b\")",
       "1:1: expected at least 3 argument(s) in call to \"label_join\", got 2"},
      {"histogram_quantiles(a, \"q\", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11)",
       "1:1: expected at most 12 argument(s) in call to \"histogram_quantiles\", got 13"},
      {"floor(1)", "1:7: expected type instant vector in call to function \"floor\", got scalar"},
      {"rate(avg)",
       "1:6: expected type range vector in call to function \"rate\", got instant vector"},
      {"label_join(a, \"b\", \"c\", 1)",
       "1:25: expected type string in call to function \"label_join\", got scalar"},
      {"info(a, target_info{foo=\"bar\"})",
       "1:9: expected label selectors only, got vector selector instead"},
      {"info(a, {foo=\"bar\"} == 1)", "1:9: expected label selectors only"},
      {"info(a, ({foo=\"bar\"}))", "1:9: expected label selectors only"},
      {"info(1, sum(1))", "1:9: expected label selectors only"},
      {"info(a, 1)", "1:1: expected type instant vector in call to function \"info\", got scalar"},
      {"info(a, (1) + 2 * -3)",
       "1:1: expected type instant vector in call to function \"info\", got scalar"},
      {"info(a, time())",
       "1:1: expected type instant vector in call to function \"info\", got scalar"},
      {"info(a, \"b\")",
       "1:1: expected type instant vector in call to function \"info\", got string"},
      {"info(1, b[1m])",
       "1:1: expected type instant vector in call to function \"info\", got range vector"},
      {"info(a, b[1m:])",
       "1:1: expected type instant vector in call to function \"info\", got range vector"},
  };
  CheckAll(kRows);
}

TEST(ParseErrorTextTest, StringsThatAreWell) {
  for (const std::string_view query :
       {"\"\\377\"", "\"\\ud7ff\\ue000\"", "\"\\U0010ffff\"", "\"\\xFf\"", "'\\''", "`\n\\`",
        "\"\\a\\b\\f\\n\\r\\t\\v\\\\\""}) {
    EXPECT_TRUE(ParseExpr(query).ok()) << query;
  }
}

// Only the first error is reported, and syntax errors come before type errors.
TEST(ParseErrorTextTest, FirstErrorWins) {
  constexpr Row kRows[] = {
      {"abs(1) + foo(", "1:14: unclosed left parenthesis"},
      {"-\"a\" + -\"b\"",
       "1:1: unary expression only allowed on expressions of type scalar or "
       "instant vector, got \"string\""},
  };
  CheckAll(kRows);
}

TEST(ParseErrorTextTest, AnEmptyQueryHasNoPlace) {
  EXPECT_EQ(Message(ParseExpr("").status()),
            "unknown position: parse error: no expression found in input");
}

}  // namespace
}  // namespace lockstep::promql
