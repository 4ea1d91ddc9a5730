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

TEST(Matcher, BadRegexIsAnErrorThatNamesIt) {
  const auto matcher = Matcher::Make(MatchType::kRegex, "label", "a(");
  ASSERT_EQ(matcher.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_NE(matcher.status().ToString().find("a("), std::string::npos);
}

}  // namespace
}  // namespace lockstep
