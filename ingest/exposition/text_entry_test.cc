#include "ingest/exposition/text_entry.h"

#include <gtest/gtest.h>

#include "absl/strings/str_format.h"

namespace lockstep::exposition {
namespace {

std::string_view KindName(EntryKind kind) {
  constexpr std::string_view kNames[] = {"nothing", "sample", "histogram", "exemplar",
                                         "type",    "help",   "unit",      "eof"};
  return kNames[static_cast<size_t>(kind)];
}

std::string SampleText(const TextEntry& entry) {
  std::string out = absl::StrFormat("%s = %g", entry.series, entry.value);
  if (entry.timestamp_ms) out += absl::StrFormat(" at %d", *entry.timestamp_ms);
  if (entry.exemplar.empty()) return out;
  SeriesLabels labels;
  const absl::StatusOr<ExemplarText> exemplar = ParseExemplar(entry.exemplar, labels);
  if (!exemplar.ok()) return "error: " + std::string(Message(exemplar.status()));
  out += absl::StrFormat(" with %s = %g", LabelSet::OfSorted(labels.labels).ToString(),
                         exemplar->value);
  if (exemplar->timestamp_ms) out += absl::StrFormat(" at %d", *exemplar->timestamp_ms);
  return out;
}

// A line's parsed content, or "error: ...".
std::string ReadLine(std::string_view line, TextFormat format) {
  std::string_view rest = line;
  const absl::StatusOr<TextEntry> entry = TakeEntry(rest, format);
  if (!entry.ok()) return "error: " + std::string(Message(entry.status()));
  EXPECT_TRUE(rest.empty()) << line;
  if (entry->kind == EntryKind::kSample) return SampleText(*entry);
  std::string out(KindName(entry->kind));
  if (!entry->metric.empty()) out += absl::StrFormat(" %s: %s", entry->metric, entry->text);
  return out;
}

struct LineRow {
  std::string_view line;
  std::string_view expected;
};

void CheckLines(TextFormat format, std::initializer_list<LineRow> rows) {
  for (const LineRow& row : rows) {
    EXPECT_EQ(ReadLine(row.line, format), row.expected) << row.line;
    EXPECT_EQ(ReadLine(std::string(row.line) + "\n", format), row.expected) << row.line;
  }
}

TEST(TextEntryTest, ReadsSamplesOfBothFormats) {
  CheckLines(TextFormat::kOpenMetrics,
             {{"up 1", "up = 1"},
              {"up 1 1700000000", "up = 1 at 1700000000000"},
              {"up 1 1700000000.5", "up = 1 at 1700000000500"},
              {"up{} -Inf 1", "up{} = -inf at 1000"},
              {R"(h{le="0.5"} 3 1.5 # {trace="x y"} 0.4 1.25)",
               R"(h{le="0.5"} = 3 at 1500 with {trace="x y"} = 0.4 at 1250)"},
              {"c_total 3 # {} 1", "c_total = 3 with {} = 1"},
              {R"({"my.metric"} 1)", R"({"my.metric"} = 1)"}});
  CheckLines(TextFormat::kPrometheus, {{"up 1", "up = 1"},
                                       {"  up\t1\t1700000000123  ", "up = 1 at 1700000000123"},
                                       {R"(up {a="b"}1)", R"(up {a="b"} = 1)"},
                                       {R"(up{a="b"}  2 5)", R"(up{a="b"} = 2 at 5)"},
                                       {"up{a=\"x\ny\"} 2", "up{a=\"x\ny\"} = 2"}});
}

TEST(TextEntryTest, ReadsMetadata) {
  CheckLines(TextFormat::kOpenMetrics, {{"# TYPE up gauge", "type up: gauge"},
                                        {"# TYPE up stateset", "type up: stateset"},
                                        {"# HELP up Is it \\n up?", "help up: Is it \\n up?"},
                                        {"# HELP up ", "help up: "},
                                        {"# UNIT a_seconds seconds", "unit a_seconds: seconds"},
                                        {"# UNIT a ", "unit a: "},
                                        {R"(# TYPE "my.metric" gauge)", "type my.metric: gauge"},
                                        {"# EOF", "eof"}});
  CheckLines(TextFormat::kPrometheus, {{"# TYPE up counter", "type up: counter"},
                                       {"# TYPE up untyped", "type up: unknown"},
                                       {"#\t HELP  up  two", "help up:  two"},
                                       {"# just words", "nothing"},
                                       {"#HELP up is no metadata", "nothing"},
                                       {"# HELP", "nothing"},
                                       {"# HELP up", "help up: "},
                                       {"# HELP a.b x", "nothing"},
                                       {"# UNIT a b", "nothing"},
                                       {"# EOF", "nothing"},
                                       {" ", "nothing"}});
}

TEST(TextEntryTest, SaysWhatIsWrong) {
  CheckLines(TextFormat::kOpenMetrics,
             {{"", "error: an empty line"},
              {"up", "error: the value is missing"},
              {"up one", "error: \"one\" is not a number"},
              {"up  1", "error: \"\" is not a number"},
              {"up\t1", "error: there is no space before the value"},
              {R"(up{a="b"}1)", "error: there is no space before the value"},
              {"up 1 ", "error: \"\" is not a time in seconds"},
              {"up 1 soon", "error: \"soon\" is not a time in seconds"},
              {"up 1 1 1", "error: \"1\" follows"},
              {"up 1 #{} 1", "error: \"#{} 1\" follows"},
              {"up 1 1 # x", "error: \"# x\" follows"},
              {"c 3 # {", "error: the labels of the exemplar are not closed"},
              {"c 3 # {}", "error: the value of the exemplar is missing"},
              {"c 3 # {} x", "error: \"x\" is not a number"},
              {"c 3 # {} 1 1 1", "error: \"1 1\" is not a time in seconds"},
              {R"(c 3 # {"x"} 1)", "error: an exemplar has no name"},
              {R"(up{a="b" 1)", "error: the labels are not closed"},
              {R"(up{a="b} 1)", "error: the labels are not closed"},
              {" up 1", "error: \"\" is not a metric name"},
              {"1up 1", "error: \"1up\" is not a metric name"},
              {"# TYPE up untyped", "error: \"untyped\" is not a metric type"},
              {"# TYPE up", "error: \"\" follows the metric name"},
              {"# HELP up", "error: \"\" follows the metric name"},
              {"# HELP up\tx", "error: \"\tx\" follows the metric name"},
              {"# HELP up \xff", "error: the help text is not valid UTF-8"},
              {"# UNIT a_seconds econds",
               "error: the metric name \"a_seconds\" does not end with its unit \"econds\""},
              {"# UNIT s s", "error: the metric name \"s\" does not end with its unit \"s\""},
              {"# EOF ", "error: a comment other than HELP, TYPE, UNIT and EOF"},
              {"# words", "error: a comment other than HELP, TYPE, UNIT and EOF"},
              {"#", "error: a comment other than HELP, TYPE, UNIT and EOF"}});
  CheckLines(TextFormat::kPrometheus,
             {{"up", "error: the value is missing"},
              {"up 1 1.5", "error: \"1.5\" is not a time in milliseconds"},
              {"up 1 -5", "error: \"-5\" is not a time in milliseconds"},
              {"up 1 1 1", "error: \"1\" follows"},
              {"up 1 1 # {} 1", "error: \"# {} 1\" follows"},
              {"up 1\r", "error: \"1\r\" is not a number"},
              {"# TYPE up info", "error: \"info\" is not a metric type"},
              {"# TYPE up  gauge", "error: \" gauge\" is not a metric type"},
              {"# TYPE a.b gauge", "error: \".b gauge\" follows the metric name"},
              {"# TYPE \"up gauge", "error: the quote of a metric name is not closed"}});
}

TEST(TextEntryTest, TakesOneLineAfterTheOther) {
  std::string_view rest = "a 1\nb 2\n";
  EXPECT_EQ(TakeEntry(rest, TextFormat::kPrometheus)->series, "a");
  EXPECT_EQ(rest, "b 2\n");
  EXPECT_EQ(TakeEntry(rest, TextFormat::kOpenMetrics)->series, "b");
  EXPECT_TRUE(rest.empty());
}

// Every prefix of a line, and the line with any one bit flipped, is parsed or refused; the
// sanitizers check the rest.
TEST(TextEntryTest, SurvivesDamage) {
  const std::string whole = R"({"m.x",a="b\"\\\n}"} 1.5e3 17.25 # {t="x"} 0.5 1)";
  for (const TextFormat format : {TextFormat::kOpenMetrics, TextFormat::kPrometheus}) {
    for (size_t size = 0; size <= whole.size(); ++size) {
      std::string_view rest = std::string_view(whole).substr(0, size);
      (void)TakeEntry(rest, format);
    }
    for (size_t bit = 0; bit < whole.size() * 8; ++bit) {
      std::string damaged = whole;
      damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
      std::string_view rest = damaged;
      const absl::StatusOr<TextEntry> entry = TakeEntry(rest, format);
      EXPECT_TRUE(entry.ok() || rest == damaged);
    }
  }
}

}  // namespace
}  // namespace lockstep::exposition
