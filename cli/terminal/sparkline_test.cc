#include "cli/terminal/sparkline.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

namespace lockstep::cli {
namespace {

constexpr double kInfinite = INFINITY;

TEST(SparklineTest, DrawsValuesOnTheirScale) {
  struct Row {
    std::vector<double> values;
    std::string_view blocks;
    std::string_view ascii;
  };
  for (const Row& row : {
           Row{{0, 1, 2, 3, 4, 5, 6, 7}, "▁▂▃▄▅▆▇█", "_.:-=+*#"},
           Row{{-5, 5}, "▁█", "_#"},
           Row{{3, 3, 3}, "▄▄▄", "---"},
           Row{{1, NAN, 2, kInfinite}, "▁ █ ", "_ # "},
           Row{{NAN}, " ", " "},
           Row{{}, "", ""},
       }) {
    const SparkScale scale = ScaleOf(row.values);
    EXPECT_EQ(Sparkline(row.values, scale, Glyphs::kBlocks), row.blocks);
    EXPECT_EQ(Sparkline(row.values, scale, Glyphs::kAscii), row.ascii);
  }
}

TEST(SparklineTest, StaysOnAScaleThatIsTooSmall) {
  EXPECT_EQ(Sparkline(std::vector<double>{-9, 0.5, 9}, {0, 1}, Glyphs::kAscii), "_=#");
}

TEST(SparklineTest, CondensesToWhatStandsOut) {
  struct Row {
    std::vector<double> values;
    size_t columns;
    std::vector<double> expected;
  };
  for (const Row& row : {
           Row{{1, 2, 3}, 3, {1, 2, 3}},
           Row{{1, 1, 9, 1, 1, 1}, 3, {1, 9, 1}},
           Row{{5, 5, 5, 0, 5, 5}, 2, {5, 0}},
           Row{{NAN, 4, 4, 4}, 2, {4, 4}},
       }) {
    EXPECT_EQ(Condense(row.values, row.columns), row.expected);
  }
  EXPECT_TRUE(std::isnan(Condense(std::vector<double>{NAN, NAN, 1, 1}, 2)[0]));
}

TEST(SparklineTest, TakesTheLocaleThatCounts) {
  struct Row {
    const char* all;
    const char* ctype;
    const char* lang;
    Glyphs glyphs;
  };
  for (const Row& row : {
           Row{"", "", "en_US.UTF-8", Glyphs::kBlocks},
           Row{"", "de_DE.utf8", "C", Glyphs::kBlocks},
           Row{"C", "", "en_US.UTF-8", Glyphs::kAscii},
           Row{"", "", "", Glyphs::kAscii},
       }) {
    setenv("LC_ALL", row.all, 1);
    setenv("LC_CTYPE", row.ctype, 1);
    setenv("LANG", row.lang, 1);
    EXPECT_EQ(GlyphsOfLocale(), row.glyphs) << row.all << row.ctype << row.lang;
  }
}

}  // namespace
}  // namespace lockstep::cli
