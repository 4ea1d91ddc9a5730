// What a store's keepers do by themselves.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "storage/db/layout/store_layout.h"
#include "storage/db/rows/window.h"
#include "storage/db/store_testing.h"
#include "storage/kv/faults/fault_env.h"
#include "storage/kv/key_schema.h"
#include "storage/kv/store.h"
#include "tests/support/test_folder.h"

namespace lockstep {
namespace {

class StoreKeeper : public ::testing::Test {
 protected:
  void Open() { store_ = MustOpen(options_); }
  void Write(const LabelSet& labels, std::vector<Sample> samples) {
    const auto outcome = WriteFloats(*store_, labels, std::move(samples));
    ASSERT_TRUE(outcome.ok()) << outcome.status();
    ASSERT_EQ(outcome->rejected_count, 0u);
  }
  // Lets time pass, and wakes the keeper instead of waiting for its next look.
  void Turn(int64_t by_ms) {
    clock_.Turn(by_ms);
    Write(Series("wake"), {{clock_.now_ms(), 1}});
    ASSERT_TRUE(store_->Seal().ok());
  }
  // Returns when the keeper has looked whether there is something to merge: it writes the time of
  // its clock afterwards, once a minute.
  void WaitForLook() {
    const uint64_t changes = env_->change_count();
    clock_.Turn(kHourMs / 60);
    while (env_->change_count() == changes) std::this_thread::yield();
  }
  std::unique_ptr<kv::Store> CloseAndOpenRows(size_t shard) {
    EXPECT_TRUE(store_->Close().ok());
    store_ = nullptr;
    return *kv::Store::Open(ShardFolder(options_.data_dir, shard), env_,
                            std::make_shared<const kv::Resources>(kv::ResourceLimits{}));
  }

  const TestFolder folder_;
  StoreOptions options_ = TestOptions(folder_);
  const std::shared_ptr<kv::FaultEnv> env_ = std::static_pointer_cast<kv::FaultEnv>(options_.env);
  HandClock clock_{options_};
  std::unique_ptr<Store> store_;
};

TEST_F(StoreKeeper, DropsWhatIsOlderThanTheRetention) {
  options_.retention_ms = 48 * kHourMs;
  Open();
  Write(Series("old"), {{kTestNowMs - 40 * kHourMs, 1}});
  ASSERT_TRUE(store_->Seal().ok());
  Turn(13 * kHourMs);
  while (store_->stats().expired_samples == 0) std::this_thread::yield();
  EXPECT_EQ(store_->stats().expired_samples, 1u);
}

TEST_F(StoreKeeper, DropsWhatARuleNoLongerKeeps) {
  RetentionRule rule;
  rule.metric = Matcher::Equal(std::string(kMetricName), "short");
  rule.keep_ms = 10 * kHourMs;
  options_.retention_rules = {rule};
  Open();
  Write(Series("short"), {{kTestNowMs - 5 * kHourMs, 1}});
  Write(Series("long"), {{kTestNowMs - 5 * kHourMs, 1}});
  ASSERT_TRUE(store_->Seal().ok());
  Turn(13 * kHourMs);
  while (store_->stats().expired_samples == 0) std::this_thread::yield();
  EXPECT_EQ(store_->stats().expired_samples, 1u);
}

TEST_F(StoreKeeper, MergesOnlyWhereThereIsRoomForTwice) {
  Open();
  // Enough to write, but not to merge.
  env_->SetFreeBytes(options_.min_free_bytes);
  for (int round = 0; round < 9; ++round) {
    Write(Series("m"), {{kTestNowMs - 100 + round, 1}});
    ASSERT_TRUE(store_->Seal().ok());
  }
  WaitForLook();
  WaitForLook();
  EXPECT_EQ(store_->stats().merge_count, 0u);
  EXPECT_EQ(store_->stats().run_count, 9u);
  const std::string before = Dump(*store_);
  env_->SetFreeBytes(2 * options_.min_free_bytes);
  WaitForLook();
  while (store_->stats().merge_count == 0) std::this_thread::yield();
  EXPECT_EQ(store_->stats().run_count, 1u);
  EXPECT_EQ(Dump(*store_), before);
}

TEST_F(StoreKeeper, FreesTheHotSpaceOfWindowsThatBecameCold) {
  Open();
  for (int rank = 0; rank < 100; ++rank) {
    Write(Series("m", "train", rank), {{kTestNowMs - 5 * kHourMs, 1}, {kTestNowMs, 1}});
  }
  ASSERT_TRUE(store_->Seal().ok());
  clock_.Turn(5 * kHourMs);
  while (store_->stats().cold_window_count < 2) std::this_thread::yield();
  const auto rows = CloseAndOpenRows(0);
  for (const kv::TableFile& table : rows->Tables()) EXPECT_NE(table.space, kv::Space::kHot);
}

TEST_F(StoreKeeper, TheFirstShardKeepsTheTime) {
  options_.shard_count = 2;
  for (const size_t shard : {0u, 1u}) {
    Open();
    const auto rows = CloseAndOpenRows(shard);
    const auto kept = rows->NewCursor(kv::Space::kMeta, kv::AllKeptKeys('C'));
    EXPECT_EQ(kept.Valid(), shard == 0);
  }
}

}  // namespace
}  // namespace lockstep
