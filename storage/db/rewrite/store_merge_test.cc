// Merging the runs of a window into one: what readers see meanwhile, what crashes leave, what it
// costs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "storage/db/rows/window.h"
#include "storage/db/store.h"
#include "storage/db/store_testing.h"
#include "storage/kv/faults/fault_env.h"
#include "storage/kv/key_schema.h"
#include "storage/kv/resources.h"
#include "storage/kv/store.h"
#include "tests/support/test_folder.h"

namespace lockstep {
namespace {

constexpr int kMergedSeries = 130;  // three blocks

// Writes some samples of each series, overwriting some of the previous round.
void WriteRound(Store& store, int64_t start_ms, int round) {
  WriteRequest request;
  for (int i = 0; i < kMergedSeries; ++i) {
    SeriesWrite write{Series("m", "train", i), {}, {}};
    for (int j = 0; j < 10; ++j) {
      write.samples.push_back({start_ms + (round * 8 + j) * 1000, round * 100.0 + i + j});
    }
    if (i % 2 == round % 2) request.series.push_back(std::move(write));
  }
  ASSERT_TRUE(WriteAndWait(store, std::move(request)).ok());
}

void WriteAndSealRounds(Store& store, int64_t start_ms, int round_count) {
  for (int round = 0; round < round_count; ++round) {
    WriteRound(store, start_ms, round);
    ASSERT_TRUE(store.Seal().ok());
  }
}

// The number of rows in a space of the only shard. The store must be closed.
int Rows(const StoreOptions& options, kv::Space space) {
  auto kv = kv::Store::Open(options.data_dir + "/shard-000", options.env,
                            std::make_shared<const kv::Resources>(kv::ResourceLimits{}));
  int count = 0;
  for (auto row = (*kv)->NewCursor(space, {}); row.Valid(); row.Next()) ++count;
  return count;
}

TEST(StoreMerge, SettlingMakesOneColdRunOfEachWindow) {
  TestFolder folder;
  StoreOptions options = TestOptions(folder);
  auto store = MustOpen(options);
  WriteAndSealRounds(*store, kTestNowMs, 5);
  WriteAndSealRounds(*store, kTestNowMs - 24 * kHourMs, 2);
  const std::string before = Dump(*store);
  EXPECT_EQ(store->stats().run_count, 7u);
  EXPECT_EQ(store->stats().window_count, 2u);
  EXPECT_EQ(store->stats().cold_window_count, 0u);
  ASSERT_TRUE(store->Settle().ok());
  EXPECT_EQ(store->stats().run_count, 2u);
  EXPECT_EQ(store->stats().cold_window_count, 2u);
  EXPECT_EQ(store->stats().merge_count, 2u);
  EXPECT_EQ(Dump(*store), before);
  ASSERT_TRUE(store->Close().ok());
  EXPECT_EQ(Rows(options, kv::Space::kHot), 0);
  EXPECT_EQ(Rows(options, kv::Space::kCold), 2 * 3);
  store = MustOpen(options);
  EXPECT_EQ(store->stats().run_count, 2u);
  EXPECT_EQ(Dump(*store), before);
}

TEST(StoreMerge, WhatComesLaterWinsOverWhatIsCold) {
  TestFolder folder;
  const StoreOptions options = TestOptions(folder);
  auto store = MustOpen(options);
  const LabelSet m = Series("m");
  ASSERT_TRUE(WriteFloats(*store, m, {{kTestNowMs - 1, 1}, {kTestNowMs, 1}}).ok());
  ASSERT_TRUE(store->Settle().ok());
  ASSERT_TRUE(WriteFloats(*store, m, {{kTestNowMs - 1, 2}, {kTestNowMs - 2, 2}}).ok());
  ASSERT_TRUE(WriteFloats(*store, Series("other"), {{kTestNowMs, 3}}).ok());
  const std::string before = Dump(*store);
  ASSERT_TRUE(store->Seal().ok());
  EXPECT_EQ(store->stats().run_count, 2u);
  EXPECT_EQ(Dump(*store), before);
  ASSERT_TRUE(store->Settle().ok());
  EXPECT_EQ(store->stats().run_count, 1u);
  EXPECT_EQ(Dump(*store), before);
  // A retry finds it there.
  EXPECT_EQ(WriteFloats(*store, m, {{kTestNowMs - 1, 2}})->duplicate_count, 1u);
  ASSERT_TRUE(store->Close().ok());
  EXPECT_EQ(Dump(*MustOpen(options)), before);
}

TEST(StoreMerge, ABlockLargerThanABatchIsMerged) {
  TestFolder folder;
  const StoreOptions options = TestOptions(folder);
  auto store = MustOpen(options);
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 8; ++i) {
      std::vector<Sample> samples;
      for (int j = 0; j < 120'000; ++j) {
        // Noise, because otherwise a block of this many samples would not be large.
        const uint64_t noise = static_cast<uint64_t>(i + j + round) * 0x9e3779b97f4a7c15u;
        samples.push_back({kTestNowMs - 100 * j, static_cast<double>(noise)});
      }
      ASSERT_TRUE(WriteFloats(*store, Series("m", "train", i), samples).ok());
    }
    ASSERT_TRUE(store->Seal().ok());
  }
  const std::string before = Dump(*store);
  ASSERT_TRUE(store->Settle().ok());
  EXPECT_GT(store->stats().merge_written_bytes, uint64_t{4} << 20);
  EXPECT_LT(store->stats().merge_written_bytes, store->stats().merge_read_bytes * 2 / 3);
  EXPECT_TRUE(Dump(*store) == before);
}

// The bytes that reach files when so many windows, sealed at once, become cold.
uint64_t BytesToSettle(int window_count) {
  TestFolder folder;
  StoreOptions options = TestOptions(folder);
  const auto env = kv::FaultEnv::Make();
  options.env = env;
  const auto store = MustOpen(options);
  for (int window = 0; window < window_count; ++window) {
    std::vector<Sample> samples;
    for (int i = 0; i < 4000; ++i) {
      const uint64_t noise = static_cast<uint64_t>(window * 4000 + i) * 0x9e3779b97f4a7c15u;
      samples.push_back({kTestNowMs - window * kWindowMs - i, static_cast<double>(noise)});
    }
    EXPECT_TRUE(WriteFloats(*store, Series("m"), std::move(samples)).ok());
  }
  EXPECT_TRUE(store->Seal().ok());
  const uint64_t before = env->appended_bytes();
  EXPECT_TRUE(store->Settle().ok());
  EXPECT_EQ(store->stats().cold_window_count, static_cast<uint64_t>(window_count));
  return env->appended_bytes() - before;
}

TEST(StoreMerge, ABacklogOfWindowsIsWrittenInProportionToItsSize) {
  EXPECT_LT(BytesToSettle(64), 3 * BytesToSettle(32));
}

TEST(StoreMerge, AQuerierKeepsItsMomentWhileRowsMove) {
  TestFolder folder;
  const auto store = MustOpen(TestOptions(folder));
  WriteAndSealRounds(*store, kTestNowMs, 3);
  const std::string before = Dump(*store);
  const auto querier = store->NewQuerier();
  ASSERT_TRUE(store->Settle().ok());
  WriteAndSealRounds(*store, kTestNowMs + 1000, 1);
  ASSERT_TRUE(store->Settle().ok());
  EXPECT_EQ(Dump(**querier), before);
}

// Readers at any moment find every sample once.
TEST(StoreMerge, ReadersNeverSeeTheMove) {
  TestFolder folder;
  const auto store = MustOpen(TestOptions(folder));
  WriteAndSealRounds(*store, kTestNowMs, 6);
  const std::string before = Dump(*store);
  std::atomic<bool> done = false;
  std::jthread merger([&] {
    EXPECT_TRUE(store->Settle().ok());
    done = true;
  });
  while (!done) ASSERT_EQ(Dump(*store), before);
  ASSERT_EQ(Dump(*store), before);
}

// The keeper merges by itself.
TEST(StoreMerge, AWindowThatEndedGoesCold) {
  TestFolder folder;
  StoreOptions options = TestOptions(folder);
  std::atomic<int64_t> now_ms = kTestNowMs;
  options.now_ms = [&now_ms] { return now_ms.load(); };
  options.monotonic_ms = options.now_ms;
  auto store = MustOpen(options);
  WriteAndSealRounds(*store, kTestNowMs, 3);
  const std::string before = Dump(*store);
  EXPECT_EQ(store->stats().merge_count, 0u);
  now_ms = RangeOfWindow(WindowOf(kTestNowMs)).max_ms + kHourMs + 1;
  while (store->stats().cold_window_count == 0) std::this_thread::yield();
  EXPECT_EQ(store->stats().run_count, 1u);
  EXPECT_EQ(Dump(*store), before);
}

TEST(StoreMerge, ManyHotRunsAreMergedByThemselves) {
  TestFolder folder;
  const auto store = MustOpen(TestOptions(folder));
  WriteAndSealRounds(*store, kTestNowMs, 9);
  const std::string before = Dump(*store);
  while (store->stats().merge_count == 0) std::this_thread::yield();
  EXPECT_LE(store->stats().run_count, 2u);
  EXPECT_EQ(store->stats().cold_window_count, 0u);
  EXPECT_EQ(Dump(*store), before);
}

// Whichever change of a file fails first during a merge, and then the power fails. To save time,
// only every third change is tried, with one tail.
class StoreMergeFaults : public ::testing::TestWithParam<kv::UnsyncedTail> {};

TEST_P(StoreMergeFaults, NothingIsLostWhicheverWriteFails) {
  constexpr uint64_t kStride = 3;
  uint64_t change_count = kStride;
  for (uint64_t n = 1 + static_cast<uint64_t>(GetParam()); n <= change_count; n += kStride) {
    const std::string when = "change " + std::to_string(n) + " of " + std::to_string(change_count);
    TestFolder folder;
    StoreOptions options = TestOptions(folder);
    const auto env = kv::FaultEnv::Make();
    options.env = env;
    auto store = MustOpen(options);
    WriteAndSealRounds(*store, kTestNowMs, 3);
    ASSERT_TRUE(store->Settle().ok()) << when;
    WriteAndSealRounds(*store, kTestNowMs + 1000, 2);
    const std::string before = Dump(*store);
    const uint64_t changes_before = env->change_count();
    if (change_count == kStride) {
      ASSERT_TRUE(store->Settle().ok());
      change_count = env->change_count() - changes_before;
      ASSERT_GT(change_count, 10u);
      continue;
    }
    env->FailFrom(n);
    (void)store->Settle();
    EXPECT_EQ(Dump(*store), before) << when;
    env->CutPower();
    store = nullptr;
    ASSERT_TRUE(env->RestorePower(GetParam()).ok());
    store = MustOpen(options);
    EXPECT_EQ(Dump(*store), before) << when;
    ASSERT_TRUE(store->Settle().ok()) << when;
    EXPECT_EQ(store->stats().run_count, 1u) << when;
    EXPECT_EQ(Dump(*store), before) << when;
    ASSERT_TRUE(store->Close().ok());
    store = nullptr;
    EXPECT_EQ(Rows(options, kv::Space::kCold), 3) << when;
    EXPECT_EQ(Rows(options, kv::Space::kHot), 0) << when;
  }
}

INSTANTIATE_TEST_SUITE_P(Tails, StoreMergeFaults,
                         ::testing::Values(kv::UnsyncedTail::kLost, kv::UnsyncedTail::kTorn,
                                           kv::UnsyncedTail::kZeroed));

}  // namespace
}  // namespace lockstep
