#include "storage/db/series_limit.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "absl/strings/str_format.h"
#include "storage/db/dictionary.h"
#include "storage/db/store_testing.h"
#include "storage/kv/test_folder.h"

namespace lockstep {
namespace {

TEST(SeriesLimitTest, TakesAsManyAsItSays) {
  SeriesLimit limit(2);
  EXPECT_TRUE(limit.Take());
  EXPECT_TRUE(limit.Take());
  EXPECT_FALSE(limit.Take());
  limit.GiveBack(1);
  EXPECT_TRUE(limit.Take());
  limit.Add();  // that was there before the limit
  limit.GiveBack(1);
  EXPECT_FALSE(limit.Take());
}

TEST(SeriesLimitTest, WhatIsRolledBackLeavesRoom) {
  const auto limit = std::make_shared<SeriesLimit>(1);
  Dictionary dictionary(limit);
  EXPECT_TRUE(dictionary.StageNew(Series("a")).has_value());
  EXPECT_FALSE(dictionary.StageNew(Series("b")).has_value());
  dictionary.RollbackStaged();
  EXPECT_TRUE(dictionary.StageNew(Series("b")).has_value());
  dictionary.CommitStaged();
  dictionary.RollbackStaged();
  EXPECT_EQ(limit->count(), 1u);
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

  kv::TestFolder folder_;
  StoreOptions options_ = TestOptions(folder_);
};

TEST_P(StoreSeriesLimitTest, WhatIsBeyondItIsRejectedAndTheRestKept) {
  options_.max_series = 10;
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
              "the series is new, and the store has its limit of 10 series "
              "(--storage.max-series)");
  }
  EXPECT_EQ(store->stats().series_count, 10u);
  EXPECT_EQ(store->stats().max_series, 10u);

  // Known ones go on.
  const auto later = WriteAndWait(*store, Request(0, 15, kTestNowMs + 1000));
  ASSERT_TRUE(later.ok());
  EXPECT_EQ(later->written_count, 20u);
  EXPECT_EQ(later->rejected_count, 10u);
  EXPECT_EQ(store->stats().series_count, 10u);
}

TEST_P(StoreSeriesLimitTest, ASampleThatIsRejectedForItsTimeTakesNoRoom) {
  options_.max_series = 1;
  const auto store = MustOpen(options_);
  ASSERT_TRUE(WriteFloats(*store, Numbered(0), {{kTestNowMs + 2 * kMaxFutureMs, 1}}).ok());
  EXPECT_EQ(WriteFloats(*store, Numbered(1), {{kTestNowMs, 1}})->written_count, 1u);
}

TEST_P(StoreSeriesLimitTest, WritersAtTheSameTimeFillItExactly) {
  constexpr int kThreads = 4;
  constexpr int kSeriesPerThread = 300;
  options_.max_series = 500;
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
  options_.max_series = 10;
  store = MustOpen(options_);
  EXPECT_EQ(WriteAndWait(*store, Request(12, 1, kTestNowMs))->rejected.size(), 1u);
  EXPECT_EQ(WriteAndWait(*store, Request(0, 12, kTestNowMs + 1000))->rejected_count, 0u);
  ASSERT_TRUE(store->Close().ok());
  options_.max_series = 13;
  store = MustOpen(options_);
  EXPECT_EQ(WriteAndWait(*store, Request(12, 2, kTestNowMs))->rejected.size(), 1u);
  EXPECT_EQ(store->stats().series_count, 13u);
}

TEST_P(StoreSeriesLimitTest, SeriesThatLeaveMakeRoom) {
  options_.max_series = 10;
  options_.retention_ms = 24 * kHourMs;
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
