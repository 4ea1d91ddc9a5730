#include <gtest/gtest.h>

#include "rules/template/template_testing.h"

namespace lockstep::rules {
namespace {

// The results are those of Go's text/template.
void CheckSyntax(std::initializer_list<TemplateRow> rows) {
  for (const auto& [text, expected] : rows) EXPECT_EQ(ExpandedText(text), expected) << text;
}

std::string RepeatedText(std::string_view text, int count) {
  std::string all;
  for (int i = 0; i < count; ++i) all += text;
  return all;
}

TEST(TemplateSyntaxTest, Constants) {
  CheckSyntax({{"{{ true }}{{ false }}", "truefalse"},
               {"{{ 1 }} {{ -5 }} {{ +5 }} {{ 2.50 }} {{ 1e3 }} {{ .5 }}", "1 -5 5 2.5 1000 0.5"},
               {"{{ \"a\" }}{{ `b` }}", "ab"},
               {"{{ 9223372036854775807 }} {{ 9223372036854775808 }}",
                "9223372036854775807 9.223372036854776e+18"},
               {"{{ 1x }}", "error: line 1: \"1x\" is not a number"}});
}

TEST(TemplateSyntaxTest, FieldsOfTheRoot) {
  CheckSyntax(
      {{"{{ .Labels.gpu }}{{ .ExternalLabels.cluster }}", "3c1"},
       {"{{ .ExternalURL }} {{ .Value }}", "http://lockstep:9009/x 1.2345675e+06"},
       {"{{ range query \"up\" }}{{ $.Labels.gpu }}{{ end }}", "33"},
       {"{{ .Foo }}", "error: can't evaluate field Foo in struct"},
       {"{{ $labels.gpu.x }}", "error: can't evaluate field x in string"},
       {"{{ (query \"up\" | first).Foo }}", "error: can't evaluate field Foo in *template.sample"},
       {"{{ (query \"up\" | first).Value }}", "2"},
       {"{{ (query \"up\" | first).Labels }}", "map[job:b]"}});
}

TEST(TemplateSyntaxTest, ValuesAsText) {
  CheckSyntax({{"{{ $labels }}", "map[gpu:3 instance:node7.rack.example:9400]"},
               {"{{ query \"up\" | first }}", "&{map[job:b] 2}"},
               {"{{ query \"none\" }}", "[]"}});
}

TEST(TemplateSyntaxTest, WhatIsTrue) {
  for (const char* value : {"false", "0", "0.0", "\"\"", "nil", "(query \"none\")"}) {
    EXPECT_EQ(ExpandedText(absl::StrFormat("{{ if %s }}yes{{ else }}no{{ end }}", value)), "no")
        << value;
  }
  for (const char* value : {"true", "1", "-1", "0.5", "\" \"", ".", "$labels", "(query \"up\")",
                            "(query \"up\" | first)"}) {
    EXPECT_EQ(ExpandedText(absl::StrFormat("{{ if %s }}yes{{ else }}no{{ end }}", value)), "yes")
        << value;
  }
  TemplateData data = DataForTests();
  data.labels = std::make_shared<const TextMap>();
  EXPECT_EQ(ExpandedWith("{{ if $labels }}yes{{ else }}no{{ end }}", data), "no");
}

TEST(TemplateSyntaxTest, Choices) {
  CheckSyntax({{"{{ if false }}a{{ end }}b", "b"},
               {"{{ if false }}a{{ else if false }}b{{ else if true }}c{{ end }}d", "cd"},
               {"{{ if false }}a{{ else if false }}b{{ else }}c{{ end }}d", "cd"},
               {"{{ if true }}{{ if false }}a{{ else }}b{{ end }}c{{ end }}d", "bcd"},
               {"{{ with 0 }}a{{ else with 2 }}{{ . }}{{ else }}c{{ end }}", "2"},
               {"{{ with 5 }}{{ . }}{{ end }}", "5"},
               {"{{ with $x := 5 }}{{ $x }}{{ . }}{{ end }}", "55"},
               {"{{ with 0 }}a{{ else }}{{ .Labels.gpu }}{{ end }}", "3"},
               {"{{ if 5 }}{{ .Labels.gpu }}{{ end }}", "3"},
               {"{{ if $x := 1 }}{{ $x }}{{ end }}", "1"},
               {"{{ if query \"x\" }}{{ end }}", "error: error calling query: no such query"}});
}

TEST(TemplateSyntaxTest, Ranges) {
  CheckSyntax(
      {{"{{ range $e := query \"up\" }}{{ $e.Value }} {{ end }}", "2 1.5 "},
       {"{{ range $k, $v := $labels }}{{ $k }}={{ $v }};{{ end }}",
        "gpu=3;instance=node7.rack.example:9400;"},
       {"{{ range $labels }}{{ . }};{{ end }}", "3;node7.rack.example:9400;"},
       {"{{ range nil }}a{{ else }}b{{ end }}", "b"},
       {"{{ range 5 }}a{{ end }}", "error: range can't iterate over 5"},
       {"{{ $n := 0 }}{{ range query \"up\" }}{{ $n = .Value }}{{ end }}{{ $n }}", "1.5"},
       {"{{ $v := 0 }}{{ range $v = query \"up\" }}{{ end }}{{ $v.Value }}", "1.5"},
       {"{{ range query \"up\" }}{{ if eq .Labels.job \"b\" }}{{ continue }}{{ end }}"
        "{{ .Labels.job }}{{ end }}",
        "a"},
       {"{{ range query \"up\" }}{{ range query \"up\" }}x{{ break }}{{ end }}y{{ end }}", "xyxy"},
       {"{{ range query \"up\" }}{{ if true }}{{ break }}{{ end }}x{{ end }}y", "y"},
       {"{{ range query \"none\" }}{{ else }}{{ .Labels.gpu }}{{ end }}", "3"}});
}

TEST(TemplateSyntaxTest, Variables) {
  CheckSyntax(
      {{"{{$x:=1}}{{$x}}", "1"},
       {"{{ $x := 1 }}{{ $x := 2 }}{{ $x }}", "2"},
       {"{{ $x := 1 }}{{ if true }}{{ $x := 2 }}{{ $x }}{{ end }}{{ $x }}", "21"},
       {"{{ $x := 1 | print 2 }}{{ $x }}", "2 1"},
       {"{{ $value = 1 }}{{ $value }}", "1"},
       {"{{ $x = 1 }}", "error: line 1: undefined variable \"$x\""},
       {"{{ if true }}{{ $y := 1 }}{{ end }}{{ $y }}", "error: line 1: undefined variable \"$y\""},
       {"{{ range $i, $e := query \"up\" }}{{ end }}{{ $i }}",
        "error: line 1: undefined variable \"$i\""},
       {"{{ $a, $b := 1 }}", "error: line 1: undefined variable \"$a\""}});
}

TEST(TemplateSyntaxTest, PipesAndParentheses) {
  CheckSyntax({{"{{ 1000 | humanize | toUpper }}", "1K"},
               {"{{ ((1)) }}", "1"},
               {"{{ print (len \"a\") (len \"bc\") }}", "1 2"},
               {"{{ printf \"%v\" now }}", "1.5"},
               {"{{ print externalURL }}", "http://lockstep:9009/x"},
               {"{{ print humanize }}", "error: humanize needs arguments"},
               {"{{ humanize }}", "error: line 1: humanize cannot take 0 arguments"},
               {"{{ humanize 1 2 }}", "error: line 1: humanize cannot take 2 arguments"},
               {"{{ 1 | humanize 2 }}", "error: line 1: humanize cannot take 2 arguments"},
               {"{{ 1 | now }}", "error: line 1: now cannot take 1 arguments"},
               {"{{ 1 2 }}", "error: line 1: only a function takes arguments"},
               {"{{ 1 | 2 }}", "error: line 1: only a function takes arguments"},
               {"{{ 1 | }}", "error: line 1: a value is missing"},
               {"{{ }}", "error: line 1: a value is missing"},
               {"{{ () }}", "error: line 1: a value is missing"},
               {"{{ (1 }}", "error: line 1: expected \")\""},
               {"{{ 1) }}", "error: line 1: expected \"}}\""},
               {"{{ 1\"a\" }}", "error: line 1: a space is missing between two values"},
               {"{{ , }}", "error: line 1: expected a value"}});
}

TEST(TemplateSyntaxTest, ControlThatIsNotComplete) {
  CheckSyntax(
      {{"{{ if }}x{{ end }}", "error: line 1: a value is missing"},
       {"{{ else }}", "error: line 1: unexpected {{else}}"},
       {"{{ if true }}a{{ end }}{{ end }}", "error: line 1: unexpected {{end}}"},
       {"{{ if true }}a{{ else }}b{{ else }}c{{ end }}", "error: line 1: duplicate {{else}}"},
       {"{{ if true }}a{{ else if true }}b", "error: line 1: an {{end}} is missing"},
       {"{{ if true }}a{{ else }}b", "error: line 1: an {{end}} is missing"},
       {"{{ if true }}a{{ else with 1 }}b{{ end }}", "error: line 1: expected \"}}\""},
       {"{{ with 1 }}a{{ else if true }}b{{ end }}", "error: line 1: expected \"}}\""},
       {"{{ range query \"up\" }}a{{ else if true }}b{{ end }}", "error: line 1: expected \"}}\""},
       {"{{ if true }}a{{ end 1 }}", "error: line 1: expected \"}}\""},
       {"{{ break }}", "error: line 1: {{break}} outside of range"},
       {"{{ continue }}", "error: line 1: {{continue}} outside of range"},
       {"{{ range query \"up\" }}{{ end }}{{ break }}",
        "error: line 1: {{break}} outside of range"},
       {"{{ range query \"up\" }}{{ else }}{{ break }}{{ end }}",
        "error: line 1: {{break}} outside of range"},
       {"{{ range query \"up\" }}{{ break 1 }}{{ end }}", "error: line 1: expected \"}}\""},
       {"{{ define \"x\" }}{{ end }}", "error: line 1: \"define\" is not supported here"},
       {"{{ block \"x\" . }}{{ end }}", "error: line 1: \"block\" is not supported here"},
       {"a\n{{ if true }}\n{{ frob }}\n{{ end }}",
        "error: line 3: function \"frob\" not defined"}});
}

TEST(TemplateSyntaxTest, ActionsNestLessThan64LevelsDeep) {
  const auto nested = [](int count) {
    return ExpandedText(RepeatedText("{{ if true }}", count) + "x" +
                        RepeatedText("{{ end }}", count));
  };
  EXPECT_EQ(nested(63), "x");
  EXPECT_EQ(nested(64), "error: line 1: actions are nested too deep");
  const auto chained = [](int count) {
    return ExpandedText("{{ if false }}" + RepeatedText("{{ else if false }}", count) +
                        "{{ else }}x{{ end }}");
  };
  EXPECT_EQ(chained(62), "x");
  EXPECT_EQ(chained(63), "error: line 1: actions are nested too deep");
  const auto enclosed = [](int count) {
    return ExpandedText("{{ " + RepeatedText("(", count) + "7" + RepeatedText(")", count) + " }}");
  };
  EXPECT_EQ(enclosed(63), "7");
  EXPECT_EQ(enclosed(64), "error: line 1: parentheses are nested too deep");
  // Side by side, there may be any number.
  EXPECT_EQ(ExpandedText(RepeatedText("{{ if false }}a{{ else if true }}b{{ end }}{{ (1) }}", 100)),
            RepeatedText("b1", 100));
}

TEST(TemplateSyntaxTest, ATextHasAtMostOneMiB) {
  EXPECT_EQ(ExpandedText(std::string(1 << 20, 'x')).size(), size_t{1} << 20);
  const std::string too_long = "error: the text is longer than 1048576 bytes";
  EXPECT_EQ(ExpandedText(std::string((1 << 20) + 1, 'x')), too_long);
  EXPECT_EQ(ExpandedText(std::string(1 << 20, 'x') + "{{ 1 }}"), too_long);
  const auto doubled = [](size_t size) {
    const std::string text(size, 'x');
    return ExpandedText("{{ len (print \"" + text + "\" \"" + text + "\") }}");
  };
  EXPECT_EQ(doubled(1 << 19), "1048576");
  EXPECT_EQ(doubled((1 << 19) + 1), "error: a string is longer than 1048576 bytes");
}

TEST(TemplateSyntaxTest, ATemplateThatRunsForTooLongIsEnded) {
  // A thousand times a thousand.
  EXPECT_EQ(ExpandedText("{{ range query \"many\" }}{{ range query \"many\" }}{{ with 0 }}{{ end }}"
                         "{{ end }}{{ end }}"),
            "error: the template runs for too long");
  EXPECT_EQ(ExpandedText("{{ range query \"many\" }}{{ range query \"many\" }}{{ break }}{{ end }}"
                         "{{ end }}x"),
            "x");
}

}  // namespace
}  // namespace lockstep::rules
