#include "cli/terminal/terminal.h"

#include <gtest/gtest.h>

#include "absl/strings/str_replace.h"

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

}  // namespace
}  // namespace lockstep::cli
