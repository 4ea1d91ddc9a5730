// A store whose wall clock is wrong, or seems wrong: no stored sample is lost, no honest one is
// refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/db/retention/clock_record.h"
#include "storage/db/rows/window.h"
#include "storage/db/store_testing.h"
#include "storage/kept_rows.h"
#include "storage/kv/key_schema.h"
#include "tests/support/test_folder.h"

namespace lockstep {
namespace {

class StoreClock : public ::testing::TestWithParam<uint32_t> {
 protected:
  static constexpr int64_t kMinuteMs = kHourMs / 60;
  static constexpr int64_t kDayMs = 24 * kHourMs;
  static constexpr int64_t kYearMs = 365 * kDayMs;

  StoreClock() {
    options_.shard_count = GetParam();
    RetentionRule rule;
    rule.metric = Matcher::Equal(std::string(kMetricName), "short");
    rule.keep_ms = 4 * kDayMs;
    options_.retention_rules = {rule};
    store_ = MustOpen(options_);
    for (int day = 14; day >= 0; --day) Write(clock_.now_ms() - day * kDayMs, 3);
    EXPECT_TRUE(store_->Seal().ok());
    Write(clock_.now_ms() - kMinuteMs, 3);  // in memory
    all_ = Dump(*store_);
  }

  // Writes this many series of each metric; `at_ms` is the time of the sender's clock.
  void Write(int64_t at_ms, int series_count = 1) {
    for (int i = 0; i < series_count; ++i) {
      const auto kept = WriteFloats(*store_, Series("m", "job" + std::to_string(i)), {{at_ms, 1}});
      ASSERT_TRUE(kept.ok()) << kept.status();
      EXPECT_EQ(kept->rejected_count, 0u) << kept->rejected.front().reason;
      if (at_ms < clock_.now_ms() - 3 * kDayMs) continue;
      ASSERT_TRUE(
          WriteFloats(*store_, Series("short", "job" + std::to_string(i)), {{at_ms, 1}}).ok());
    }
  }
  void Reopen() {
    ASSERT_TRUE(store_->Close().ok());
    store_ = nullptr;
    store_ = MustOpen(options_);
  }
  // Time passes while the store is open.
  void Pass(int64_t ms) {
    for (; ms > 0; ms -= kMinuteMs) {
      clock_.Turn(kMinuteMs);
      ASSERT_TRUE(store_->NewQuerier().ok());
    }
  }
  // Drops what the store would drop by itself, and expects that nothing is lost.
  void ExpectAll() {
    ASSERT_TRUE(store_->DropExpired().ok());
    EXPECT_EQ(Dump(*store_), all_);
    EXPECT_EQ(store_->stats().expired_samples, 0u);
  }
  bool IsTrusted() const { return store_->stats().clock_is_trusted; }

  TestFolder folder_;
  StoreOptions options_ = TestOptions(folder_);
  HandClock clock_{options_};
  std::unique_ptr<Store> store_;
  std::string all_;
};

TEST_P(StoreClock, LeapsForTwoSecondsDropNothingAndRefuseNothing) {
  for (const int64_t leap : {30 * kDayMs, -30 * kDayMs, -20 * kYearMs, 50 * kYearMs}) {
    clock_.Leap(leap);
    ExpectAll();
    clock_.Turn(2000);
    EXPECT_FALSE(IsTrusted());
    EXPECT_EQ(store_->stats().clock_offset_seconds, static_cast<double>(leap) / 1000);
    Write(clock_.now_ms() - leap);
    all_ = Dump(*store_);
    ExpectAll();
    clock_.Leap(-leap);
    EXPECT_TRUE(IsTrusted());
    EXPECT_EQ(store_->stats().clock_offset_seconds, 0);
    ExpectAll();
  }
  Reopen();
  ExpectAll();
}

TEST_P(StoreClock, RetentionGoesOnWithTheTimeThatItBelieves) {
  clock_.Leap(30 * kDayMs);
  EXPECT_FALSE(IsTrusted());
  clock_.Turn(13 * kDayMs);
  Write(clock_.now_ms() - 30 * kDayMs);
  ASSERT_TRUE(store_->DropExpired().ok());
  EXPECT_EQ(store_->stats().min_time_ms, kTestNowMs - 2 * kDayMs);
  const auto refused = WriteFloats(*store_, Series("m"), {{kTestNowMs - 3 * kDayMs, 1}});
  EXPECT_THAT(refused->rejected.front().reason, ::testing::HasSubstr("older than the retention"));
}

TEST_P(StoreClock, ALeapForGoodIsBelievedAfterADay) {
  clock_.Leap(30 * kDayMs);
  Pass(kDayMs - kMinuteMs);
  EXPECT_FALSE(IsTrusted());
  EXPECT_NE(Dump(*store_), "");
  Pass(2 * kMinuteMs);
  EXPECT_TRUE(IsTrusted());
  EXPECT_EQ(Dump(*store_), "");
  ASSERT_TRUE(store_->Seal().ok());
  ASSERT_TRUE(store_->DropExpired().ok());
  EXPECT_EQ(store_->stats().series_count, 0u);
  EXPECT_GT(store_->stats().expired_samples, 0u);
}

// A server with a wrong clock scrapes or evaluates rules: that proves nothing. Senders know better.
TEST_P(StoreClock, SendersKeepALeapFromBeingBelieved) {
  clock_.Leap(30 * kDayMs);
  for (int hour = 0; hour < 3 * 24; ++hour) {
    Pass(kHourMs);
    Write(clock_.now_ms() - 30 * kDayMs);
    ASSERT_TRUE(WriteFloats(*store_, Series("scraped"), {{clock_.now_ms(), 1}}).ok());
    ASSERT_FALSE(IsTrusted()) << hour;
  }
}

TEST_P(StoreClock, AClockThatWasSetBackRefusesNobodyHoweverLong) {
  clock_.Leap(-20 * kYearMs);
  for (int day = 0; day < 3; ++day) {
    ExpectAll();
    Pass(kDayMs);
    ASSERT_TRUE(WriteFloats(*store_, Series("scraped"), {{clock_.now_ms(), 1}}).ok());
    Write(clock_.now_ms() + 20 * kYearMs);
    all_ = Dump(*store_);
    EXPECT_TRUE(IsTrusted()) << day;
  }
}

TEST_P(StoreClock, AStartAheadDropsNothing) {
  clock_.Turn(kMinuteMs);
  clock_.Leap(30 * kDayMs);
  Reopen();
  ExpectAll();
  EXPECT_FALSE(IsTrusted());
  Write(clock_.now_ms() - 30 * kDayMs);
  all_ = Dump(*store_);
  clock_.Leap(-30 * kDayMs);
  Reopen();
  ExpectAll();
  EXPECT_TRUE(IsTrusted());
}

TEST_P(StoreClock, AfterMonthsTheOldIsThereForADayAndTheNewIsTaken) {
  clock_.Leap(182 * kDayMs);
  Reopen();
  ExpectAll();
  for (int hour = 0; hour < 24; ++hour) {
    EXPECT_FALSE(IsTrusted()) << hour;
    Write(clock_.now_ms());
    Pass(kHourMs);
  }
  EXPECT_TRUE(IsTrusted());
  ASSERT_TRUE(store_->Seal().ok());
  ASSERT_TRUE(store_->DropExpired().ok());
  EXPECT_GE(store_->stats().min_time_ms, clock_.now_ms() - kDayMs - kWindowMs);
}

TEST_P(StoreClock, AStoreWithoutTheRecordGoesByItsNewestSample) {
  ASSERT_TRUE(store_->Close().ok());
  store_ = nullptr;
  {
    const auto kv = kv::Store::Open(options_.data_dir + "/shard-000", options_.env,
                                    std::make_shared<const kv::Resources>(kv::ResourceLimits{}));
    ASSERT_TRUE(kv.ok());
    EXPECT_TRUE((*ReadClockRecord(**kv)).has_value());
    kv::Batch batch = (*kv)->NewBatch();
    batch.Delete(kv::Space::kMeta, kv::EncodeKeptKey(static_cast<char>(KeptKind::kClock), 0));
    ASSERT_TRUE((*kv)->Commit(batch, kv::Durability::kSynced).ok());
    ASSERT_TRUE((*kv)->Close().ok());
  }
  clock_.Leap(30 * kDayMs);
  store_ = MustOpen(options_);
  ExpectAll();
  EXPECT_FALSE(IsTrusted());
  clock_.Leap(-30 * kDayMs);
  EXPECT_TRUE(IsTrusted());
  ExpectAll();
}

TEST_P(StoreClock, AStoreThatOnlyReadsBelievesItsClock) {
  ASSERT_TRUE(store_->Close().ok());
  store_ = nullptr;
  clock_.Leap(182 * kDayMs);
  options_.read_only = true;
  store_ = MustOpen(options_);
  EXPECT_TRUE(IsTrusted());
  EXPECT_EQ(Dump(*store_), all_);
}

// Samples of a wrong clock do not make an honest window old.
TEST_P(StoreClock, TheBudgetLeavesTheWindowOfTheBelievedTime) {
  ASSERT_TRUE(store_->Close().ok());
  store_ = nullptr;
  options_.max_bytes = 1;
  store_ = MustOpen(options_);
  for (const int64_t leap : {30 * kDayMs, -20 * kYearMs}) {
    clock_.Leap(leap);
    if (leap > 0) Write(clock_.now_ms());
    ASSERT_TRUE(store_->KeepWithinBudget().ok());
    EXPECT_EQ(WindowOf(store_->stats().min_time_ms), WindowOf(kTestNowMs));
    clock_.Leap(-leap);
  }
}

// What a believed leap hides comes back with the clock, so an answer from before may have less.
TEST_P(StoreClock, WhatALeapHadHiddenIsNotUnchanged) {
  clock_.Leap(30 * kDayMs);
  Pass(kDayMs + kMinuteMs);
  ASSERT_TRUE(IsTrusted());
  const int64_t oldest_visible_ms = clock_.now_ms() - 4 * kDayMs;
  const uint64_t count = store_->change_count();
  // The keeper may drop or seal something meanwhile; then nothing counts as unchanged.
  const auto is_hidden_left_out = [&] {
    const TimeRange unchanged = store_->UnchangedSince(count);
    return unchanged.max_ms < unchanged.min_ms || unchanged.min_ms >= oldest_visible_ms;
  };
  EXPECT_TRUE(is_hidden_left_out());
  clock_.Leap(-30 * kDayMs);
  ASSERT_NE(Dump(*store_), "");
  EXPECT_TRUE(is_hidden_left_out());
}

// By the record that it wrote last: a stop of twenty days would be doubted.
TEST_P(StoreClock, AStoreThatWasClosedKnowsWhatTimeItWas) {
  clock_.Turn(20 * kDayMs);
  Reopen();
  EXPECT_TRUE(IsTrusted());
}

INSTANTIATE_TEST_SUITE_P(Shards, StoreClock, ::testing::Values(1, 2));

}  // namespace
}  // namespace lockstep
