#include "cli/terminal/sheet.h"

#include <gtest/gtest.h>

#include <cmath>

namespace lockstep::cli {
namespace {

struct Forms {
  std::string_view people;
  std::string_view csv;
  std::string_view json;
};

void Check(const Sheet& sheet, const Forms& forms) {
  EXPECT_EQ(ForPeople(sheet, Glyphs::kAscii), forms.people);
  EXPECT_EQ(AsCsv(sheet), forms.csv);
  EXPECT_EQ(AsJson(sheet), forms.json);
}

TEST(SheetTest, HasThreeForms) {
  Check({{{"rank", "rank"}, {"step_seconds", "step ms", 1000, 1}, {"cause", "cause"}},
         {{2.0, 0.22443, "gpu"}, {0.0, KnownNumber(NAN), std::string()}}},
        {"rank  step ms  cause\n"
         "   2    224.4  gpu\n"
         "   0\n",
         "rank,step_seconds,cause\n"
         "2,0.22443,gpu\n"
         "0,,\n",
         R"([{"rank":2,"step_seconds":0.22443,"cause":"gpu"},)"
         R"({"rank":0,"step_seconds":null,"cause":""}])"
         "\n"});
}

TEST(SheetTest, DrawsCurvesOfAColumnOnOneScale) {
  Check({{{"seconds", "seconds"}}, {{std::vector<double>{1, 2}}, {std::vector<double>{2, NAN}}}},
        {"seconds\n_#\n#\n", "seconds\n1 2\n2 NaN\n",
         "[{\"seconds\":[1,2]},{\"seconds\":[2,null]}]\n"});
}

TEST(SheetTest, DrawsNoiseFlat) {
  // Differences of one and five percent, on a scale of ten.
  EXPECT_EQ(ForPeople({{{"a", "a"}}, {{std::vector<double>{1, 1.01, 1.05}}}}, Glyphs::kAscii),
            "a\n__=\n");
}

TEST(SheetTest, IsAnArrayWithoutRows) { Check({{{"a", "b"}}, {}}, {"b\n", "a\n", "[]\n"}); }

}  // namespace
}  // namespace lockstep::cli
