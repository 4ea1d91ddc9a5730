#include "storage/db/series/series_limit.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "absl/strings/str_format.h"
#include "storage/db/retention/retention_clock.h"
#include "storage/db/series/dictionary.h"
#include "storage/db/series/group_name.h"
#include "storage/db/store_testing.h"
#include "tests/support/test_folder.h"

namespace lockstep {
namespace {

using Taking = SeriesLimit::Answer;

TEST(SeriesLimitTest, TakesAsManyAsItSays) {
  SeriesLimit limit({.max_series = 2});
  EXPECT_EQ(limit.Take("a", 0), Taking::kTaken);
  EXPECT_EQ(limit.Take("b", 0), Taking::kTaken);
  EXPECT_EQ(limit.Take("c", 0), Taking::kStoreIsFull);
  limit.GiveBack("b", 1);
  EXPECT_EQ(limit.Take("b", 0), Taking::kTaken);
  limit.Add("a", 1);  // existed before the limit
  limit.GiveBack("a", 1);
  EXPECT_EQ(limit.Take("a", 0), Taking::kStoreIsFull);
  limit.SetLimits({.max_series = 3});
  EXPECT_EQ(limit.Take("a", 0), Taking::kTaken);
  EXPECT_EQ(limit.count(), 3u);
}

TEST(SeriesLimitTest, TakesAsManyOfEachJob) {
  SeriesLimit limit({.max_series_per_job = 2});
  limit.Add("a", 1);
  EXPECT_EQ(limit.Take("a", 0), Taking::kTaken);
  EXPECT_EQ(limit.Take("a", 0), Taking::kJobIsFull);
  EXPECT_EQ(limit.Take("b", 0), Taking::kTaken);
  limit.GiveBack("a", 1);
  EXPECT_EQ(limit.Take("a", 0), Taking::kTaken);
}

TEST(SeriesLimitTest, TakesAsManyOfEachTenant) {
  SeriesLimits limits;
  limits.by_tenant = {{*Matcher::Make(MatchType::kRegex, "tenant", "a|default"), 2}, {{}, 1}};
  SeriesLimit limit(limits);
  const std::string a = GroupName("a", "x"), also_a = GroupName("a", "y"), b = GroupName("b", "x");
  limit.Add(a, 1);
  EXPECT_EQ(limit.Take(also_a, 0), Taking::kTaken);
  EXPECT_EQ(limit.Take(a, 0), Taking::kTenantIsFull);
  EXPECT_EQ(limit.Take(b, 0), Taking::kTaken);
  EXPECT_EQ(limit.Take(b, 0), Taking::kTenantIsFull);
  EXPECT_EQ(limit.Take("x", 0), Taking::kTaken);
  EXPECT_EQ(limit.Take("y", 0), Taking::kTaken);
  EXPECT_EQ(limit.Take("z", 0), Taking::kTenantIsFull);
  limit.GiveBack(also_a, 1);
  EXPECT_EQ(limit.Take(a, 0), Taking::kTaken);
  limits.by_tenant = {{{}, 3}};
  limit.SetLimits(limits);
  EXPECT_EQ(limit.Take(a, 0), Taking::kTaken);
  EXPECT_EQ(limit.Take(a, 0), Taking::kTenantIsFull);
}

TEST(SeriesLimitTest, TakesWhatThereIsMemoryFor) {
  constexpr uint64_t kMebibyte = uint64_t{1} << 20;
  MemoryBudget memory(64 * kMebibyte);
  const auto held_bytes = [&memory] {
    return memory.stats().accounts[static_cast<size_t>(MemoryAccount::kSeries)].held_bytes;
  };
  {
    SeriesLimit limit({}, memory);
    EXPECT_EQ(limit.Take("a", 31 * kMebibyte), Taking::kTaken);
    EXPECT_EQ(limit.Take("a", 2 * kMebibyte), Taking::kNoMemory);
    EXPECT_EQ(limit.count(), 1u);
    // Existing series are not refused.
    limit.ReplaceBytes(31 * kMebibyte, 40 * kMebibyte);
    EXPECT_EQ(held_bytes(), 40 * kMebibyte);
    EXPECT_EQ(limit.Take("a", 1), Taking::kNoMemory);
    limit.ReplaceBytes(40 * kMebibyte, kMebibyte);
    EXPECT_EQ(held_bytes(), kMebibyte);
    EXPECT_EQ(limit.Take("a", kMebibyte), Taking::kTaken);
    // Other accounts leave no room.
    memory.Add(MemoryAccount::kDecoding, 60 * kMebibyte);
    EXPECT_EQ(limit.Take("a", kMebibyte), Taking::kNoMemory);
  }
  EXPECT_EQ(held_bytes(), 0u);
}

TEST(SeriesLimitTest, WhatIsRolledBackLeavesRoom) {
  const auto limit = std::make_shared<SeriesLimit>(SeriesLimits{.max_series = 1});
  Dictionary dictionary(limit);
  EXPECT_EQ(dictionary.StageNew(Series("a")).answer, Taking::kTaken);
  EXPECT_EQ(dictionary.StageNew(Series("b")).answer, Taking::kStoreIsFull);
  dictionary.RollbackStaged();
  EXPECT_EQ(dictionary.StageNew(Series("b")).answer, Taking::kTaken);
  dictionary.CommitStaged();
  dictionary.RollbackStaged();
  EXPECT_EQ(limit->count(), 1u);
}

TEST(SeriesLimitTest, WhatIsRemovedGivesItsMemoryBack) {
  MemoryBudget memory(uint64_t{1} << 30);
  const auto limit = std::make_shared<SeriesLimit>(SeriesLimits{}, memory);
  Dictionary dictionary(limit);
  std::vector<SeriesId> ids;
  for (int i = 0; i < 10'000; ++i) {
    ids.push_back(dictionary.StageNew(Series("m", absl::StrFormat("job%d", i), i)).id);
  }
  dictionary.CommitStaged();
  EXPECT_GT(memory.stats().held_bytes, uint64_t{2} << 20);
  dictionary.Remove(ids);
  EXPECT_EQ(memory.stats().held_bytes, 0u);
  EXPECT_EQ(limit->count(), 0u);
}

class StoreSeriesLimitTest : public testing::TestWithParam<uint32_t> {
 protected:
  void SetUp() override { options_.shard_count = GetParam(); }

  // Series of many jobs, so that all shards have some.
  static LabelSet Numbered(int number) {
    return Series("m", absl::StrFormat("job%d", number), number);
  }
  static WriteRequest Request(int first, int count, int64_t time_ms) {
    WriteRequest request;
    for (int i = first; i < first + count; ++i) {
      request.series.push_back({Numbered(i), {{time_ms, 1}, {time_ms + 1, 2}}, {}});
    }
    return request;
  }

  TestFolder folder_;
  StoreOptions options_ = TestOptions(folder_);
};

TEST_P(StoreSeriesLimitTest, WhatIsBeyondItIsRejectedAndTheRestKept) {
  options_.series.max_series = 10;
  const auto store = MustOpen(options_);
  const auto outcome = WriteAndWait(*store, Request(0, 15, kTestNowMs));
  ASSERT_TRUE(outcome.ok()) << outcome.status();
  EXPECT_EQ(outcome->written_count, 20u);
  EXPECT_EQ(outcome->rejected_count, 10u);
  ASSERT_EQ(outcome->rejected.size(), 5u);
  for (const RejectedSeries& rejected : outcome->rejected) {
    EXPECT_TRUE(rejected.is_over_series_limit);
    EXPECT_EQ(rejected.sample_count, 2u);
    EXPECT_EQ(rejected.labels, Numbered(static_cast<int>(rejected.series_index)));
    EXPECT_EQ(rejected.reason,
              "the series is new, and the store has reached its limit of 10 series "
              "(--storage.max-series)");
  }
  EXPECT_EQ(store->stats().series_count, 10u);
  EXPECT_EQ(store->stats().max_series, 10u);

  // Known series still accept samples.
  const auto later = WriteAndWait(*store, Request(0, 15, kTestNowMs + 1000));
  ASSERT_TRUE(later.ok());
  EXPECT_EQ(later->written_count, 20u);
  EXPECT_EQ(later->rejected_count, 10u);
  EXPECT_EQ(store->stats().series_count, 10u);
}

TEST_P(StoreSeriesLimitTest, AJobHasNoMoreThanItsOwnLimit) {
  options_.series.max_series_per_job = 2;
  auto store = MustOpen(options_);
  WriteRequest request;
  for (int i = 0; i < 3; ++i) {
    request.series.push_back({Series("m", "noisy", i), {{kTestNowMs, 1}}, {}});
    request.series.push_back(
        {Series("m", absl::StrFormat("other%d", i), i), {{kTestNowMs, 1}}, {}});
  }
  const auto outcome = WriteAndWait(*store, request);
  ASSERT_TRUE(outcome.ok()) << outcome.status();
  ASSERT_EQ(outcome->rejected.size(), 1u);
  EXPECT_TRUE(outcome->rejected[0].is_over_series_limit);
  EXPECT_EQ(outcome->rejected[0].reason,
            "the series is new, and the job \"noisy\" has reached its limit of 2 "
            "series (--ingest.max-series-per-job)");
  ASSERT_TRUE(store->Close().ok());
  // Existing series count after a restart.
  store = MustOpen(options_);
  EXPECT_EQ(WriteAndWait(*store, request)->rejected.size(), 1u);
  store->SetSeriesLimits({.max_series_per_job = 3});
  EXPECT_EQ(WriteAndWait(*store, request)->rejected.size(), 0u);
}

TEST_P(StoreSeriesLimitTest, ASampleThatIsRejectedForItsTimeTakesNoRoom) {
  options_.series.max_series = 1;
  const auto store = MustOpen(options_);
  ASSERT_TRUE(WriteFloats(*store, Numbered(0), {{kTestNowMs + 2 * kMaxFutureMs, 1}}).ok());
  EXPECT_EQ(WriteFloats(*store, Numbered(1), {{kTestNowMs, 1}})->written_count, 1u);
}

TEST_P(StoreSeriesLimitTest, WritersAtTheSameTimeFillItExactly) {
  constexpr int kThreads = 4;
  constexpr int kSeriesPerThread = 300;
  options_.series.max_series = 500;
  const auto store = MustOpen(options_);
  std::atomic<uint64_t> rejected{0};
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      for (int i = 0; i < kSeriesPerThread; i += 10) {
        const auto outcome =
            WriteAndWait(*store, Request(thread * kSeriesPerThread + i, 10, kTestNowMs));
        ASSERT_TRUE(outcome.ok());
        rejected += outcome->rejected.size();
        EXPECT_LE(store->stats().series_count, 500u);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(store->stats().series_count, 500u);
  EXPECT_EQ(rejected, uint64_t{kThreads * kSeriesPerThread - 500});
}

TEST_P(StoreSeriesLimitTest, WhatIsKnownCountsAfterARestart) {
  auto store = MustOpen(options_);
  ASSERT_TRUE(WriteAndWait(*store, Request(0, 12, kTestNowMs)).ok());
  ASSERT_TRUE(store->Close().ok());
  options_.series.max_series = 10;
  store = MustOpen(options_);
  EXPECT_EQ(WriteAndWait(*store, Request(12, 1, kTestNowMs))->rejected.size(), 1u);
  EXPECT_EQ(WriteAndWait(*store, Request(0, 12, kTestNowMs + 1000))->rejected_count, 0u);
  ASSERT_TRUE(store->Close().ok());
  options_.series.max_series = 13;
  store = MustOpen(options_);
  EXPECT_EQ(WriteAndWait(*store, Request(12, 2, kTestNowMs))->rejected.size(), 1u);
  EXPECT_EQ(store->stats().series_count, 13u);
}

TEST_P(StoreSeriesLimitTest, SeriesThatLeaveMakeRoom) {
  options_.series.max_series = 10;
  options_.retention_ms = 24 * kHourMs;
  // Otherwise a shard may seal and drop its series before another one has looked for room.
  options_.head_age_ms = 100 * kHourMs;
  HandClock clock(options_);
  const auto store = MustOpen(options_);
  ASSERT_TRUE(WriteAndWait(*store, Request(0, 10, kTestNowMs)).ok());
  clock.Turn(30 * kHourMs);
  EXPECT_EQ(WriteAndWait(*store, Request(20, 10, kTestNowMs + 30 * kHourMs))->rejected.size(), 10u);
  ASSERT_TRUE(store->Seal().ok());
  ASSERT_TRUE(store->DropExpired().ok());
  EXPECT_EQ(store->stats().series_count, 0u);
  EXPECT_EQ(WriteAndWait(*store, Request(20, 11, kTestNowMs + 30 * kHourMs))->rejected.size(), 1u);
}

INSTANTIATE_TEST_SUITE_P(Shards, StoreSeriesLimitTest, testing::Values(1, 2, 7));

}  // namespace
}  // namespace lockstep
