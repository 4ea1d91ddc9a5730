#include "cli/terminal/visible_text.h"

#include <gtest/gtest.h>

namespace lockstep::cli {
namespace {

TEST(VisibleTextTest, ShowsWhatATerminalWouldObey) {
  EXPECT_EQ(VisibleCell("a\x1b]0;x\x07 b\r\n\t\x7f"), "a\\x1b]0;x\\x07 b\\x0d\\x0a\\x09\\x7f");
  EXPECT_EQ(VisibleText("a\nb\x1b[31m\n"), "a\nb\\x1b[31m\n");
  EXPECT_EQ(VisibleCell("\xc2\x9b"
                        "31m\xc2\x85"),
            "\\u009b31m\\u0085");
  EXPECT_EQ(VisibleCell("\xe2\x80\xae"
                        "abc\xe2\x81\xa6"),
            "\\u202eabc\\u2066");
  EXPECT_EQ(VisibleCell(std::string("a\0b", 3)), "a\\x00b");
}

TEST(VisibleTextTest, LeavesEverythingElse) {
  for (const char* text :
       {"", "plain", "Grüße, 東京 ▁▂▃█ €", "\xc2\xa0|\xc2", "\xe2", "\xe2\x80", "\xff\xfe", "…"}) {
    EXPECT_EQ(VisibleCell(text), text);
  }
}

}  // namespace
}  // namespace lockstep::cli
