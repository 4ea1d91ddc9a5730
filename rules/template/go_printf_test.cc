#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "rules/template/template_value.h"

namespace lockstep::rules {
namespace {

struct PrintfRow {
  std::string_view format;
  TemplateValue value;
  std::string_view expected;
};

// The results are those of Go's fmt.Sprintf.
void CheckPrintf(const std::vector<PrintfRow>& rows) {
  for (const PrintfRow& row : rows) {
    EXPECT_EQ(GoPrintf(row.format, {row.value}), row.expected) << row.format;
  }
}

constexpr int64_t k42 = 42;
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(GoPrintfTest, Integers) {
  CheckPrintf({{"%d", k42, "42"},
               {"%v", -k42, "-42"},
               {"%5d|", k42, "   42|"},
               {"%2d|", k42, "42|"},
               {"%1d|", k42, "42|"},
               {"%-5d|", k42, "42   |"},
               {"%05d", k42, "00042"},
               {"%05d", -k42, "-0042"},
               {"%02d", k42, "42"},
               {"%-05d|", k42, "42   |"},
               {"%+d", k42, "+42"},
               {"%+d", -k42, "-42"},
               {"%+05d", k42, "+0042"},
               {"% d", k42, " 42"},
               {"% d", -k42, "-42"},
               {"% 05d", k42, " 0042"},
               {"%x", int64_t{255}, "ff"},
               {"%X", int64_t{255}, "FF"},
               {"%o", int64_t{255}, "377"},
               {"%04x", int64_t{255}, "00ff"},
               {"%x", int64_t{-255}, "-ff"},
               {"%X", int64_t{-255}, "-FF"},
               {"%o", int64_t{-8}, "-10"},
               {"%x", std::numeric_limits<int64_t>::min(), "-8000000000000000"},
               {"%s", k42, "%!s(int=42)"},
               {"%t", k42, "%!t(int=42)"},
               {"%f", k42, "%!f(int=42)"}});
}

TEST(GoPrintfTest, Floats) {
  CheckPrintf({{"%v", 1234567.5, "1.2345675e+06"},
               {"%g", 100000.0, "100000"},
               {"%g", 1e21, "1e+21"},
               {"%.3g", 1234.5, "1.23e+03"},
               {"%.3v", 1234.5, "1.23e+03"},
               {"%f", 2.5, "2.500000"},
               {"%F", 2.5, "2.500000"},
               {"%e", 1500.0, "1.500000e+03"},
               {"%E", 1500.0, "1.500000E+03"},
               {"%.0f", 2.5, "2"},
               {"%.f", 2.5, "2"},
               {"%.10f", 0.5, "0.5000000000"},
               {"%8.3f|", 3.14159, "   3.142|"},
               {"%08.3f", 3.14159, "0003.142"},
               {"%08.3f", -3.14159, "-003.142"},
               {"%-8.3f|", 3.14159, "3.142   |"},
               {"%+.1f", 2.25, "+2.2"},
               {"% .1f", 2.25, " 2.2"},
               {"%s", 2.5, "%!s(float64=2.5)"},
               {"%d", 2.5, "%!d(float64=2.5)"}});
}

TEST(GoPrintfTest, FloatsThatAreNotFinite) {
  CheckPrintf({{"%f", kNan, "NaN"},
               {"%5.1f|", kNan, "  NaN|"},
               {"%05.1f|", kNan, "  NaN|"},
               {"%v", kInf, "+Inf"},
               {"%+f", kInf, "+Inf"},
               {"%6.1f|", kInf, "  +Inf|"},
               {"%06.1f|", kInf, "  +Inf|"},
               {"%+06.1f|", kInf, "  +Inf|"},
               {"%g", -kInf, "-Inf"},
               {"%06.1f|", -kInf, "  -Inf|"}});
}

TEST(GoPrintfTest, Texts) {
  const std::string text = "abc";
  CheckPrintf({{"%s", text, "abc"},
               {"%v", text, "abc"},
               {"%5s|", text, "  abc|"},
               {"%-5s|", text, "abc  |"},
               {"%.2s|", text, "ab|"},
               {"%.5s|", text, "abc|"},
               {"%.0s|", text, "|"},
               {"%4.1s|", text, "   a|"},
               {"%q", std::string("a\"b\n"), "\"a\\\"b\\n\""},
               {"%6q|", text, " \"abc\"|"},
               {"%x", std::string("hi"), "6869"},
               {"%6x|", std::string("hi"), "  6869|"},
               {"%d", text, "%!d(string=abc)"}});
}

TEST(GoPrintfTest, OtherValues) {
  const auto map = std::make_shared<const TextMap>(TextMap{{"a", "1"}, {"b", "2"}});
  CheckPrintf({{"%t", true, "true"},
               {"%v", false, "false"},
               {"%6t|", true, "  true|"},
               {"%s", true, "%!s(bool=true)"},
               {"%d", true, "%!d(bool=true)"},
               {"%v", map, "map[a:1 b:2]"},
               {"%s", map, "map[a:1 b:2]"},
               {"%t", map, "%!t(map[string]string=map[a:1 b:2])"}});
}

TEST(GoPrintfTest, WhatIsWrongIsInTheText) {
  EXPECT_EQ(GoPrintf("100%", {}), "100%!(NOVERB)");
  EXPECT_EQ(GoPrintf("%-", {}), "%!(NOVERB)");
  EXPECT_EQ(GoPrintf("%5.2", {}), "%!(NOVERB)");
  EXPECT_EQ(GoPrintf("%d%%%s", {}), "%!d(MISSING)%%!s(MISSING)");
  EXPECT_EQ(GoPrintf("a", {k42, std::string("b"), 1.5}),
            "a%!(EXTRA int=42, string=b, float64=1.5)");
  EXPECT_EQ(GoPrintf("%d", {k42, k42}), "42%!(EXTRA int=42)");
  EXPECT_EQ(GoPrintf("%s=%d;", {std::string("a"), k42}), "a=42;");
}

TEST(GoPrintfTest, AWidthIsAtMostAThousand) {
  EXPECT_EQ(GoPrintf("%1000d", {k42}), std::string(998, ' ') + "42");
  EXPECT_EQ(GoPrintf("%1001d", {k42}), std::string(998, ' ') + "42");
  EXPECT_EQ(GoPrintf("%99999999999999999999d", {k42}), std::string(998, ' ') + "42");
  EXPECT_EQ(GoPrintf("%.9999f", {0.0}), "0." + std::string(1000, '0'));
}

}  // namespace
}  // namespace lockstep::rules
