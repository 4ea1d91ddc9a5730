#include "storage/db/disk_budget.h"

#include <gtest/gtest.h>

#include <random>

#include "absl/strings/str_format.h"
#include "storage/db/rows/window.h"
#include "storage/db/store_testing.h"
#include "tests/support/test_folder.h"

namespace lockstep {
namespace {

constexpr int32_t kNow = 100;

TEST(WindowToDropTest, TheOldestButNotTheOneThatIsBeingWritten) {
  EXPECT_EQ(WindowToDrop(std::nullopt, kNow), std::nullopt);
  EXPECT_EQ(WindowToDrop(WindowSpan{98, kNow}, kNow), 98);
  EXPECT_EQ(WindowToDrop(WindowSpan{99, kNow + 6}, kNow), 99);
  EXPECT_EQ(WindowToDrop(WindowSpan{kNow, kNow}, kNow), std::nullopt);
  // A sender whose clock is ahead sends samples of the future: that is no reason to drop the
  // present.
  EXPECT_EQ(WindowToDrop(WindowSpan{kNow, kNow + 6}, kNow), std::nullopt);
  // Only backfill of old times.
  EXPECT_EQ(WindowToDrop(WindowSpan{40, 41}, kNow), 40);
  EXPECT_EQ(WindowToDrop(WindowSpan{40, 40}, kNow), std::nullopt);
}

constexpr int kWindowCount = 5;
const int32_t kNewest = WindowOf(kTestNowMs);

// Compares without printing the samples in the message.
void ExpectSame(const std::string& dump, const std::string& expected) {
  EXPECT_TRUE(dump == expected) << dump.size() << " bytes instead of " << expected.size();
}

TimeRange FromWindow(int32_t window) { return {RangeOfWindow(window).min_ms, INT64_MAX}; }

// Writes samples that no codec makes small, for every series in one window.
void WriteWindow(Store& store, int32_t window, int sample_count) {
  std::mt19937_64 random(static_cast<uint64_t>(window));
  std::uniform_real_distribution<double> values(0, 1);
  WriteRequest request;
  for (int job = 0; job < 20; ++job) {
    for (int rank = 0; rank < 5; ++rank) {
      std::vector<Sample> samples;
      for (int i = 0; i < sample_count; ++i) {
        samples.push_back({RangeOfWindow(window).min_ms + 1000 * i, values(random)});
      }
      request.series.push_back(
          {Series("m", absl::StrFormat("job%d", job), rank), std::move(samples), {}});
    }
  }
  ASSERT_TRUE(WriteAndWait(store, std::move(request)).ok());
}

class DiskBudgetTest : public testing::TestWithParam<uint32_t> {
 protected:
  void SetUp() override {
    options_.shard_count = GetParam();
    // The size of a key range in a table is only known to the block: each window of a shard has
    // many blocks.
    samples_per_series_ = 100 * static_cast<int>(GetParam());
  }

  // Writes all windows, closes the store, and returns its size.
  uint64_t WriteAll() {
    const auto store = MustOpen(options_);
    for (int i = kWindowCount; i-- > 0;) {
      WriteWindow(*store, kNewest - i, samples_per_series_);
      EXPECT_TRUE(store->Seal().ok());
    }
    all_ = Dump(*store);
    window_bytes_ = store->stats().sealed_bytes / kWindowCount;
    EXPECT_TRUE(store->Settle().ok());
    const uint64_t byte_count = store->stats().used_bytes;
    EXPECT_TRUE(store->Close().ok());
    return byte_count;
  }
  // Sets a budget that is about three windows too small.
  void WriteTooMuch() { options_.max_bytes = WriteAll() - 5 * window_bytes_ / 2; }

  TestFolder folder_;
  StoreOptions options_ = TestOptions(folder_);
  std::string all_;
  uint64_t window_bytes_ = 0;
  int samples_per_series_ = 0;
};

TEST_P(DiskBudgetTest, WhatIsLeftIsTheNewerWindows) {
  WriteTooMuch();
  auto store = MustOpen(options_);
  const std::string newer = Dump(*store, FromWindow(kNewest - 1));
  ExpectSame(Dump(*store), all_);
  EXPECT_EQ(store->stats().max_bytes, options_.max_bytes);

  ASSERT_TRUE(store->KeepWithinBudget().ok());
  ExpectSame(Dump(*store), newer);
  EXPECT_EQ(store->stats().budget_dropped_samples, uint64_t{3} * 100 * samples_per_series_);
  EXPECT_EQ(store->stats().expired_samples, 0u);
  EXPECT_LE(store->stats().used_bytes, options_.max_bytes);

  ASSERT_TRUE(store->KeepWithinBudget().ok());
  ExpectSame(Dump(*store), newer);
  ASSERT_TRUE(store->Close().ok());
  store = MustOpen(options_);
  ASSERT_TRUE(store->KeepWithinBudget().ok());
  ExpectSame(Dump(*store), newer);
  EXPECT_EQ(store->stats().budget_dropped_samples, 0u);
}

TEST_P(DiskBudgetTest, NoSecondWindowGoesForBytesThatAReaderHolds) {
  WriteTooMuch();
  auto store = MustOpen(options_);
  const std::string newer = Dump(*store, FromWindow(kNewest - 1));
  auto querier = store->NewQuerier();
  ASSERT_TRUE(querier.ok());
  const std::vector<Matcher> none;
  auto reading = (*querier)->Select({none, {INT64_MIN, INT64_MAX}, nullptr});
  ASSERT_TRUE(reading.ok());
  ASSERT_TRUE((*reading)->Next());

  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(store->KeepWithinBudget().ok());
    ExpectSame(Dump(*store), newer);
  }
  EXPECT_LE(store->stats().used_bytes, options_.max_bytes);
  EXPECT_GT(store->stats().disk_bytes, options_.max_bytes);
  EXPECT_EQ(store->stats().budget_dropped_samples, uint64_t{3} * 100 * samples_per_series_);
  // The reader sees its snapshot.
  ExpectSame(Dump(**querier), all_);
}

TEST_P(DiskBudgetTest, TheNewestWindowStaysHoweverLargeItIs) {
  WriteAll();
  options_.max_bytes = 1;
  const auto store = MustOpen(options_);
  const std::string newest = Dump(*store, FromWindow(kNewest));
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(store->KeepWithinBudget().ok());
    ExpectSame(Dump(*store), newest);
  }
}

TEST_P(DiskBudgetTest, SamplesInMemoryGoWithTheirWindow) {
  options_.max_bytes = 1;
  const auto store = MustOpen(options_);
  for (int i = kWindowCount; i-- > 0;) WriteWindow(*store, kNewest - i, samples_per_series_);
  const std::string newest = Dump(*store, FromWindow(kNewest));
  ASSERT_TRUE(store->KeepWithinBudget().ok());
  ExpectSame(Dump(*store), newest);
  ASSERT_TRUE(store->Seal().ok());
  ExpectSame(Dump(*store), newest);
}

TEST_P(DiskBudgetTest, ADroppedWindowTakesLateSamples) {
  WriteTooMuch();
  const auto store = MustOpen(options_);
  ASSERT_TRUE(store->KeepWithinBudget().ok());
  const int64_t late_ms = RangeOfWindow(kNewest - 4).min_ms;
  const auto outcome = WriteFloats(*store, Series("m", "job3", 1), {{late_ms, 1}});
  ASSERT_TRUE(outcome.ok()) << outcome.status();
  EXPECT_EQ(outcome->written_count, 1u);
  ASSERT_TRUE(store->KeepWithinBudget().ok());
  EXPECT_EQ(store->stats().min_time_ms, late_ms);
}

TEST_P(DiskBudgetTest, SnapshotsAreNotCounted) {
  const uint64_t byte_count = WriteAll();
  options_.max_bytes = byte_count + byte_count / 10;
  const auto store = MustOpen(options_);
  ASSERT_TRUE(store->Snapshot().ok());
  ASSERT_TRUE(store->Snapshot().ok());
  EXPECT_GT(store->stats().disk_bytes, 2 * byte_count);
  ASSERT_TRUE(store->KeepWithinBudget().ok());
  ExpectSame(Dump(*store), all_);
}

TEST(DiskBudgetReadOnlyTest, AStoreThatOnlyReadsDropsNothing) {
  TestFolder folder;
  StoreOptions options = TestOptions(folder);
  ASSERT_TRUE(MustOpen(options)->Close().ok());
  options.read_only = true;
  options.max_bytes = 1;
  EXPECT_TRUE(absl::IsPermissionDenied(MustOpen(options)->KeepWithinBudget()));
}

INSTANTIATE_TEST_SUITE_P(Shards, DiskBudgetTest, testing::Values(1, 2, 7));

}  // namespace
}  // namespace lockstep
