#include "model/matcher.h"

#include <gtest/gtest.h>

#include <string>

#include "model/remembered_matcher.h"

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

TEST(Matcher, EachTypeMatchesItsValues) {
  EXPECT_TRUE(Matches(MatchType::kEqual, "a", "a"));
  EXPECT_FALSE(Matches(MatchType::kEqual, "a", "b"));
  EXPECT_FALSE(Matches(MatchType::kNotEqual, "a", "a"));
  EXPECT_TRUE(Matches(MatchType::kNotEqual, "a", "b"));
  EXPECT_TRUE(Matches(MatchType::kRegex, "a.", "ab"));
  EXPECT_FALSE(Matches(MatchType::kNotRegex, "a.", "ab"));
  // Only expressions have to be valid.
  EXPECT_TRUE(Matches(MatchType::kEqual, "(", "("));
  EXPECT_TRUE(Matches(MatchType::kNotEqual, "(", ")"));
  EXPECT_TRUE(Matcher::Make(MatchType::kRegex, "l", "a|")->MatchesEmpty());
  EXPECT_FALSE(Matcher::Equal("l", "a").MatchesEmpty());
}

TEST(Matcher, EachTypeIsWrittenWithItsSign) {
  EXPECT_EQ(Matcher::Equal("l", "a").ToString(), "l=\"a\"");
  EXPECT_EQ(Matcher::Make(MatchType::kNotEqual, "l", "a")->ToString(), "l!=\"a\"");
  EXPECT_EQ(Matcher::Make(MatchType::kRegex, "l", "a")->ToString(), "l=~\"a\"");
  EXPECT_EQ(Matcher::Make(MatchType::kNotRegex, "l", "a")->ToString(), "l!~\"a\"");
}

TEST(Matcher, AnExpressionMayHaveParentheses) {
  EXPECT_TRUE(Matches(MatchType::kRegex, "(a|b)c", "bc"));
  EXPECT_FALSE(Matches(MatchType::kRegex, "(a|b)c", "c"));
}

TEST(Matcher, AnExpressionHasALimit) {
  const auto made = Matcher::Make(MatchType::kRegex, "l", "(abc){500}", 1'000);
  EXPECT_FALSE(made.ok());
  EXPECT_TRUE(Matcher::Make(MatchType::kRegex, "l", "(abc){500}").ok());
}

TEST(RememberedMatcher, IsTheOneOfItsNameAndPattern) {
  for (int round = 0; round < 2; ++round) {
    // More than are remembered.
    for (int i = 0; i < 300; ++i) {
      const std::string pattern = "p" + std::to_string(i) + ".";
      const auto matcher = RememberedRegexMatcher(i % 2 == 0 ? "a" : "b", pattern);
      ASSERT_TRUE(matcher.ok());
      EXPECT_EQ(matcher->name(), i % 2 == 0 ? "a" : "b");
      EXPECT_EQ(matcher->value(), pattern);
      EXPECT_EQ(matcher->type(), MatchType::kRegex);
      EXPECT_TRUE(matcher->Matches("p" + std::to_string(i) + "x"));
      EXPECT_FALSE(matcher->Matches("p" + std::to_string(i)));
    }
  }
  EXPECT_EQ(RememberedRegexMatcher("a", "same")->name(), "a");
  EXPECT_EQ(RememberedRegexMatcher("b", "same")->name(), "b");
  const std::string longest(8'193, 'x');
  EXPECT_TRUE(RememberedRegexMatcher("a", longest)->Matches(longest));
  EXPECT_TRUE(RememberedRegexMatcher("a", longest)->Matches(longest));
  EXPECT_EQ(Message(RememberedRegexMatcher("a", "(").status()),
            "error parsing regexp: missing closing ): `(`");
}

}  // namespace
}  // namespace lockstep
