#include "api/mcp/compact_text.h"

#include <gtest/gtest.h>

#include <string>

namespace lockstep::api {
namespace {

std::string TextOfJson(const std::string& json) {
  simdjson::dom::parser parser;
  return CompactText(parser.parse(json.data(), json.size()).value());
}

TEST(CompactTextTest, ObjectsAreLinesAndListsAreIndented) {
  EXPECT_EQ(TextOfJson(R"({"job":"a","ok":true,"ranks":[{"rank":2,"why":{"cause":"gpu","n":null}},
                                                      {"rank":3}],"at":[1,2.5,null]})"),
            "job: a\n"
            "ok: true\n"
            "ranks:\n"
            "- rank: 2\n"
            "  why:\n"
            "    cause: gpu\n"
            "- rank: 3\n"
            "at: [1 2.5 null]\n");
}

TEST(CompactTextTest, WhatIsEmptyIsLeftOut) {
  EXPECT_EQ(TextOfJson(R"({"a":null,"b":[],"c":{},"d":"","e":0,"f":false})"), "e: 0\nf: false\n");
  EXPECT_EQ(TextOfJson("{}"), "");
}

TEST(CompactTextTest, TimesKeepTheirMillisecondsAndOtherNumbersSixDigits) {
  EXPECT_EQ(TextOfJson(R"({"from":1795242155.099,"share":0.14512345678})"),
            "from: 1795242155.099\nshare: 0.145123\n");
}

TEST(CompactTextTest, AListOfObjectsAndOneValue) {
  EXPECT_EQ(TextOfJson(R"([{"a":1,"b":[[1,"2"],[3,"4"]]}])"), "\n- a: 1\n  b: [[1 2] [3 4]]\n");
  EXPECT_EQ(TextOfJson("[]"), " []\n");
}

TEST(CompactTextTest, ALongTextIsCutBetweenCharactersAndSaysSo) {
  EXPECT_EQ(Bounded("short", 5), "short");
  const std::string cut = Bounded("ab\xc3\xa4\xc3\xa4", 5);
  EXPECT_TRUE(cut.starts_with("ab\xc3\xa4\n[cut: these are the first 4 of 6 bytes;")) << cut;
}

}  // namespace
}  // namespace lockstep::api
