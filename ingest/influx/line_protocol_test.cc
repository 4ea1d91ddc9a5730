#include "ingest/influx/line_protocol.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "base/status.h"

namespace lockstep::influx {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

std::vector<std::string> LinesOf(std::string_view body) {
  std::vector<std::string> lines;
  size_t count = 0;
  while (!body.empty()) lines.emplace_back(TakeLine(body, count));
  return lines;
}

absl::Status Parse(std::string_view line, Point& point) {
  point.Begin(line.size());
  const std::string_view head = TakeHead(line);
  LOCKSTEP_RETURN_IF_ERROR(ParseHead(head, point));
  return ParseFieldsAndTime(line, point);
}

// The error message for `line`; "" if it is valid.
std::string Complaint(std::string_view line) {
  Point point;
  return std::string(Message(Parse(line, point)));
}

// The value of the line's only field, or an error.
absl::StatusOr<double> ValueIn(std::string_view text) {
  const std::string line = "m f=" + std::string(text);
  Point point;
  LOCKSTEP_RETURN_IF_ERROR(Parse(line, point));
  EXPECT_EQ(point.fields.size(), 1u);
  if (!point.fields[0].value) return absl::NotFoundError("text");
  return *point.fields[0].value;
}

TEST(TakeLineTest, LeavesOutCommentsAndBlanks) {
  EXPECT_THAT(LinesOf("a v=1\r\n# a=\"b\n\n  \t\r\n  b v=2  \nc v=3"),
              ElementsAre("a v=1", "", "", "", "b v=2", "c v=3"));
}

TEST(TakeLineTest, TextMayHaveLines) {
  std::string_view rest = "a t=\"x\ny\",v=1 5\nb v=2";
  size_t count = 0;
  EXPECT_EQ(TakeLine(rest, count), "a t=\"x\ny\",v=1 5");
  EXPECT_EQ(count, 2u);
  EXPECT_EQ(TakeLine(rest, count), "b v=2");
  EXPECT_EQ(count, 3u);
}

TEST(TakeLineTest, AQuoteThatNothingClosesTakesItsLineAlone) {
  EXPECT_THAT(LinesOf("a t=\"x\nb v=2"), ElementsAre("a t=\"x", "b v=2"));
}

TEST(TakeLineTest, QuotesInTagsAreCharacters) {
  EXPECT_THAT(LinesOf("a,t=\"x v=1\nb,t=\" v=2"), ElementsAre("a,t=\"x v=1", "b,t=\" v=2"));
}

TEST(ParsePointTest, AllParts) {
  Point point;
  ASSERT_EQ(Parse("cpu,host=a,cpu=cpu0 idle=97.5,n=3i,ok=t,note=\"x\" 1700000000000000001", point),
            absl::OkStatus());
  EXPECT_EQ(point.measurement, "cpu");
  EXPECT_THAT(point.tags, ElementsAre(Pair("host", "a"), Pair("cpu", "cpu0")));
  ASSERT_EQ(point.fields.size(), 4u);
  EXPECT_EQ(point.fields[0].key, "idle");
  EXPECT_EQ(point.fields[0].value, 97.5);
  EXPECT_EQ(point.fields[1].value, 3);
  EXPECT_EQ(point.fields[2].value, 1);
  EXPECT_EQ(point.fields[3].value, std::nullopt);
  EXPECT_EQ(point.time, 1700000000000000001);
}

TEST(ParsePointTest, TagsAndTimesMayBeMissing) {
  Point point;
  ASSERT_EQ(Parse("cpu v=1", point), absl::OkStatus());
  EXPECT_THAT(point.tags, IsEmpty());
  EXPECT_EQ(point.time, std::nullopt);
  ASSERT_EQ(Parse("cpu v=1   -5", point), absl::OkStatus());
  EXPECT_EQ(point.time, -5);
}

TEST(ParsePointTest, Escapes) {
  Point point;
  ASSERT_EQ(
      Parse(R"(my\ cpu\,x,ta\ g\,\=k=v\ a\,l\=ue,p=C:\new\\x fi\ e\,l\=d=1,t="a\"b \\, c=d" 7)",
            point),
      absl::OkStatus());
  EXPECT_EQ(point.measurement, "my cpu,x");
  EXPECT_THAT(point.tags, ElementsAre(Pair("ta g,=k", "v a,l=ue"), Pair("p", R"(C:\new\\x)")));
  ASSERT_EQ(point.fields.size(), 2u);
  EXPECT_EQ(point.fields[0].key, "fi e,l=d");
  EXPECT_EQ(point.fields[1].key, "t");
  EXPECT_EQ(point.time, 7);
}

TEST(ParsePointTest, ABackslashBeforeAnEscapeIsItself) {
  Point point;
  ASSERT_EQ(Parse(R"(m,p=a\\,b v=1)", point), absl::OkStatus());
  EXPECT_THAT(point.tags, ElementsAre(Pair("p", R"(a\,b)")));
}

TEST(ParsePointTest, Truth) {
  for (const char* yes : {"t", "T", "true", "True", "TRUE"}) EXPECT_EQ(*ValueIn(yes), 1) << yes;
  for (const char* no : {"f", "F", "false", "False", "FALSE"}) EXPECT_EQ(*ValueIn(no), 0) << no;
  EXPECT_FALSE(ValueIn("tRUE").ok());
}

TEST(ParsePointTest, Numbers) {
  EXPECT_EQ(*ValueIn("-1.5e-3"), -0.0015);
  EXPECT_EQ(*ValueIn("+2"), 2);
  EXPECT_EQ(*ValueIn("1E+09"), 1e9);
  EXPECT_EQ(*ValueIn("9223372036854775807i"), 9223372036854775808.0);
  EXPECT_EQ(*ValueIn("-9223372036854775808i"), -9223372036854775808.0);
  EXPECT_EQ(*ValueIn("18446744073709551615u"), 18446744073709551616.0);
  EXPECT_EQ(*ValueIn("1234567890123456789012345678901234567890"),
            1234567890123456789012345678901234567890.0);
  for (const char* wrong : {"9223372036854775808i", "-1u", "1.5i", "nan", "NaN", "inf", "1e999",
                            "0x10", "1 i", "", "i", "-", "+-1", "1,"}) {
    EXPECT_FALSE(ValueIn(wrong).ok()) << wrong;
  }
}

TEST(ParsePointTest, Complaints) {
  EXPECT_EQ(Complaint(",a=b v=1"), "the measurement is missing");
  EXPECT_EQ(Complaint("cpu"), "the fields are missing");
  EXPECT_EQ(Complaint("cpu,a=b"), "the fields are missing");
  EXPECT_EQ(Complaint("cpu, v=1"), "a tag is missing after the comma");
  EXPECT_EQ(Complaint("cpu,host v=1"), "the tag \"host\" is not name=value");
  EXPECT_EQ(Complaint("cpu,=b v=1"), "the tag \"=b\" is not name=value");
  EXPECT_EQ(Complaint("cpu v"), "the field \"v\" is not name=value");
  EXPECT_EQ(Complaint("cpu =1"), "the field \"=1\" is not name=value");
  EXPECT_EQ(Complaint("cpu v=x"), "the field \"v\" has the value \"x\", which is not a number");
  EXPECT_EQ(Complaint("cpu v=\"x"), "the text of the field \"v\" has no closing quote");
  EXPECT_EQ(Complaint("cpu v=\"x\"y"), "the field \"v\" has text after its closing quote");
  EXPECT_EQ(Complaint("cpu v=1,"), "a field is missing after the last comma");
  EXPECT_EQ(Complaint("cpu v=1 now"), "the time \"now\" is not an integer");
  EXPECT_EQ(Complaint("cpu v=1 1.5"), "the time \"1.5\" is not an integer");
  EXPECT_EQ(Complaint("cpu v=1 9223372036854775808"),
            "the time \"9223372036854775808\" is not an integer");
}

}  // namespace
}  // namespace lockstep::influx
