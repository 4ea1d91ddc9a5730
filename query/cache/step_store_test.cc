#include "query/cache/step_store.h"

#include <gtest/gtest.h>

namespace lockstep::cache {
namespace {

KeptSteps Steps(size_t count) {
  KeptSteps steps;
  steps.value.resize(1);
  for (size_t i = 0; i < count; ++i) {
    steps.value[0].samples.Append(static_cast<int64_t>(i), 1);
  }
  steps.end_ms = static_cast<int64_t>(count);
  return steps;
}

StepKey Key(std::string text, int64_t phase_ms = 0) {
  return {"", std::move(text), 15, phase_ms, 300};
}

TEST(StepStore, FindsTheLatestOfAKey) {
  StepStore store(size_t{1} << 20);
  EXPECT_EQ(store.Find(Key("a")), nullptr);
  store.Put(Key("a"), Steps(1));
  store.Put(Key("b"), Steps(2));
  store.Put(Key("a", 7), Steps(3));
  const auto first = store.Find(Key("a"));
  store.Put(Key("a"), Steps(4));
  EXPECT_EQ(first->end_ms, 1);  // holders keep it
  EXPECT_EQ(store.Find(Key("a"))->end_ms, 4);
  EXPECT_EQ(store.Find(Key("a", 7))->end_ms, 3);
  EXPECT_EQ(store.stats().entry_count, 3u);
}

TEST(StepStore, WhatWasUsedLongestAgoGoesFirst) {
  constexpr size_t kMaxBytes = size_t{1} << 20;
  StepStore store(kMaxBytes);
  store.Put(Key("asked"), Steps(2000));
  for (int i = 0; i < 200; ++i) {
    store.Put(Key(std::to_string(i)), Steps(2000));
    ASSERT_NE(store.Find(Key("asked")), nullptr) << i;
    ASSERT_LE(store.stats().byte_count, kMaxBytes);
  }
  EXPECT_EQ(store.Find(Key("0")), nullptr);
  EXPECT_NE(store.Find(Key("199")), nullptr);
}

TEST(StepStore, OneThatIsTooLargeIsNotKeptNorIsWhatWasThere) {
  StepStore store(100'000);
  store.Put(Key("a"), Steps(10));
  store.Put(Key("a"), Steps(1000));
  EXPECT_EQ(store.Find(Key("a")), nullptr);
  EXPECT_EQ(store.stats().byte_count, 0u);
}

TEST(StepStore, GivesWayToOthersWhenMemoryIsShort) {
  constexpr uint64_t kMebibyte = uint64_t{1} << 20;
  MemoryBudget memory(64 * kMebibyte);
  StepStore store(32 * kMebibyte, memory);
  const auto put_many = [&store] {
    for (int i = 0; i < 12; ++i) store.Put(Key(std::to_string(i)), Steps(40'000));
  };
  put_many();
  EXPECT_EQ(memory.stats().held_bytes, store.stats().byte_count);
  // Its account is an eighth of the total.
  EXPECT_LE(store.stats().byte_count, 8 * kMebibyte);
  EXPECT_GT(store.stats().byte_count, 7 * kMebibyte);
  ASSERT_TRUE(memory.Take(MemoryAccount::kDecoding, 22 * kMebibyte, 0).ok());
  ASSERT_TRUE(memory.Take(MemoryAccount::kQueries, 22 * kMebibyte, 0).ok());
  EXPECT_GT(store.stats().entry_count, 8u);
  EXPECT_TRUE(memory.Take(MemoryAccount::kScrapes, 12 * kMebibyte, 0).ok());
  EXPECT_EQ(store.stats().entry_count, 0u);
  // It does not retry memory that is not available.
  put_many();
  EXPECT_EQ(store.stats().entry_count, 0u);
  memory.GiveBack(MemoryAccount::kScrapes, 12 * kMebibyte);
  memory.GiveBack(MemoryAccount::kDecoding, 22 * kMebibyte);
  put_many();
  EXPECT_GT(store.stats().entry_count, 8u);
}

// An eighth of the limit is 50,000 bytes. A sample takes 16, and a key is stored twice.
TEST(StepStore, WhatTakesMemoryCounts) {
  const auto is_kept = [](const StepKey& key, KeptSteps steps) {
    StepStore store(400'000);
    store.Put(key, std::move(steps));
    return store.Find(key) != nullptr;
  };
  EXPECT_TRUE(is_kept(Key("a"), Steps(3'000)));
  EXPECT_FALSE(is_kept(Key("a"), Steps(3'200)));
  EXPECT_TRUE(is_kept(Key(std::string(24'000, 'a')), Steps(1)));
  EXPECT_FALSE(is_kept(Key(std::string(26'000, 'a')), Steps(1)));
  const auto labelled = [](size_t size) {
    KeptSteps steps = Steps(1);
    steps.value[0].labels = LabelSet::Of({{"a", std::string(size, 'x')}});
    return steps;
  };
  EXPECT_TRUE(is_kept(Key("a"), labelled(48'000)));
  EXPECT_FALSE(is_kept(Key("a"), labelled(51'000)));
  const auto with_histogram = [](size_t bucket_count) {
    Histogram histogram;
    histogram.positive_counts.resize(bucket_count);
    KeptSteps steps = Steps(1);
    steps.value[0].samples.histograms.push_back(
        {0, std::make_shared<const Histogram>(std::move(histogram))});
    return steps;
  };
  EXPECT_TRUE(is_kept(Key("a"), with_histogram(5'500)));
  EXPECT_FALSE(is_kept(Key("a"), with_histogram(6'500)));
  KeptSteps many_series;
  many_series.value.resize(1'000);
  EXPECT_FALSE(is_kept(Key("a"), std::move(many_series)));
}

TEST(StepStore, ReturnsItsMemory) {
  MemoryBudget memory(uint64_t{64} << 20);
  {
    StepStore store(size_t{1} << 20, memory);
    store.Put(Key("a"), Steps(1'000));
    store.Put(Key("b"), Steps(1'000));
    EXPECT_GT(memory.stats().held_bytes, 32'000u);
    EXPECT_EQ(memory.stats().held_bytes, store.stats().byte_count);
    // The second takes the first one's place.
    store.Put(Key("b"), Steps(10));
    EXPECT_EQ(memory.stats().held_bytes, store.stats().byte_count);
  }
  EXPECT_EQ(memory.stats().held_bytes, 0u);
}

}  // namespace
}  // namespace lockstep::cache
