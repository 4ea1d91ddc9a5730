#include "base/regex/recent_regexes.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/budget/memory_budget.h"
#include "base/regex/regex.h"
#include "re2/re2.h"

namespace lockstep {
namespace {

uint64_t HeldBytes() {
  const MemoryBudgetStats stats = MemoryBudget::OfProcess().stats();
  return stats.accounts[static_cast<size_t>(MemoryAccount::kRegex)].held_bytes;
}

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

TEST(RecentRegexesTest, TakesOnlyMemoryThatIsLeft) {
  const uint64_t before = HeldBytes();
  {
    RecentRegexes recent(2);
    for (const char* key : {"a", "b", "c"}) recent.Add(key, New());
    EXPECT_EQ(HeldBytes(), before + 2 * RecentRegexes::kBytesOfEach);
    recent.Clear();
    EXPECT_EQ(HeldBytes(), before);
    recent.Add("a", New());
  }
  EXPECT_EQ(HeldBytes(), before);
  MemoryBudget::OfProcess().set_max_bytes(1 << 20);
  RecentRegexes none(2);
  none.Add("a", New());
  EXPECT_EQ(none.Find("a"), nullptr);
  EXPECT_EQ(HeldBytes(), before);
  MemoryBudget::OfProcess().set_max_bytes(MemoryBudget::kNoLimit);
}

// The expressions that `Regex` keeps in the process's.
class KeptRegexTest : public ::testing::Test {
 protected:
  KeptRegexTest() { RecentRegexes::OfProcess().Clear(); }
  ~KeptRegexTest() override {
    MemoryBudget::OfProcess().set_max_bytes(MemoryBudget::kNoLimit);
    RecentRegexes::OfProcess().Clear();
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

// Many at once: what a query has in use does not count as kept.
TEST_F(KeptRegexTest, TheyGiveWayToOthers) {
  constexpr int kMany = 70;
  // The account has 4 MiB of it, room for eight that are kept.
  MemoryBudget::OfProcess().set_max_bytes(32 << 20);
  std::vector<Regex> in_use;
  for (int i = 0; i < kMany; ++i) {
    absl::StatusOr<Regex> regex = Regex::Compile("h" + std::to_string(i) + "+");
    ASSERT_TRUE(regex.ok()) << i << " " << regex.status();
    EXPECT_TRUE(regex->FullMatch("h" + std::to_string(i)));
    in_use.push_back(*std::move(regex));
  }
}

TEST_F(KeptRegexTest, LargeOnesLeaveRoomForSmallOnes) {
  MemoryBudget::OfProcess().set_max_bytes(64 << 20);
  std::vector<Regex> all;
  const auto add = [&all](std::string_view pattern) {
    absl::StatusOr<Regex> regex = Regex::Compile(pattern);
    if (!regex.ok()) return false;
    all.push_back(*std::move(regex));
    return true;
  };
  // The second takes what the first leaves; the least that is large.
  for (const char* large : {"(abcdefgh){50}.*x", "(abcdefgh){13}.*x"}) {
    while (add(large)) {
    }
  }
  EXPECT_GT(all.size(), 5u);
  for (const char* small : {"a.*", "b.*", "c.*", "d.*", "e.*"}) EXPECT_TRUE(add(small)) << small;
}

TEST_F(KeptRegexTest, ALongProgramIsChargedForItsStates) {
  const auto charged = [](std::string_view pattern) {
    const uint64_t before = HeldBytes();
    const Regex regex = Regex::Compile(pattern).value();
    return HeldBytes() - before;
  };
  EXPECT_GT(charged("(abcdefgh){50}.*x"), 300u << 10);
  EXPECT_LE(charged("[\\pL\\d]{300}"), Regex::kMaxBytes);
}

TEST_F(KeptRegexTest, OneInUseOutlivesItsPlace) {
  const Regex regex = Regex::Compile("host_[0-9]+").value();
  RecentRegexes::OfProcess().Clear();
  EXPECT_TRUE(regex.FullMatch("host_12"));
  EXPECT_GT(HeldBytes(), 0u);
}

}  // namespace
}  // namespace lockstep
