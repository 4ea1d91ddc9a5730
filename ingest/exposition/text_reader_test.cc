#include "ingest/exposition/text_reader.h"

#include <gtest/gtest.h>

namespace lockstep::exposition {
namespace {

// The series of all samples, followed by the error at the end.
std::string ReadAll(std::string_view text, TextFormat format) {
  TextReader reader(text, format);
  TextEntry entry;
  std::string out;
  while (true) {
    const absl::StatusOr<bool> more = reader.Next(entry);
    if (!more.ok()) return out + std::string(Message(more.status()));
    if (!*more) return out;
    if (entry.kind == EntryKind::kSample) out += std::string(entry.series) + ";";
  }
}

TEST(TextReaderTest, ReadsToTheEndAndNamesTheLine) {
  struct Row {
    TextFormat format;
    std::string_view text;
    std::string_view expected;
  };
  constexpr TextFormat kOm = TextFormat::kOpenMetrics;
  constexpr TextFormat kProm = TextFormat::kPrometheus;
  for (const Row& row : {
           Row{kProm, "", ""},
           Row{kProm, "\n\n# x\na 1\n\nb 2", "a;b;"},
           Row{kProm, "a 1\n# EOF\nb 2\n", "a;b;"},
           Row{kProm, "a 1\nb two\nc 3\n", "a;line 2: \"two\" is not a number"},
           Row{kProm, "a{x=\"1\n2\"} 1\nb two\n", "a{x=\"1\n2\"};line 3: \"two\" is not a number"},
           Row{kProm, "a{x=\"1} 1\nb 2\n", "line 1: the labels are not closed"},
           Row{kOm, "a 1\n# EOF\n", "a;"},
           Row{kOm, "a 1\n# EOF", "a;"},
           Row{kOm, "a 1\n", "a;line 2: the text does not end with \"# EOF\""},
           Row{kOm, "", "line 1: the text does not end with \"# EOF\""},
           Row{kOm, "a 1\n# EOF\nb 2\n", "a;line 3: there is text after \"# EOF\""},
           Row{kOm, "a 1\n\nb 2\n# EOF\n", "a;line 2: an empty line"},
           Row{kOm, "a{x=\"1\n2\"} 1\n# EOF\n", "line 1: the labels are not closed"},
       }) {
    EXPECT_EQ(ReadAll(row.text, row.format), row.expected) << row.text;
  }
}

}  // namespace
}  // namespace lockstep::exposition
