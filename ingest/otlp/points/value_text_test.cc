#include "ingest/otlp/points/value_text.h"

#include <gtest/gtest.h>

#include <limits>

namespace lockstep::otlp {
namespace {

using std::string_view_literals::operator""sv;

TEST(ValueText, DoublesAreWrittenAsInJson) {
  struct Case {
    double value;
    std::string_view text;
  };
  const Case cases[] = {
      {0, "0"},
      {1, "1"},
      {-0.25, "-0.25"},
      {1e6, "1000000"},
      {1e-6, "0.000001"},
      {1e-7, "1e-7"},
      {1.5e-12, "1.5e-12"},
      {1e21, "1e+21"},
      {std::numeric_limits<double>::infinity(), "+Inf"},
  };
  for (const Case& c : cases) EXPECT_EQ(DoubleText(c.value), c.text);
}

// Source: RFC 4648, "Test Vectors".
TEST(ValueText, BytesAreBase64) {
  EXPECT_EQ(Base64Text(""), "");
  EXPECT_EQ(Base64Text("f"), "Zg==");
  EXPECT_EQ(Base64Text("fo"), "Zm8=");
  EXPECT_EQ(Base64Text("foo"), "Zm9v");
  EXPECT_EQ(Base64Text("foob"), "Zm9vYg==");
  EXPECT_EQ(Base64Text("fooba"), "Zm9vYmE=");
  EXPECT_EQ(Base64Text("foobar"), "Zm9vYmFy");
  EXPECT_EQ(Base64Text("\xff\xfe\xfd"), "//79");
}

TEST(ValueText, IdsAreHexDigits) { EXPECT_EQ(HexText("\x00\x1f\xab"sv), "001fab"); }

TEST(ValueText, ListsAndMapsAreJson) {
  EXPECT_EQ(QuotedText("a\"b\\c\n\xc3\xbc"), "\"a\\\"b\\\\c\\u000a\xc3\xbc\"");
  EXPECT_EQ(ListText({}), "[]");
  EXPECT_EQ(ListText({"1", "\"a\"", "null"}), R"([1,"a",null])");
  EXPECT_EQ(MapText({}), "{}");
  EXPECT_EQ(MapText({{"b", "1"}, {"a", "[]"}}), R"({"a":[],"b":1})");
}

}  // namespace
}  // namespace lockstep::otlp
