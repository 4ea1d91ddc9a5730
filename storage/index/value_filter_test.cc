#include "storage/index/value_filter.h"

#include <gtest/gtest.h>

namespace lockstep {
namespace {

using Form = ValueFilter::Form;
using Words = std::vector<std::string>;

ValueFilter Regex(const std::string& pattern) {
  return ValueFilter(*Matcher::Make(MatchType::kRegex, "label", pattern));
}

TEST(ValueFilter, RecognisesTheUsualExpressions) {
  const auto expect = [](const std::string& pattern, Form form, const Words& literals = {}) {
    EXPECT_EQ(Regex(pattern).form(), form) << pattern;
    if (form == Form::kLiterals) {
      EXPECT_EQ(Regex(pattern).literals(), literals) << pattern;
    }
  };
  expect("", Form::kLiterals, {""});
  expect("a", Form::kLiterals, {"a"});
  expect("b|a|b", Form::kLiterals, {"a", "b"});
  expect("a|", Form::kLiterals, {"", "a"});
  expect("(a|b)", Form::kLiterals, {"a", "b"});
  expect("(?:a|b)", Form::kLiterals, {"a", "b"});
  expect("10\\.0\\.0\\.1:9100", Form::kLiterals, {"10.0.0.1:9100"});
  expect("a\\|b", Form::kLiterals, {"a|b"});
  expect("gpu µ", Form::kLiterals, {"gpu µ"});
  expect(".*", Form::kAnything);
  expect("(.*)", Form::kAnything);
  expect(".+", Form::kNotEmpty);
  expect("node-.*", Form::kPrefix);
  expect("node\\..*", Form::kPrefix);
  for (const char* pattern : {"a+",   "ab?",     "a.c",    "[ab]",    "(a)|(b)", "(?i)a", "(?i:a)",
                              "\\d",  "\\Qa\\E", "a|b.*",  "a.*b",    "a.*|b",   "^a",    "a$",
                              "a{2}", "ab*",     "(a|b)c", "((a|b))", "\\pL",    "a.+"}) {
    expect(pattern, Form::kRegex);
  }
}

TEST(ValueFilter, AlwaysAgreesWithItsMatcher) {
  const char* const patterns[] = {"",        "a",     "a|b",  "a|",    "(a|b)",  "(a)|(b)", ".*",
                                  ".+",      "a.*",   "a.+",  "a\\.b", "a\\|b",  "(?i)A",   "[ab]+",
                                  "a.*|b",   "ab*",   "^a$",  "a$",    "(a|b)c", "\\.",     "\\\\",
                                  "(?:a.*)", "a\\.*", "\\(a", "a|(b)", "x*"};
  const std::string values[] = {"",   "a", "b",  "ab", "abb", "a.b",  "axb", "a|b", "A",   "c",
                                "ac", ".", "a.", "\\", "(a",  "a\nb", "\n",  "ä",   "a..", "xx"};
  for (const MatchType type :
       {MatchType::kEqual, MatchType::kNotEqual, MatchType::kRegex, MatchType::kNotRegex}) {
    for (const char* pattern : patterns) {
      const absl::StatusOr<Matcher> matcher = Matcher::Make(type, "label", pattern);
      ASSERT_TRUE(matcher.ok()) << matcher.status();
      const ValueFilter filter(*matcher);
      for (const std::string& value : values) {
        EXPECT_EQ(filter.Matches(value), matcher->Matches(value))
            << matcher->ToString() << " on '" << value << "'";
      }
    }
  }
}

}  // namespace
}  // namespace lockstep
