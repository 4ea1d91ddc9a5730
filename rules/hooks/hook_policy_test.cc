#include "rules/hooks/hook_policy.h"

#include <gtest/gtest.h>

#include "tests/support/format_page.h"

namespace lockstep::rules {
namespace {

constexpr int64_t kMinutes = 60'000;

HookConfig Drain() {
  HookConfig hook;
  hook.name = "drain";
  hook.match = {{"action", "drain"}};
  hook.domain_label = "nvlink_domain";
  return hook;
}

TEST(HookPolicyTest, UnitsAreNodesOrDomains) {
  const auto unit = [](std::initializer_list<LabelView> labels) {
    return UnitOf(Drain(), LabelSet::Of(labels));
  };
  EXPECT_EQ(unit({{"Hostname", "n7"}, {"instance", "n7:9400"}}), "n7");
  EXPECT_EQ(unit({{"instance", "n7:9400"}}), "n7:9400");
  EXPECT_EQ(unit({{"Hostname", "n7"}, {"nvlink_domain", "rack-3"}}), "rack-3");
  EXPECT_EQ(unit({{"gpu", "1"}}), "");
  // Values that a command could misinterpret.
  EXPECT_EQ(unit({{"Hostname", "--all"}}), "");
  EXPECT_EQ(unit({{"Hostname", "n7; rm"}}), "");
  EXPECT_EQ(unit({{"Hostname", "../n7"}}), "");
}

TEST(HookPolicyTest, ActsOnAlertsWithAllOfItsLabels) {
  EXPECT_TRUE(Matches(Drain(), LabelSet::Of({{"action", "drain"}, {"gpu", "1"}})));
  EXPECT_FALSE(Matches(Drain(), LabelSet::Of({{"action", "look"}})));
}

TEST(HookPolicyTest, OnceInAWindowOnFewAndNotTooFast) {
  using enum HookPolicy::Verdict;
  RemediationConfig config;
  config.max_nodes = 2;
  config.window = milliseconds(60 * kMinutes);
  config.min_interval = milliseconds(10 * kMinutes);
  HookPolicy policy;
  EXPECT_EQ(policy.Ask(config, "drain", "n1", 0 * kMinutes), kAct);
  EXPECT_EQ(policy.Ask(config, "drain", "n1", 1 * kMinutes), kDoneBefore);
  EXPECT_EQ(policy.Ask(config, "drain", "n2", 9 * kMinutes), kTooSoon);
  EXPECT_EQ(policy.Ask(config, "drain", "n2", 10 * kMinutes), kAct);
  EXPECT_EQ(policy.Ask(config, "drain", "n3", 30 * kMinutes), kTooMany);
  // Another hook on a node that is already drained does not count again.
  EXPECT_EQ(policy.Ask(config, "ticket", "n2", 31 * kMinutes), kAct);
  // The first one was an hour ago.
  EXPECT_EQ(policy.Ask(config, "drain", "n3", 61 * kMinutes), kAct);
}

TEST(HookPolicyTest, WhatWasNotDoneDoesNotCount) {
  using enum HookPolicy::Verdict;
  RemediationConfig config;
  config.max_nodes = 1;
  config.window = milliseconds(60 * kMinutes);
  config.min_interval = milliseconds(10 * kMinutes);
  HookPolicy policy;
  EXPECT_EQ(policy.Ask(config, "drain", "n1", 0), kAct);
  policy.TakeBack("drain", "n1");
  EXPECT_EQ(policy.Ask(config, "drain", "n2", 1), kAct);
}

TEST(HookPolicyTest, AnotherOneGoesOnWithWhatWasDone) {
  using enum HookPolicy::Verdict;
  RemediationConfig config;
  config.max_nodes = 2;
  config.window = milliseconds(60 * kMinutes);
  config.min_interval = milliseconds(10 * kMinutes);
  HookPolicy before;
  EXPECT_EQ(before.Ask(config, "drain", "n1", 0 * kMinutes), kAct);
  EXPECT_EQ(before.Ask(config, "ticket", "n1", 10 * kMinutes), kAct);
  const std::vector<HookAction> done = {{"drain", "n1", 0}, {"ticket", "n1", 10 * kMinutes}};
  EXPECT_EQ(before.Done(), done);
  HookPolicy after(done);
  EXPECT_EQ(after.Ask(config, "drain", "n1", 19 * kMinutes), kDoneBefore);
  EXPECT_EQ(after.Ask(config, "drain", "n2", 19 * kMinutes), kTooSoon);
  EXPECT_EQ(after.Ask(config, "drain", "n2", 20 * kMinutes), kAct);
  EXPECT_EQ(after.Ask(config, "drain", "n3", 30 * kMinutes), kTooMany);
}

TEST(KeptHookActions, WorkedExample) {
  const std::vector<HookAction> actions = {{"drain", "n7", 1'000'000'000'000},
                                           {"ticket", "n7", 1'000'000'000'001}};
  const std::string row = FormatPageExample("kept.md", "hook-actions");
  EXPECT_EQ(EncodeKeptHookActions(actions), row);
  std::vector<HookAction> decoded;
  EXPECT_TRUE(DecodeKeptHookActions(row, decoded));
  EXPECT_EQ(decoded, actions);
}

TEST(KeptHookActions, MalformedRowsAreTold) {
  const std::string row = FormatPageExample("kept.md", "hook-actions");
  size_t good = 0;
  for (size_t size = 0; size < row.size(); ++size) {
    std::vector<HookAction> actions;
    good += DecodeKeptHookActions(std::string_view(row).substr(0, size), actions);
  }
  EXPECT_EQ(good, 2u);  // the empty row, and the first of two actions
}

}  // namespace
}  // namespace lockstep::rules
