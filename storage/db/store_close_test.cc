// What a clean stop leaves behind, and a stop that cannot do its work.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "storage/db/store.h"
#include "storage/db/store_testing.h"
#include "storage/kv/faults/fault_env.h"
#include "storage/kv/key_schema.h"
#include "storage/kv/resources.h"
#include "storage/kv/store.h"
#include "tests/support/test_folder.h"

namespace lockstep {
namespace {

constexpr int kRankCount = 50;
constexpr int kSampleCount = 20;

void Fill(Store& store, int64_t to_ms) {
  for (int rank = 0; rank < kRankCount; ++rank) {
    std::vector<Sample> samples;
    for (int i = 0; i < kSampleCount; ++i) samples.push_back({to_ms - 1000 * i, 0.5 * i + rank});
    ASSERT_TRUE(WriteFloats(store, Series("m", "train", rank), samples).ok());
  }
}

int JournalBlocks(const StoreOptions& options) {
  auto kv = kv::Store::Open(options.data_dir + "/shard-000", options.env,
                            std::make_shared<const kv::Resources>(kv::ResourceLimits{}));
  int count = 0;
  for (auto row = (*kv)->NewCursor(kv::Space::kJournal, kv::JournalKeysFrom(0)); row.Valid();
       row.Next()) {
    ++count;
  }
  return count;
}

TEST(StoreClose, LeavesNothingToReplay) {
  TestFolder folder;
  const StoreOptions options = TestOptions(folder);
  auto store = MustOpen(options);
  Fill(*store, kTestNowMs);
  const std::string before = Dump(*store);
  ASSERT_TRUE(store->Close().ok());
  EXPECT_EQ(JournalBlocks(options), 0);
  store = MustOpen(options);
  EXPECT_EQ(store->stats().head_sample_count, 0u);
  EXPECT_EQ(Dump(*store), before);
}

TEST(StoreClose, LeavesLittleBesidesSamples) {
  TestFolder folder;
  const StoreOptions options = TestOptions(folder);
  auto store = MustOpen(options);
  Fill(*store, kTestNowMs);
  ASSERT_TRUE(store->Close().ok());
  constexpr uint64_t kBytesOfAnEmptyStore = 8000;
  EXPECT_LT(*options.env->FolderBytes(options.data_dir),
            kBytesOfAnEmptyStore + kRankCount * kSampleCount * 6);
}

TEST(StoreClose, OutOfPatienceLeavesTheJournal) {
  TestFolder folder;
  StoreOptions options = TestOptions(folder);
  options.close_patience = std::chrono::milliseconds(0);
  auto store = MustOpen(options);
  Fill(*store, kTestNowMs);
  const std::string before = Dump(*store);
  ASSERT_TRUE(store->Close().ok());
  EXPECT_GT(JournalBlocks(options), 0);
  store = MustOpen(options);
  EXPECT_EQ(store->stats().head_sample_count, uint64_t{kRankCount} * kSampleCount);
  EXPECT_EQ(Dump(*store), before);
}

TEST(StoreClose, AFullDiskLeavesTheJournal) {
  TestFolder folder;
  StoreOptions options = TestOptions(folder);
  const auto env = kv::FaultEnv::Make();
  options.env = env;
  auto store = MustOpen(options);
  Fill(*store, kTestNowMs);
  const std::string before = Dump(*store);
  env->SetFull(true);
  (void)store->Close();
  store = nullptr;
  env->SetFull(false);
  store = MustOpen(options);
  EXPECT_EQ(store->stats().head_sample_count, uint64_t{kRankCount} * kSampleCount);
  EXPECT_EQ(Dump(*store), before);
}

// Whichever change of a file fails first during the close; to save time, only every third is tried.
TEST(StoreClose, LosesNothingWhicheverWriteFails) {
  uint64_t change_count = 1;
  for (uint64_t n = 1; n <= change_count; n += 3) {
    const std::string when = "change " + std::to_string(n) + " of " + std::to_string(change_count);
    TestFolder folder;
    StoreOptions options = TestOptions(folder);
    const auto env = kv::FaultEnv::Make();
    options.env = env;
    auto store = MustOpen(options);
    Fill(*store, kTestNowMs);
    const std::string before = Dump(*store);
    const uint64_t count_before = env->change_count();
    env->FailFrom(n);
    (void)store->Close();
    if (n == 1) {
      // The number of changes that an undisturbed close makes.
      store = nullptr;
      env->Heal();
      store = MustOpen(options);
      Fill(*store, kTestNowMs + 1'000'000);
      const uint64_t count = env->change_count();
      ASSERT_TRUE(store->Close().ok());
      change_count = env->change_count() - count;
      ASSERT_GT(change_count, 5u);
      continue;
    }
    EXPECT_GT(env->change_count(), count_before) << when;
    env->CutPower();
    store = nullptr;
    ASSERT_TRUE(env->RestorePower(kv::UnsyncedTail::kTorn).ok());
    store = MustOpen(options);
    EXPECT_EQ(Dump(*store), before) << when;
  }
}

TEST(StoreClose, SealsAllShardsAtOnce) {
  TestFolder folder;
  StoreOptions options = TestOptions(folder);
  options.shard_count = 7;
  auto store = MustOpen(options);
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(
        WriteFloats(*store, Series("m", "job" + std::to_string(i)), {{kTestNowMs, 1}}).ok());
  }
  const std::string before = Dump(*store);
  ASSERT_TRUE(store->Close().ok());
  store = MustOpen(options);
  EXPECT_EQ(store->stats().head_sample_count, 0u);
  EXPECT_EQ(Dump(*store), before);
}

}  // namespace
}  // namespace lockstep
