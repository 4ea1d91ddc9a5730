#include "import/openmetrics_line.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace lockstep::importer {
namespace {

// "labels value time" of a sample line, or "error: ...".
std::string Read(std::string_view text, TextFormat format = TextFormat::kOpenMetrics) {
  const absl::StatusOr<Line> line = ParseLine(text, format);
  if (!line.ok()) return "error: " + std::string(Message(line.status()));
  if (line->kind != LineKind::kSample) return "no sample";
  const absl::StatusOr<LabelSet> labels = ParseSeries(line->series);
  if (!labels.ok()) return "error: " + std::string(Message(labels.status()));
  std::string out = labels->ToString() + " " + std::to_string(line->value);
  if (line->timestamp_ms) out += " " + std::to_string(*line->timestamp_ms);
  if (line->has_exemplar) out += " exemplar";
  return out;
}

struct Row {
  std::string_view text;
  std::string_view expected;
};

TEST(OpenMetricsLineTest, ReadsSamples) {
  for (const Row& row : {
           Row{"up 1 1700000000", "up 1.000000 1700000000000"},
           Row{"up 1 1700000000.5", "up 1.000000 1700000000500"},
           Row{"up 1 1700000000.001", "up 1.000000 1700000000001"},
           Row{"up 1 1395066363.001", "up 1.000000 1395066363001"},
           Row{"up 1 1.7e9", "up 1.000000 1700000000000"},
           Row{"up 1 -1.5", "up 1.000000 -1500"},
           Row{"up 1", "up 1.000000"},
           Row{"up{} 1 1", "up 1.000000 1000"},
           Row{"up{a=\"b\",c=\"d\"} 2.5 1", "up{a=\"b\", c=\"d\"} 2.500000 1000"},
           Row{"up{a=\"b\",} 2.5 1", "up{a=\"b\"} 2.500000 1000"},
           Row{"up { a = \"b\" , c = \"d\" } 2.5 1", "up{a=\"b\", c=\"d\"} 2.500000 1000"},
           Row{"up{a=\"}{ # ,\"} 1 1", "up{a=\"}{ # ,\"} 1.000000 1000"},
           Row{"up{a=\"\"} 1 1", "up 1.000000 1000"},
           Row{"  up\t1\t1  ", "up 1.000000 1000"},
           Row{"up 1 1\r", "up 1.000000 1000"},
           Row{"a:b_total +Inf 1", "a:b_total inf 1000"},
           Row{"a -Inf 1", "a -inf 1000"},
           Row{"a +3 1", "a 3.000000 1000"},
           Row{"a 1e400 1", "a inf 1000"},
           Row{"h_bucket{le=\"0.5\"} 3 1 # {trace=\"x y\"} 0.4 1.5",
               "h_bucket{le=\"0.5\"} 3.000000 1000 exemplar"},
           Row{"c_total 3 # {} 1", "c_total 3.000000 exemplar"},
           Row{"c_created 1700000000.123 1", "c_created 1700000000.123000 1000"},
           Row{"{\"my.metric\",\"my.label\"=\"x\"} 1 1",
               "{\"my.metric\", \"my.label\"=\"x\"} 1.000000 1000"},
       }) {
    EXPECT_EQ(Read(row.text), row.expected) << row.text;
  }
}

TEST(OpenMetricsLineTest, ReadsNan) {
  const absl::StatusOr<Line> line = ParseLine("a NaN 1", TextFormat::kOpenMetrics);
  ASSERT_TRUE(line.ok());
  EXPECT_TRUE(std::isnan(line->value));
}

TEST(OpenMetricsLineTest, ResolvesEscapes) {
  const absl::StatusOr<LabelSet> labels = ParseSeries(R"(a{b="x\\y\"z\nw\q"})");
  ASSERT_TRUE(labels.ok());
  EXPECT_EQ(labels->Get("b"), "x\\y\"z\nw\\q");
}

TEST(OpenMetricsLineTest, PrometheusTimesAreMilliseconds) {
  EXPECT_EQ(Read("up 1 1700000000123", TextFormat::kPrometheus), "up 1.000000 1700000000123");
  EXPECT_EQ(Read("up 1 1700000000.5", TextFormat::kPrometheus),
            "error: \"1700000000.5\" is not a time in milliseconds");
}

TEST(OpenMetricsLineTest, SaysWhatIsWrong) {
  for (const Row& row : {
           Row{"up", "error: the value is missing"},
           Row{"up one 1", "error: \"one\" is not a number"},
           Row{"up +-1 1", "error: \"+-1\" is not a number"},
           Row{"up 1 soon", "error: \"soon\" is not a time in seconds"},
           Row{"up 1 NaN", "error: \"NaN\" is not a time in seconds"},
           Row{"up 1 1e300", "error: \"1e300\" is not a time in seconds"},
           Row{"up 1 1 1", "error: \"1\" follows the time"},
           Row{"up{a=\"b\" 1 1", "error: the labels are not closed"},
           Row{"up{a=\"b} 1 1", "error: the labels are not closed"},
           Row{"up{a=b} 1 1", "error: the value of label a is not quoted"},
           Row{"up{a} 1 1", "error: label a has no value"},
           Row{"up{a=\"b\" c=\"d\"} 1 1",
               "error: labels need a comma or a closing brace between them"},
           Row{"up{a=\"b\",a=\"c\"} 1 1", "error: label a is there twice"},
           Row{"up{1a=\"b\"} 1 1", "error: \"1a\" is not a label name"},
           Row{"up{a=\"\xff\"} 1 1", "error: the value of a is not UTF-8"},
           Row{"1up 1 1", "error: \"1up\" is not a metric name"},
           Row{"{a=\"b\"} 1 1", "error: the metric name is missing"},
       }) {
    EXPECT_EQ(Read(row.text), row.expected) << row.text;
  }
}

TEST(OpenMetricsLineTest, ReadsMetadata) {
  struct Metadata {
    std::string_view text;
    LineKind kind;
    std::string_view metric;
    std::string_view value;
  };
  for (const Metadata& row : {
           Metadata{"# TYPE up gauge", LineKind::kType, "up", "gauge"},
           Metadata{"# HELP up Is it \\n up?", LineKind::kHelp, "up", "Is it \\n up?"},
           Metadata{"# HELP up", LineKind::kHelp, "up", ""},
           Metadata{"# UNIT a_seconds seconds", LineKind::kUnit, "a_seconds", "seconds"},
           Metadata{"# TYPE \"my.metric\" gauge", LineKind::kType, "my.metric", "gauge"},
           Metadata{"# EOF", LineKind::kEof, "", ""},
           Metadata{"# just words", LineKind::kNothing, "", ""},
           Metadata{"# TYPE", LineKind::kNothing, "", ""},
           Metadata{"#", LineKind::kNothing, "", ""},
           Metadata{"", LineKind::kNothing, "", ""},
       }) {
    const absl::StatusOr<Line> line = ParseLine(row.text, TextFormat::kOpenMetrics);
    ASSERT_TRUE(line.ok()) << row.text;
    EXPECT_EQ(line->kind, row.kind) << row.text;
    EXPECT_EQ(line->metric, row.metric) << row.text;
    EXPECT_EQ(line->text, row.value) << row.text;
  }
}

// Every beginning of a line, and the line with any one bit turned over, is read or refused: the
// sanitizers watch.
TEST(OpenMetricsLineTest, SurvivesDamage) {
  const std::string whole = R"({"m.x",a="b\"\\\n}"} 1.5e3 17.25 # {t="x"} 0.5 1)";
  for (size_t size = 0; size <= whole.size(); ++size) Read(whole.substr(0, size));
  for (size_t bit = 0; bit < whole.size() * 8; ++bit) {
    std::string damaged = whole;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    Read(damaged);
  }
}

}  // namespace
}  // namespace lockstep::importer
