#include "model/label_notation.h"

#include <gtest/gtest.h>

namespace lockstep {
namespace {

std::string Quoted(std::string_view text) {
  std::string out = ">";
  AppendQuoted(out, text);
  return out;
}

std::string Name(std::string_view name) {
  std::string out = ">";
  AppendLabelName(out, name);
  return out;
}

TEST(LabelNotation, EscapesWhatWouldEndOrBreakTheText) {
  EXPECT_EQ(Quoted(""), R"(>"")");
  EXPECT_EQ(Quoted("rack 1"), R"(>"rack 1")");
  EXPECT_EQ(Quoted("a\"b\\c\nd"), R"(>"a\"b\\c\nd")");
  EXPECT_EQ(Quoted("\xc3\xa4\t"), ">\"\xc3\xa4\t\"");
}

TEST(LabelNotation, QuotesOnlyNamesOutsideTheOldAlphabet) {
  EXPECT_EQ(Name("job_2"), ">job_2");
  EXPECT_EQ(Name("host.name"), R"(>"host.name")");
  EXPECT_EQ(Name("a\"b"), R"(>"a\"b")");
  EXPECT_EQ(Name(""), R"(>"")");
}

}  // namespace
}  // namespace lockstep
