#include "storage/db/retention/retention_rules.h"

#include <gtest/gtest.h>

#include <vector>

#include "model/tenant.h"

namespace lockstep {
namespace {

LabelSet SeriesOf(std::string_view metric, std::string_view job) {
  return LabelSet::Of({{kMetricName, metric}, {"job", job}});
}

TEST(RetentionRulesTest, TheFirstRuleOfWhichAllMatchersMatchApplies) {
  std::vector<RetentionRule> rules(4);
  rules[0].tenant = Matcher::Equal("tenant", "acme");
  rules[0].job = Matcher::Equal("job", "a");
  rules[0].keep_ms = 10;
  rules[1].job = Matcher::Equal("job", "a");
  rules[1].metric = Matcher::Equal(std::string(kMetricName), "up");
  rules[1].keep_ms = 20;
  rules[2].tenant = Matcher::Equal("tenant", "default");
  rules[2].metric = Matcher::Equal(std::string(kMetricName), "up");
  rules[2].keep_ms = 30;
  rules[3].job = Matcher::Equal("job", "d");
  rules[3].keep_ms = 40;
  const auto made = RetentionRules::Make(rules, 50);
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_FALSE(made->empty());
  EXPECT_EQ(made->retention_ms(), 50);
  EXPECT_EQ(made->ShortestKeepMs(), 10);
  EXPECT_EQ(made->KeepMs(WithTenant("acme", SeriesOf("x", "a"))), 10);
  EXPECT_EQ(made->KeepMs(WithTenant("other", SeriesOf("up", "a"))), 20);
  EXPECT_EQ(made->KeepMs(SeriesOf("up", "a")), 20);
  EXPECT_EQ(made->KeepMs(SeriesOf("up", "b")), 30);
  EXPECT_EQ(made->KeepMs(SeriesOf("x", "d")), 40);
  EXPECT_EQ(made->KeepMs(WithTenant("acme", SeriesOf("up", "b"))), 50);
  EXPECT_EQ(made->KeepMs(SeriesOf("x", "a")), 50);
}

TEST(RetentionRulesTest, SaysWhatIsWrong) {
  const auto message = [](std::vector<RetentionRule> rules) {
    return std::string(Message(RetentionRules::Make(std::move(rules), 50).status()));
  };
  RetentionRule rule;
  rule.keep_ms = 51;
  EXPECT_EQ(message({rule}),
            "a retention rule keeps samples for 51 ms; it must be above 0 and at most the "
            "retention of 50 ms");
  rule.keep_ms = 50;
  EXPECT_EQ(message(std::vector<RetentionRule>(100, rule)), "");
  EXPECT_EQ(message(std::vector<RetentionRule>(101, rule)),
            "there are 101 retention rules, and at most 100 are allowed");
}

TEST(FamilyRetentionTest, AsksForLabelsOnceAFamily) {
  std::vector<RetentionRule> rules(1);
  rules[0].job = Matcher::Equal("job", "a");
  rules[0].keep_ms = 10;
  const auto made = RetentionRules::Make(rules, 50);
  ASSERT_TRUE(made.ok());
  FamilyRetention families(*made);
  int asked = 0;
  const auto keep_ms = [&](uint32_t family, std::string_view job) {
    return families.KeepMs(family, [&] {
      ++asked;
      return SeriesOf("x", job);
    });
  };
  EXPECT_EQ(keep_ms(1, "a"), 10);
  EXPECT_EQ(keep_ms(2, "b"), 50);
  EXPECT_EQ(keep_ms(1, "b"), 10);
  EXPECT_EQ(keep_ms(2, "a"), 50);
  EXPECT_EQ(asked, 2);
}

}  // namespace
}  // namespace lockstep
