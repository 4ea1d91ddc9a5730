#include "base/regex/recent_regexes.h"

#include <gtest/gtest.h>

#include "base/budget/memory_budget.h"
#include "base/regex/regex.h"
#include "re2/re2.h"

namespace lockstep {
namespace {

RecentRegexes::RegexPtr New() { return std::make_shared<const RE2>("a"); }

TEST(RecentRegexesTest, ForgetsTheOneThatWasNotUsedForLongest) {
  RecentRegexes recent(2);
  recent.Add("a", New());
  recent.Add("b", New());
  EXPECT_NE(recent.Find("a"), nullptr);
  recent.Add("c", New());
  EXPECT_NE(recent.Find("a"), nullptr);
  EXPECT_EQ(recent.Find("b"), nullptr);
  EXPECT_NE(recent.Find("c"), nullptr);
}

TEST(RecentRegexesTest, HasOneUserAtATime) {
  RecentRegexes recent(2);
  const re2::RE2* first = nullptr;
  {
    const RecentRegexes::RegexPtr in_use = New();
    first = in_use.get();
    recent.Add("a", in_use);
    EXPECT_EQ(recent.Find("a"), nullptr);
    // The second user's is not kept.
    recent.Add("a", New());
    EXPECT_EQ(recent.Find("a"), nullptr);
  }
  const RecentRegexes::RegexPtr again = recent.Find("a");
  EXPECT_EQ(again.get(), first);
  EXPECT_EQ(recent.Find("a"), nullptr);
}

TEST(RecentRegexesTest, ClearSaysWhetherThereWereAny) {
  RecentRegexes recent(2);
  EXPECT_FALSE(recent.Clear());
  recent.Add("a", New());
  EXPECT_TRUE(recent.Clear());
  EXPECT_EQ(recent.Find("a"), nullptr);
  EXPECT_FALSE(recent.Clear());
}

// The expressions that `Regex` keeps in the process's.
class KeptRegexTest : public ::testing::Test {
 protected:
  KeptRegexTest() { RecentRegexes::OfProcess().Clear(); }
  ~KeptRegexTest() override {
    MemoryBudget::OfProcess().set_max_bytes(MemoryBudget::kNoLimit);
    RecentRegexes::OfProcess().Clear();
  }

  static uint64_t HeldBytes() {
    const MemoryBudgetStats stats = MemoryBudget::OfProcess().stats();
    return stats.accounts[static_cast<size_t>(MemoryAccount::kRegex)].held_bytes;
  }
  static uint64_t HeldAfter(std::string_view pattern, size_t max_bytes = Regex::kMaxBytes) {
    EXPECT_TRUE(Regex::Compile(pattern, Regex::Dot::kExcludesNewline, max_bytes).ok());
    return HeldBytes();
  }
};

TEST_F(KeptRegexTest, SmallOnesAreKeptAndCharged) {
  const uint64_t one = HeldAfter("host_[0-9]+");
  EXPECT_GT(one, 0u);
  EXPECT_EQ(HeldAfter("host_[0-9]+"), one);
  EXPECT_EQ(HeldAfter("gpu_[0-9]+"), 2 * one);
  RecentRegexes::OfProcess().Clear();
  EXPECT_EQ(HeldBytes(), 0u);
}

TEST_F(KeptRegexTest, LargeOnesAreNotKept) {
  EXPECT_EQ(HeldAfter(std::string(1000, 'a')), 0u);
  EXPECT_EQ(HeldAfter("(abc){200}"), 0u);
  EXPECT_EQ(HeldAfter("a", 100'000), 0u);
}

TEST_F(KeptRegexTest, WhatTheDotMatchesMakesTwo) {
  EXPECT_FALSE(Regex::Compile("a.b")->FullMatch("a\nb"));
  EXPECT_TRUE(Regex::Compile("a.b", Regex::Dot::kMatchesNewline)->FullMatch("a\nb"));
  EXPECT_FALSE(Regex::Compile("a.b")->FullMatch("a\nb"));
}

TEST_F(KeptRegexTest, TheyGiveWayToOthers) {
  constexpr int kMany = 100;
  // Room for a few.
  MemoryBudget::OfProcess().set_max_bytes(32 << 20);
  for (int i = 0; i < kMany; ++i) {
    const absl::StatusOr<Regex> regex = Regex::Compile("host_" + std::to_string(i) + "+");
    ASSERT_TRUE(regex.ok()) << i << " " << regex.status();
    EXPECT_TRUE(regex->FullMatch("host_" + std::to_string(i)));
  }
}

TEST_F(KeptRegexTest, OneInUseOutlivesItsPlace) {
  const Regex regex = Regex::Compile("host_[0-9]+").value();
  RecentRegexes::OfProcess().Clear();
  EXPECT_TRUE(regex.FullMatch("host_12"));
  EXPECT_GT(HeldBytes(), 0u);
}

}  // namespace
}  // namespace lockstep
