#include "cli/terminal/table.h"

#include <gtest/gtest.h>

namespace lockstep::cli {
namespace {

void Check(const Table& table, std::string_view text, std::string_view csv) {
  EXPECT_EQ(ToText(table), text);
  EXPECT_EQ(ToCsv(table), csv);
}

TEST(TableTest, CountsCharactersNotBytes) {
  Check({{"unit", "n"}, {{"µs", "1"}, {"°C", "22"}}},
        "unit   n\n"
        "µs     1\n"
        "°C    22\n",
        "unit,n\nµs,1\n°C,22\n");
}

TEST(TableTest, AlignsNumbersToTheRight) {
  Check({{"a", "state", "b"}, {{"1.5", "up", "NaN"}, {"", "down", "-12"}}},
        "  a  state    b\n"
        "1.5  up     NaN\n"
        "     down   -12\n",
        "a,state,b\n1.5,up,NaN\n,down,-12\n");
}

TEST(TableTest, EndsNoLineInBlanks) {
  Check({{"rank", "words"}, {{"0", "longer"}, {"1", ""}}},
        "rank  words\n"
        "   0  longer\n"
        "   1\n",
        "rank,words\n0,longer\n1,\n");
}

TEST(TableTest, QuotesWhatCsvWouldTakeApart) {
  Check({{"metric"}, {{"x{a=\"b\",c=\"d\"}"}, {"two\nlines"}}},
        "metric\nx{a=\"b\",c=\"d\"}\ntwo\\x0alines\n",
        "metric\n\"x{a=\"\"b\"\",c=\"\"d\"\"}\"\n\"two\nlines\"\n");
}

TEST(TableTest, ShowsAHeaderWithoutRows) { Check({{"a", "b"}, {}}, "a  b\n", "a,b\n"); }

}  // namespace
}  // namespace lockstep::cli
