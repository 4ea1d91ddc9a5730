#include "ingest/target_memo.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace lockstep {
namespace {

std::vector<std::string> Texts(size_t count) {
  std::vector<std::string> texts;
  for (size_t i = 0; i < count; ++i) texts.push_back("target " + std::to_string(i));
  return texts;
}

TEST(TargetMemo, KnowsTheTargetsOfTheRequestInAnyOrder) {
  const std::vector<std::string> texts = Texts(20);
  std::mt19937 random(1);
  TargetMemo memo;
  for (int request = 0; request < 3; ++request) {
    memo.Clear();
    std::vector<bool> is_known(texts.size());
    for (int i = 0; i < 1000; ++i) {
      const size_t t = i < 100 ? i / 10 : random() % texts.size();
      const TargetMemo::Found found = memo.Find(texts[t], "x");
      EXPECT_EQ(memo.target(found.number).before_hash, HashOfLabels(texts[t]));
      EXPECT_EQ(memo.target(found.number).after_hash, HashOfLabels("x"));
      // One may have been pushed out by another.
      if (!is_known[t]) {
        EXPECT_FALSE(found.is_known);
      }
      is_known[t] = true;
    }
  }
}

TEST(TargetMemo, FindsOnesThatComeAgainInOrder) {
  const std::vector<std::string> texts = Texts(8);
  TargetMemo memo;
  for (int metric = 0; metric < 5; ++metric) {
    for (const std::string& text : texts) {
      EXPECT_EQ(memo.Find("", text).is_known, metric > 0) << metric << text;
    }
  }
}

TEST(TargetMemo, WhereThePiecesMeetIsPartOfThem) {
  TargetMemo memo;
  EXPECT_FALSE(memo.Find("ab", "c").is_known);
  EXPECT_FALSE(memo.Find("a", "bc").is_known);
  EXPECT_FALSE(memo.Find("", "abc").is_known);
  EXPECT_TRUE(memo.Find("ab", "c").is_known);
}

TEST(TargetMemo, ForgetsWhatItIsToldTo) {
  TargetMemo memo;
  const uint32_t number = memo.Find("a", "b").number;
  memo.Forget(number);
  EXPECT_FALSE(memo.Find("a", "b").is_known);
  EXPECT_TRUE(memo.Find("a", "b").is_known);
}

}  // namespace
}  // namespace lockstep
