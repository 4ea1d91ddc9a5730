#include "import/files/line_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_format.h"
#include "tests/support/test_folder.h"

namespace lockstep::importer {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// All lines with their numbers, then the error if there is one.
std::vector<std::string> LinesOf(const std::string& bytes) {
  const TestFolder folder;
  const auto source = ByteSource::Open(folder.Write("x", bytes));
  EXPECT_TRUE(source.ok());
  LineSource lines(**source);
  std::vector<std::string> texts;
  std::string_view line;
  while (true) {
    const absl::StatusOr<bool> more = lines.Next(line);
    if (!more.ok()) texts.emplace_back(Message(more.status()));
    if (!more.ok() || !*more) return texts;
    texts.push_back(absl::StrFormat("%d %s", lines.line_number(), line));
  }
}

TEST(LineSourceTest, NumbersLines) {
  EXPECT_THAT(LinesOf("a\n\nb\n"), ElementsAre("1 a", "2 ", "3 b"));
  EXPECT_THAT(LinesOf("a\nb"), ElementsAre("1 a", "2 b"));
  EXPECT_THAT(LinesOf("\n"), ElementsAre("1 "));
  EXPECT_THAT(LinesOf(""), IsEmpty());
}

TEST(LineSourceTest, LinesMayLieInTwoPieces) {
  std::string text;
  size_t count = 0;
  for (; text.size() <= 3 * ByteSource::kPieceBytes; ++count) {
    absl::StrAppendFormat(&text, "line %d %s\n", count + 1, std::string(count % 97, 'x'));
  }
  const std::vector<std::string> lines = LinesOf(text);
  ASSERT_EQ(lines.size(), count);
  for (size_t i = 0; i < count; ++i) {
    ASSERT_EQ(lines[i], absl::StrFormat("%d line %d %s", i + 1, i + 1, std::string(i % 97, 'x')));
  }
}

TEST(LineSourceTest, ALineHasAMegabyteAtMost) {
  const std::string longest(LineSource::kMaxLineBytes, 'x');
  EXPECT_THAT(LinesOf("a\n" + longest + "\nb\n"), ElementsAre("1 a", "2 " + longest, "3 b"));
  EXPECT_THAT(LinesOf(longest), ElementsAre("1 " + longest));
  EXPECT_THAT(LinesOf("a\n" + longest + "x"),
              ElementsAre("1 a", "line 2 is longer than 1048576 bytes"));
}

TEST(LineSourceTest, SaysWhereReadingEnded) {
  EXPECT_THAT(LinesOf("\x1f\x8b"), ElementsAre("after line 0: the compressed file is truncated"));
}

}  // namespace
}  // namespace lockstep::importer
