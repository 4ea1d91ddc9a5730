#include "ingest/remote_write/target_memo.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <string>
#include <vector>

namespace lockstep {
namespace {

std::vector<std::string> Texts(size_t count) {
  std::vector<std::string> texts;
  for (size_t i = 0; i < count; ++i) texts.push_back("target " + std::to_string(i));
  return texts;
}

// Texts that do not evict each other: hashes differ from process to process.
std::vector<std::string> TextsApart(size_t count) {
  std::vector<std::string> texts;
  std::set<uint32_t> numbers;
  TargetMemo memo;
  for (const std::string& text : Texts(TargetMemo::kMaxTargets)) {
    const bool is_apart = numbers.insert(memo.Find("", text).number).second;
    if (is_apart && texts.size() < count) texts.push_back(text);
  }
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
      // It may have been evicted.
      if (!is_known[t]) {
        EXPECT_FALSE(found.is_known);
      }
      is_known[t] = true;
    }
  }
}

TEST(TargetMemo, FindsOnesThatComeAgainInOrder) {
  const std::vector<std::string> texts = TextsApart(8);
  ASSERT_EQ(texts.size(), 8u);
  TargetMemo memo;
  for (int metric = 0; metric < 5; ++metric) {
    for (const std::string& text : texts) {
      EXPECT_EQ(memo.Find("", text).is_known, metric > 0) << metric << text;
    }
  }
}

TEST(TargetMemo, WhereThePiecesMeetIsPartOfThem) {
  TargetMemo memo;
  const TargetMemo::Found first = memo.Find("ab", "c");
  const TargetMemo::Found second = memo.Find("a", "bc");
  const TargetMemo::Found third = memo.Find("", "abc");
  EXPECT_FALSE(first.is_known || second.is_known || third.is_known);
  const bool is_pushed_out = first.number == second.number || first.number == third.number;
  EXPECT_EQ(memo.Find("ab", "c").is_known, !is_pushed_out);
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
