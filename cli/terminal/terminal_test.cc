#include "cli/terminal/terminal.h"

#include <gtest/gtest.h>

#include "absl/strings/str_replace.h"
#include "cli/terminal/pseudo_terminal_testing.h"

namespace lockstep::cli {
namespace {

// Replaces the control sequences with letters.
std::string Shown(std::string_view text, TerminalSize size) {
  return absl::StrReplaceAll(FrameOf(text, size), {{"\x1b[?2026h", "<"},
                                                   {"\x1b[?2026l", ">"},
                                                   {"\x1b[H", "H"},
                                                   {"\x1b[K", "K"},
                                                   {"\x1b[J", "J"},
                                                   {"\r\n", "/"}});
}

TEST(FrameTest, PutsAPageInPlaceOfTheOneBefore) {
  struct Row {
    std::string_view text;
    TerminalSize size;
    std::string_view expected;
  };
  for (const Row& row : {
           Row{"a\nb\n", {24, 80}, "<HaK/bK/J>"},
           Row{"a\n\nb", {24, 80}, "<HaK/K/bK/J>"},
           Row{"", {24, 80}, "<HJ>"},
           Row{"1\n2\n3\n", {2, 80}, "<H1K/2K>"},
           Row{"abcdef\nxy\n", {3, 4}, "<Habcd/xyK/J>"},
           Row{"▁▂▃▄▅", {1, 3}, "<H▁▂▃>"},
           Row{"abc", {0, 0}, "<H>"},
       }) {
    EXPECT_EQ(Shown(row.text, row.size), row.expected) << row.text;
  }
}

TEST(TerminalTest, ShowsAnotherScreenMeanwhile) {
  const PseudoTerminal pseudo;
  EXPECT_TRUE(Terminal::IsThere());
  {
    const Terminal terminal;
    EXPECT_EQ(pseudo.Shown(), "\x1b[?1049h\x1b[?25l");
  }
  EXPECT_EQ(pseudo.Shown(), "\x1b[?25h\x1b[?1049l");
}

TEST(TerminalTest, ReadsKeysOneByOneWithoutEchoMeanwhile) {
  const PseudoTerminal pseudo;
  const auto modes = [&pseudo] {
    termios now{};
    EXPECT_EQ(tcgetattr(pseudo.file(), &now), 0);
    return now.c_lflag;
  };
  const tcflag_t before = modes();
  EXPECT_EQ(before & (ICANON | ECHO), static_cast<tcflag_t>(ICANON | ECHO));
  {
    const Terminal terminal;
    EXPECT_TRUE(terminal.has_keys());
    EXPECT_EQ(modes(), before & ~static_cast<tcflag_t>(ICANON | ECHO));
  }
  EXPECT_EQ(modes(), before);
}

TEST(TerminalTest, KnowsItsSize) {
  const PseudoTerminal pseudo(10, 33);
  const Terminal terminal;
  EXPECT_EQ(terminal.size().rows, 10u);
  EXPECT_EQ(terminal.size().columns, 33u);
}

TEST(TerminalTest, AssumesTheUsualSizeIfItKnowsNone) {
  for (const auto& [rows, columns] : {std::pair<int, int>{0, 0}, {0, 33}, {10, 0}}) {
    const PseudoTerminal pseudo(static_cast<unsigned short>(rows),
                                static_cast<unsigned short>(columns));
    const Terminal terminal;
    EXPECT_EQ(terminal.size().rows, 24u);
    EXPECT_EQ(terminal.size().columns, 80u);
  }
}

}  // namespace
}  // namespace lockstep::cli
