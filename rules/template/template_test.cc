#include "rules/template/template.h"

#include <gtest/gtest.h>

#include "rules/template/template_testing.h"

namespace lockstep::rules {
namespace {

void Check(std::string_view text, std::string_view expected) {
  EXPECT_EQ(ExpandedText(text), expected) << text;
}

TEST(TemplateTest, ValuesAndFunctions) {
  // Results of Go's text/template and Prometheus' functions.
  Check("plain", "plain");
  Check("GPU {{ $labels.gpu }} of {{.Labels.instance}}", "GPU 3 of node7.rack.example:9400");
  Check("[{{ $labels.absent }}]", "[]");
  Check("{{ $value }} {{ .Value | humanize }}", "1.2345675e+06 1.235M");
  Check("{{ $externalLabels.cluster }}{{ $externalURL }}{{ pathPrefix }}",
        "c1http://lockstep:9009/x/x");
  Check("{{ printf \"%.1f|%8.2e|%s|%d|%q|%v%%\" 2.25 1500.0 \"a\" 7 \"b\" true }}",
        "2.2|1.50e+03|a|7|\"b\"|true%");
  Check("{{ printf \"%d %s\" 1.5 2 }}", "%!d(float64=1.5) %!s(int=2)");
  Check("{{ humanize 0.0015 }} {{ humanize1024 1048576.0 }} {{ humanizeDuration 93784 }}",
        "1.5m 1Mi 1d 2h 3m 4s");
  Check("{{ humanizeDuration 0.25 }} {{ humanizePercentage 0.12345 }}", "250ms 12.35%");
  Check("{{ humanizeTimestamp 1435065584.128 }}", "2015-06-23 13:19:44.128 +0000 UTC");
  Check("{{ title \"slow rank\" }} {{ toUpper \"ab\" }} {{ \"CD\" | toLower }}", "Slow Rank AB cd");
  Check("{{ match \"n.d\" \"a node\" }} {{ reReplaceAll \"(n)o\" \"${1}0$1\" \"node\" }}",
        "true n0nde");
  Check("{{ stripPort $labels.instance }} {{ stripDomain $labels.instance }}",
        "node7.rack.example node7:9400");
  Check("{{ tableLink \"up == 1\" }}", "/graph?g0.expr=up+%3D%3D+1&g0.tab=1");
  Check("{{ now }} {{ parseDuration \"1m30s\" }} {{ len \"abc\" }}", "1.5 90 3");
}

TEST(TemplateTest, QueriesAndControl) {
  Check("{{ query \"up\" | first | value }} {{ query \"up\" | first | label \"job\" }}", "2 b");
  Check("{{ range query \"up\" | sortByLabel \"job\" }}{{ .Labels.job }}={{ .Value }};{{ end }}",
        "a=1.5;b=2;");
  Check("{{ range $i, $e := query \"up\" }}{{ $i }}{{ $e.Labels.job }} {{ end }}", "0b 1a ");
  Check("{{ range query \"none\" }}x{{ else }}nothing{{ end }}", "nothing");
  Check("{{ range query \"up\" }}{{ .Value }}{{ break }}{{ end }}", "2");
  Check("{{ with query \"up\" }}{{ len . }}{{ end }}{{ with query \"none\" }}x{{ else }}-{{ end }}",
        "2-");
  Check("{{ if gt $value 1.0 }}high{{ else if eq $labels.gpu \"3\" }}three{{ else }}low{{ end }}",
        "high");
  Check("{{ if lt $value 1.0 }}low{{ else if eq $labels.gpu \"3\" \"4\" }}three{{ end }}.",
        "three.");
  Check("{{ if and (gt $value 1.0) (not false) }}a{{ end }}{{ or \"\" \"b\" }}", "ab");
  Check("{{ $x := 1 }}{{ if true }}{{ $x = 2 }}{{ $y := 3 }}{{ end }}{{ $x }}", "2");
  Check("a  {{- /* why */ -}}  b {{- \" c\" -}}\n d", "ab cd");
  Check("{{ (query \"up\" | first).Labels.job }} {{ index $labels \"gpu\" }}", "b 3");
}

TEST(TemplateTest, WhatIsWrong) {
  Check("{{ $nobody }}", "error: line 1: undefined variable \"$nobody\"");
  Check("a\n{{ frob 1 }}", "error: line 2: function \"frob\" not defined");
  Check("{{ if true }}x", "error: line 1: an {{end}} is missing");
  Check("{{ end }}", "error: line 1: unexpected {{end}}");
  Check("{{ $value", "error: line 1: an action is not closed with }}");
  Check("{{ template \"x\" }}", "error: line 1: \"template\" is not supported here");
  Check("{{ query \"none\" | first }}",
        "error: error calling first: first() called on vector with no elements");
  Check("{{ gt $value 1 }}", "error: error calling gt: incompatible types for comparison");
  Check("{{ query \"x\" }}", "error: error calling query: no such query");
  Check("{{ $value.x }}", "error: can't evaluate field x in float64");
  Check("{{ humanize \"x\" }}", "error: error calling humanize: \"x\" is not a number");
}

}  // namespace
}  // namespace lockstep::rules
