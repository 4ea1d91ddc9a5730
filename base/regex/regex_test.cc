#include "base/regex/regex.h"

#include "base/budget/memory_budget.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep {
namespace {

using ::testing::ElementsAre;
using ::testing::Optional;

std::string Replaced(std::string_view pattern, std::string_view replacement,
                     std::string_view text) {
  const Regex regex = Regex::Compile(pattern).value();
  return regex.ReplaceAll(text, RegexTemplate(replacement, regex));
}

TEST(RegexTest, MatchesTheWholeOrAPart) {
  const Regex regex = Regex::Compile("r.nk").value();
  EXPECT_TRUE(regex.FullMatch("rank"));
  EXPECT_FALSE(regex.FullMatch("ranks"));
  EXPECT_FALSE(regex.FullMatch("r\nnk"));
  EXPECT_TRUE(regex.PartialMatch("the ranks"));
  EXPECT_FALSE(regex.PartialMatch("the racks"));
  EXPECT_TRUE(Regex::Compile("r.nk", Regex::Dot::kMatchesNewline)->FullMatch("r\nnk"));
}

TEST(RegexTest, ReadsNoFurtherThanTheViews) {
  const std::string_view storage = "a+bbbb";
  const Regex regex = Regex::Compile(storage.substr(0, 2)).value();
  EXPECT_TRUE(regex.FullMatch(std::string_view("aab").substr(0, 2)));
  EXPECT_FALSE(regex.FullMatch("aab"));
  const std::string_view with_zero("a\0a", 3);
  EXPECT_FALSE(regex.FullMatch(with_zero));
  EXPECT_TRUE(Regex::Compile(Regex::Escape(with_zero))->FullMatch(with_zero));
}

TEST(RegexTest, CapturesGroups) {
  const Regex regex = Regex::Compile("(a+)(x)?(?P<last>b*)").value();
  EXPECT_THAT(regex.CaptureFull("aab"), Optional(ElementsAre("aab", "aa", "", "b")));
  EXPECT_EQ(regex.CaptureFull("aabc"), std::nullopt);
  EXPECT_EQ(regex.GroupNamed("last"), 3u);
  EXPECT_EQ(regex.GroupNamed("first"), std::nullopt);
}

TEST(RegexTest, CapturesMoreGroupsThanAreInlined) {
  const Regex regex = Regex::Compile("(a)(b)(c)(d)(e)(f)(g)(h)(i)(j)").value();
  EXPECT_EQ(RegexTemplate("$10$9$1", regex).Expand(*regex.CaptureFull("abcdefghij")), "jia");
}

TEST(RegexTest, EscapesWhatHasAMeaning) {
  const std::string text = "node[1].rack|*+\xC3\xA9";
  EXPECT_TRUE(Regex::Compile(Regex::Escape(text))->FullMatch(text));
  EXPECT_FALSE(Regex::Compile(Regex::Escape("a.c"))->FullMatch("abc"));
}

TEST(RegexTest, BadExpressionsAreErrors) {
  for (const auto& [pattern, message] : std::vector<std::pair<std::string, std::string>>{
           {"a(", "missing closing ): `a(`"},
           {"a)(b", "unexpected ): `a)(b`"},
           {"*", "missing argument to repetition operator: `*`"},
           {"\xFF", "invalid UTF-8"},
       }) {
    const auto regex = Regex::Compile(pattern);
    EXPECT_EQ(regex.status().code(), absl::StatusCode::kInvalidArgument) << pattern;
    EXPECT_EQ(Message(regex.status()), message);
  }
}

TEST(RegexTest, ExpressionsThatWouldTakeMuchMemoryAreErrors) {
  const auto regex = Regex::Compile("((\\pL{1000}){10}){10}");
  EXPECT_EQ(regex.status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(RegexTest, ThoseOfRequestsMayTakeLess) {
  const auto compile = [](const std::string& pattern, size_t max_bytes) {
    return Regex::Compile(pattern, Regex::Dot::kExcludesNewline, max_bytes).status();
  };
  EXPECT_TRUE(compile("\\pL{100}", Regex::kMaxBytes).ok());
  EXPECT_TRUE(absl::IsInvalidArgument(compile("\\pL{200}", Regex::kMaxBytesOfRequest)));
  // As long as a query may be.
  std::string hosts;
  for (int i = 0; hosts.size() < (16 << 10); ++i) hosts += std::to_string(i * 7919) + "|";
  EXPECT_TRUE(compile(hosts, Regex::kMaxBytesOfRequest).ok());
}

TEST(RegexTest, IsChargedToTheMemoryOfTheProcess) {
  const auto held_bytes = [] {
    return MemoryBudget::OfProcess()
        .stats()
        .accounts[static_cast<size_t>(MemoryAccount::kRegex)]
        .held_bytes;
  };
  const uint64_t before = held_bytes();
  {
    // Too large to be kept for others.
    const Regex regex = Regex::Compile(std::string(1000, 'a')).value();
    EXPECT_GT(held_bytes(), before);
  }
  EXPECT_EQ(held_bytes(), before);
}

// The answers of Go 1.26's regexp.MustCompile(pattern).ReplaceAllString(text, replacement).
TEST(RegexTest, ReplacesAsGoDoes) {
  EXPECT_EQ(Replaced("a(x*)b", "${1}W", "-ab-axxb-"), "-W-xxW-");
  EXPECT_EQ(Replaced("a*", "-", "baac"), "-b-c-");
  EXPECT_EQ(Replaced("", "-", "abc"), "-a-b-c-");
  EXPECT_EQ(Replaced("x*", "-", "\xC3\xA9\xE2\x86\x92"), "-\xC3\xA9-\xE2\x86\x92-");
  EXPECT_EQ(Replaced("^a", "b", "aaa"), "baa");
  EXPECT_EQ(Replaced("a", "b", ""), "");
  EXPECT_EQ(Replaced("", "b", ""), "b");
}

// The answers of Go 1.26's Regexp.ExpandString.
TEST(RegexTemplateTest, ReferencesAreThoseOfGo) {
  const Regex regex = Regex::Compile("(?P<first>[^-]*)-(?P<second>.*)").value();
  for (const auto& [text, expected] : std::vector<std::pair<std::string, std::string>>{
           {"$2/$1/$0", "b/a/a-b"},
           {"${first}x", "ax"},
           {"$firstx", ""},  // the longest name
           {"$1x", ""},
           {"$first.$1-", "a.a-"},
           {"$été", ""},
           {"$1→$2", "a→b"},  // an arrow is not a letter
           {"$1é", ""},
           {"$$1 $", "$1 $"},
           {"${1", "${1"},
           {"${}", "${}"},
           {"${first-}", "${first-}"},
           {"$9|$01|$none", "||"},
           {"$99999999999999999999", ""},
       }) {
    EXPECT_EQ(RegexTemplate(text, regex).Expand(*regex.CaptureFull("a-b")), expected) << text;
  }
}

}  // namespace
}  // namespace lockstep
