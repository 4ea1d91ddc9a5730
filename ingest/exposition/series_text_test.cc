#include "ingest/exposition/series_text.h"

#include <gtest/gtest.h>

namespace lockstep::exposition {
namespace {

// The labels in PromQL notation, or "error: ...".
std::string ReadSeriesText(std::string_view series, TextFormat format) {
  SeriesLabels labels;
  const absl::Status status = ParseSeries(series, format, labels);
  if (!status.ok()) return "error: " + std::string(Message(status));
  return LabelSet::OfSorted(labels.labels).ToString();
}

struct SeriesRow {
  std::string_view series;
  std::string_view expected;
};

void CheckSeriesTexts(TextFormat format, std::initializer_list<SeriesRow> rows) {
  for (const SeriesRow& row : rows)
    EXPECT_EQ(ReadSeriesText(row.series, format), row.expected) << row.series;
}

TEST(SeriesTextTest, ReadsLabels) {
  for (const TextFormat format : {TextFormat::kOpenMetrics, TextFormat::kPrometheus}) {
    CheckSeriesTexts(format,
                     {{"up", "up"},
                      {"a:b_total", "a:b_total"},
                      {"up{}", "up"},
                      {R"(up{a="b",c="d"})", R"(up{a="b", c="d"})"},
                      {R"(up{c="d",a="b"})", R"(up{a="b", c="d"})"},
                      {R"(up{a="b",})", R"(up{a="b"})"},
                      {R"(up{a="}{ # ,="})", R"(up{a="}{ # ,="})"},
                      {R"(up{a=""})", "up"},
                      {R"(up{a="x\\y\"z\nw\q"})", R"(up{a="x\\y\"z\nw\\q"})"},
                      {R"(up{a="ü"})", R"(up{a="ü"})"},
                      {R"({"my.metric","my.label"="x"})", R"({"my.metric", "my.label"="x"})"},
                      {R"({"a\"b","c\\d"="x"})", R"({"a\"b", "c\\d"="x"})"},
                      {R"({a="b","up"})", R"(up{a="b"})"},
                      {R"({"up"})", "up"},
                      {R"(up{"a"="b"})", R"(up{a="b"})"}});
  }
}

TEST(SeriesTextTest, PrometheusTextMayHaveBlanksAndLacksCommas) {
  CheckSeriesTexts(TextFormat::kPrometheus,
                   {{"up { a = \"b\"\t,  c = \"d\" } ", "error: there is text after the labels"},
                    {"up { a = \"b\"\t,  c = \"d\" }", R"(up{a="b", c="d"})"},
                    {R"(up{a="b" c="d"})", R"(up{a="b", c="d"})"},
                    {"up{a=\"x\ny\"}", R"(up{a="x\ny"})"}});
  CheckSeriesTexts(
      TextFormat::kOpenMetrics,
      {{R"(up{a="b" c="d"})", "error: expected a comma or a closing brace after a label"},
       {R"(up {a="b"})", "error: the labels do not begin with a brace"},
       {R"(up{ a="b"})", R"(error: a label name is missing)"}});
}

TEST(SeriesTextTest, SaysWhatIsWrong) {
  for (const TextFormat format : {TextFormat::kOpenMetrics, TextFormat::kPrometheus}) {
    CheckSeriesTexts(format, {{R"(up{a=b})", "error: the value of label a is not quoted"},
                              {R"(up{a='b'})", "error: the value of label a is not quoted"},
                              {R"(up{a})", "error: label a has no value"},
                              {R"(up{a,b="c"})", "error: label a has no value"},
                              {R"(up{a="b"},)", "error: there is text after the labels"},
                              {R"(up{a="b",a="c"})", "error: label a appears twice"},
                              {R"(up{a="b",a=""})", "error: label a appears twice"},
                              {R"(up{__name__="b"})", "error: label __name__ appears twice"},
                              {R"(up{1a="b"})", R"(error: "1a" is not a label name)"},
                              {R"(up{a:b="c"})", "error: label a has no value"},
                              {R"(up{,a="b"})", "error: a label name is missing"},
                              {R"(up{a="b",,c="d"})", "error: a label name is missing"},
                              {R"(up{="b"})", "error: a label name is missing"},
                              {R"(up{""="b"})", "error: a label name is empty"},
                              {R"(up{"x"})", "error: the metric name appears twice"},
                              {R"({"x","y"})", "error: the metric name appears twice"},
                              {R"({""})", "error: the metric name is empty"},
                              {"up{a=\"\xff\"}", "error: the value of label a is not valid UTF-8"},
                              {"up{\"\xff\"=\"a\"}", "error: a label name is not valid UTF-8"},
                              {"{\"\xff\"}", "error: the metric name is not valid UTF-8"},
                              {R"({a="b"})", "error: the metric name is missing"},
                              {R"({__name__="b"})", "error: the metric name is missing"},
                              {"{}", "error: the metric name is missing"},
                              {"", "error: the metric name is missing"}});
  }
}

TEST(SeriesTextTest, FindsTheEndOfLabels) {
  struct Length {
    std::string_view text;
    size_t expected;
  };
  constexpr size_t kNone = std::string_view::npos;
  for (const Length& row :
       {Length{"{} 1", 2}, Length{R"({a="b"} 1)", 7}, Length{R"({a="}"} 1)", 7},
        Length{R"({a="\""} 1)", 8}, Length{R"({a="\\"} 1)", 8}, Length{R"({a="\\\"}"} 1)", 11},
        Length{R"({a="0123456789abcdef\"ghi"})", 27}, Length{"{", kNone}, Length{R"({a=")", kNone},
        Length{R"({a="\)", kNone}, Length{R"({a="\"})", kNone}, Length{"{a\n}", kNone}}) {
    EXPECT_EQ(BracesLength(row.text), row.expected) << row.text;
  }
}

}  // namespace
}  // namespace lockstep::exposition
