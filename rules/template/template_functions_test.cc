#include <gtest/gtest.h>

#include "rules/template/template_testing.h"

namespace lockstep::rules {
namespace {

// The results are those of Go's text/template and of Prometheus' functions for it.
void CheckFunctions(std::initializer_list<TemplateRow> rows) {
  for (const auto& [text, expected] : rows) EXPECT_EQ(ExpandedText(text), expected) << text;
}

TEST(TemplateFunctionsTest, Humanize) {
  CheckFunctions({{"{{ humanize 0.0 }}", "0"},
                  {"{{ humanize 1.0 }}", "1"},
                  {"{{ humanize 999 }}", "999"},
                  {"{{ humanize 1000 }}", "1k"},
                  {"{{ humanize -1500 }}", "-1.5k"},
                  {"{{ humanize 1234567.0 }}", "1.235M"},
                  {"{{ humanize \"2e27\" }}", "2000Y"},
                  {"{{ humanize 0.12 }}", "120m"},
                  {"{{ humanize 0.001 }}", "1m"},
                  {"{{ humanize 0.0009 }}", "900u"},
                  {"{{ humanize -0.5 }}", "-500m"},
                  {"{{ humanize \"NaN\" }}", "NaN"},
                  {"{{ humanize \"Inf\" }}", "+Inf"},
                  {"{{ humanize \"-Inf\" }}", "-Inf"}});
}

TEST(TemplateFunctionsTest, Humanize1024) {
  CheckFunctions({{"{{ humanize1024 0.0 }}", "0"},
                  {"{{ humanize1024 1.0 }}", "1"},
                  {"{{ humanize1024 0.12 }}", "0.12"},
                  {"{{ humanize1024 1023 }}", "1023"},
                  {"{{ humanize1024 1024 }}", "1ki"},
                  {"{{ humanize1024 -2048 }}", "-2ki"},
                  {"{{ humanize1024 1048576.0 }}", "1Mi"},
                  {"{{ humanize1024 \"-Inf\" }}", "-Inf"},
                  {"{{ humanize1024 \"NaN\" }}", "NaN"}});
}

TEST(TemplateFunctionsTest, HumanizeDuration) {
  CheckFunctions({{"{{ humanizeDuration 0 }}", "0s"},
                  {"{{ humanizeDuration 1 }}", "1s"},
                  {"{{ humanizeDuration 1.2345 }}", "1.234s"},
                  {"{{ humanizeDuration 59.5 }}", "59.5s"},
                  {"{{ humanizeDuration 60 }}", "1m 0s"},
                  {"{{ humanizeDuration 60.5 }}", "1m 0s"},
                  {"{{ humanizeDuration 899.99 }}", "14m 59s"},
                  {"{{ humanizeDuration 3599 }}", "59m 59s"},
                  {"{{ humanizeDuration 3600 }}", "1h 0m 0s"},
                  {"{{ humanizeDuration 86399 }}", "23h 59m 59s"},
                  {"{{ humanizeDuration 86400 }}", "1d 0h 0m 0s"},
                  {"{{ humanizeDuration -183845 }}", "-2d 3h 4m 5s"},
                  {"{{ humanizeDuration -1 }}", "-1s"},
                  {"{{ humanizeDuration .1 }}", "100ms"},
                  {"{{ humanizeDuration .0001 }}", "100us"},
                  {"{{ humanizeDuration -0.5 }}", "-500ms"},
                  {"{{ humanizeDuration \"NaN\" }}", "NaN"},
                  {"{{ humanizeDuration \"Inf\" }}", "+Inf"}});
}

TEST(TemplateFunctionsTest, HumanizePercentageAndTimestamp) {
  CheckFunctions({{"{{ humanizePercentage -0.22222 }}", "-22.22%"},
                  {"{{ humanizePercentage 0.0 }}", "0%"},
                  {"{{ humanizePercentage 1.23456 }}", "123.5%"},
                  {"{{ humanizeTimestamp 0 }}", "1970-01-01 00:00:00 +0000 UTC"},
                  {"{{ humanizeTimestamp -1 }}", "1969-12-31 23:59:59 +0000 UTC"},
                  {"{{ humanizeTimestamp \"NaN\" }}", "NaN"},
                  {"{{ humanizeTimestamp \"-Inf\" }}", "-Inf"},
                  {"{{ humanizeTimestamp 9200000000 }}", "2261-07-15 11:33:20 +0000 UTC"},
                  {"{{ humanizeTimestamp 1e10 }}",
                   "error: error calling humanizeTimestamp: 1e+10 is not a valid time"},
                  {"{{ humanizeTimestamp -1e10 }}",
                   "error: error calling humanizeTimestamp: -1e+10 is not a valid time"},
                  {"{{ humanizePercentage \"x\" }}",
                   "error: error calling humanizePercentage: \"x\" is not a number"}});
}

TEST(TemplateFunctionsTest, Times) {
  CheckFunctions({{"{{ toTime 1435065584.128 }}", "2015-06-23 13:19:44.128 +0000 UTC"},
                  {"{{ toTime \"-9200000000\" }}", "1678-06-18 12:26:40 +0000 UTC"},
                  {"{{ toTime 1e10 }}", "error: error calling toTime: 1e+10 is not a valid time"},
                  {"{{ toTime \"NaN\" }}", "error: error calling toTime: nan is not a valid time"},
                  {"{{ if toTime 0 }}yes{{ end }}", "yes"},
                  {"{{ now }}", "1.5"},
                  {"{{ parseDuration \"1h\" }} {{ parseDuration \"500ms\" }}", "3600 0.5"}});
  EXPECT_EQ(ExpandedText("{{ parseDuration \"x\" }}").substr(0, 36),
            "error: error calling parseDuration: ");
}

TEST(TemplateFunctionsTest, Texts) {
  CheckFunctions(
      {{"{{ title \"aa bb CC\" }}", "Aa Bb CC"},
       {"{{ title \"o'neil x_y a-b 1st\" }}", "O'neil X_y A-B 1st"},
       {"{{ toUpper \"aB1\" }}{{ toLower \"aB1\" }}", "AB1ab1"},
       {"{{ urlquery \"a b&c\" }}", "a+b%26c"},
       {"{{ safeHtml \"<b>\" }}", "<b>"},
       {"{{ graphLink \"up == 1\" }}", "/graph?g0.expr=up+%3D%3D+1&g0.tab=0"},
       {"{{ toUpper 1 }}",
        "error: error calling toUpper: wrong type for value; expected string; got int"}});
}

TEST(TemplateFunctionsTest, HostsWithoutPortOrDomain) {
  CheckFunctions({{"{{ stripPort \"localhost\" }}", "localhost"},
                  {"{{ stripPort \"localhost:9090\" }}", "localhost"},
                  {"{{ stripPort \"127.0.0.1:9090\" }}", "127.0.0.1"},
                  {"{{ stripPort \"[::1]:9090\" }}", "::1"},
                  {"{{ stripPort \"[::1]\" }}", "[::1]"},
                  {"{{ stripPort \"2001:db8::1\" }}", "2001:db8::1"},
                  {"{{ stripDomain \"localhost:9090\" }}", "localhost:9090"},
                  {"{{ stripDomain \"a.example.com\" }}", "a"},
                  {"{{ stripDomain \"a.example.com:9090\" }}", "a:9090"},
                  {"{{ stripDomain \"127.0.0.1:9090\" }}", "127.0.0.1:9090"},
                  {"{{ stripDomain \"127.0.0.1\" }}", "127.0.0.1"},
                  {"{{ stripDomain \"[2001:db8::1]:9090\" }}", "[2001:db8::1]:9090"}});
}

TEST(TemplateFunctionsTest, ThePrefixIsThePathOfTheServer) {
  TemplateData data = DataForTests();
  for (const auto& [url, prefix] : std::initializer_list<TemplateRow>{{"", ""},
                                                                      {"/x", ""},
                                                                      {"http://h", ""},
                                                                      {"http://h/", ""},
                                                                      {"http://h/a/b//", "/a/b"},
                                                                      {"https://h:1/a", "/a"}}) {
    data.external_url = url;
    EXPECT_EQ(ExpandedWith("{{ pathPrefix }}", data), prefix) << url;
    EXPECT_EQ(ExpandedWith("{{ externalURL }}", data), url);
  }
}

TEST(TemplateFunctionsTest, RegularExpressions) {
  CheckFunctions(
      {{"{{ match \"^b\" \"ab\" }} {{ match \"a+\" \"caab\" }}", "false true"},
       {"{{ match \"(\" \"a\" }}",
        "error: error calling match: \"(\" is not a regular expression: missing closing ): `(`"},
       {"{{ reReplaceAll \"(a)(b)?\" \"$1-\" \"abac\" }}", "a-a-c"},
       {"{{ reReplaceAll \"x\" \"y\" \"abc\" }}", "abc"},
       {"{{ reReplaceAll \"[\" \"y\" \"abc\" }}",
        "error: error calling reReplaceAll: \"[\" is not a regular expression: missing closing ]: "
        "`[`"},
       {"{{ match \"a\" 1 }}",
        "error: error calling match: wrong type for value; expected string; got int"}});
}

TEST(TemplateFunctionsTest, SamplesOfQueries) {
  CheckFunctions(
      {{"{{ query \"up\" | first | label \"none\" }}.", "."},
       {"{{ query \"up\" | first | strvalue }}.", "."},
       {"{{ range query \"up\" | sortByLabel \"none\" }}{{ .Labels.job }}{{ end }}", "ba"},
       {"{{ index (query \"up\") 1 | value }}", "1.5"},
       {"{{ index (query \"up\") 2 }}", "error: error calling index: index out of range: 2"},
       {"{{ index (query \"up\") -1 }}", "error: error calling index: index out of range: -1"},
       {"{{ index (query \"up\") \"a\" }}",
        "error: error calling index: wrong type for value; expected int; got string"},
       {"{{ index $labels \"none\" }}.", "."},
       {"{{ index 1 1 }}",
        "error: error calling index: wrong type for value; expected a map or a list; got int"},
       {"{{ first 1.5 }}",
        "error: error calling first: wrong type for value; expected a query result; got float64"},
       {"{{ value true }}",
        "error: error calling value: wrong type for value; expected a sample; got bool"},
       {"{{ label \"job\" \"b\" }}",
        "error: error calling label: wrong type for value; expected a sample; got string"}});
  TemplateData data = DataForTests();
  data.query = nullptr;
  EXPECT_EQ(ExpandedWith("{{ query \"up\" }}", data),
            "error: error calling query: queries are not available here");
}

TEST(TemplateFunctionsTest, TheSampleValueAsText) {
  TemplateData data = DataForTests();
  data.query = [](std::string_view) {
    return TemplateSamples{{{{"__value__", "text"}, {"job", "z"}}, 1}, {{{"other", "y"}}, 2}};
  };
  EXPECT_EQ(ExpandedWith("{{ query \"q\" | first | strvalue }}", data), "text");
  // One without the label is first.
  EXPECT_EQ(
      ExpandedWith("{{ range sortByLabel \"job\" (query \"q\") }}{{ .Value }}{{ end }}", data),
      "21");
}

TEST(TemplateFunctionsTest, Lengths) {
  CheckFunctions({{"{{ len \"\" }}{{ len \"ab\" }}", "02"},
                  {"{{ len $labels }}", "2"},
                  {"{{ len (query \"none\") }}{{ len (query \"up\") }}", "02"},
                  {"{{ len 1 }}", "error: error calling len: len of type int"}});
}

TEST(TemplateFunctionsTest, Printing) {
  CheckFunctions({{"{{ print 1 2 \"a\" \"b\" 3 4 }}", "1 2ab3 4"},
                  {"{{ print }}.", "."},
                  {"{{ println 1 \"a\" \"b\" }}.", "1 a b\n."},
                  {"{{ println }}.", "\n."},
                  {"{{ printf \"%d-%s\" 1 \"a\" }}", "1-a"},
                  {"{{ 7 | printf \"%03d\" }}", "007"}});
}

TEST(TemplateFunctionsTest, Comparisons) {
  CheckFunctions(
      {{"{{ eq 1 1 }}{{ eq 1 2 }}", "truefalse"},
       {"{{ eq 1.5 1.5 }}{{ eq 1.5 2.5 }}", "truefalse"},
       {"{{ eq true true }}{{ eq true false }}", "truefalse"},
       {"{{ eq \"a\" \"b\" \"a\" }}{{ eq \"a\" \"b\" \"c\" }}", "truefalse"},
       {"{{ ne 1 1 }}{{ ne 1 2 }}", "falsetrue"},
       {"{{ lt 1 2 }}{{ lt 2 2 }}{{ lt 3 2 }}", "truefalsefalse"},
       {"{{ le 1 2 }}{{ le 2 2 }}{{ le 3 2 }}", "truetruefalse"},
       {"{{ gt 1 2 }}{{ gt 2 2 }}{{ gt 3 2 }}", "falsefalsetrue"},
       {"{{ ge 1 2 }}{{ ge 2 2 }}{{ ge 3 2 }}", "falsetruetrue"},
       {"{{ lt 1.5 2.5 }}{{ lt 2.5 2.5 }}", "truefalse"},
       {"{{ lt \"a\" \"b\" }}{{ lt \"b\" \"b\" }}", "truefalse"},
       {"{{ eq 1 1.0 }}", "error: error calling eq: incompatible types for comparison"},
       {"{{ ne 1 \"1\" }}", "error: error calling ne: incompatible types for comparison"},
       {"{{ le 1 1.0 }}", "error: error calling le: incompatible types for comparison"},
       {"{{ eq $labels $labels }}", "error: error calling eq: non-comparable types"},
       {"{{ lt true false }}", "error: error calling lt: invalid type for comparison"}});
}

TEST(TemplateFunctionsTest, LogicStopsWhereTheResultIsClear) {
  CheckFunctions({{"{{ and 1 0 2 }}{{ and 1 2 }}", "02"},
                  {"{{ or 0 \"\" }}{{ or 0 3 4 }}", "3"},
                  {"{{ and false (query \"x\") }}", "false"},
                  {"{{ or true (query \"x\") }}", "true"},
                  {"{{ and true (query \"x\") }}", "error: error calling query: no such query"},
                  {"{{ 1 | and 2 }}", "1"},
                  {"{{ not 0 }}{{ not 1 }}", "truefalse"}});
}

}  // namespace
}  // namespace lockstep::rules
