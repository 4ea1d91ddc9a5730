#include "model/matcher.h"

#include <gtest/gtest.h>

namespace lockstep {
namespace {

bool Matches(MatchType type, const char* pattern, std::string_view value) {
  const auto matcher = Matcher::Make(type, "label", pattern);
  EXPECT_TRUE(matcher.ok()) << matcher.status();
  return matcher->Matches(value);
}

TEST(Matcher, RegexIsAnchoredAndItsDotMatchesANewline) {
  EXPECT_TRUE(Matches(MatchType::kRegex, "ra.k|x", "rank"));
  EXPECT_TRUE(Matches(MatchType::kRegex, "a|b", "b"));
  EXPECT_FALSE(Matches(MatchType::kRegex, "an", "rank"));
  EXPECT_TRUE(Matches(MatchType::kRegex, "a.b", "a\nb"));
  EXPECT_TRUE(Matches(MatchType::kNotRegex, "an", "rank"));
}

TEST(Matcher, AMissingLabelIsTheEmptyString) {
  EXPECT_TRUE(Matches(MatchType::kRegex, ".*", ""));
  EXPECT_TRUE(Matches(MatchType::kNotEqual, "x", ""));
  EXPECT_FALSE(Matches(MatchType::kRegex, ".+", ""));
}

TEST(Matcher, IsWrittenAsInASelector) {
  const auto matcher = Matcher::Make(MatchType::kNotRegex, "host.name", "a\"|b");
  EXPECT_EQ(matcher->ToString(), "\"host.name\"!~\"a\\\"|b\"");
}

TEST(Matcher, BadRegexIsAnErrorThatNamesIt) {
  const auto matcher = Matcher::Make(MatchType::kRegex, "label", "a(");
  ASSERT_EQ(matcher.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_NE(matcher.status().ToString().find("a("), std::string::npos);
}

TEST(Matcher, BadExpressionsAreToldAsGoTellsThem) {
  struct Case {
    std::string expression;
    std::string text;
  };
  // From Prometheus 3.5, queried for x{a=~"..."}.
  const Case cases[] = {
      {"(", "missing closing ): `(`"},
      {"a)", "unexpected ): `a)`"},
      {"a)(b", "unexpected ): `a)(b`"},
      {"[a", "missing closing ]: `[a`"},
      {"*", "missing argument to repetition operator: `*`"},
      {"a**", "invalid nested repetition operator: `**`"},
      {"a{1001}", "invalid repeat count: `{1001}`"},
      {"[z-a]", "invalid character class range: `z-a`"},
      {"\\8", "invalid escape sequence: `\\8`"},
  };
  for (const Case& c : cases) {
    const auto matcher = Matcher::Make(MatchType::kRegex, "a", c.expression);
    ASSERT_FALSE(matcher.ok()) << c.expression;
    EXPECT_EQ(Message(matcher.status()), "error parsing regexp: " + c.text);
  }
}

}  // namespace
}  // namespace lockstep
