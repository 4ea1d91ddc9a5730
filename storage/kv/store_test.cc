#include "storage/kv/store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "storage/kv/fault_env.h"
#include "storage/kv/test_folder.h"

namespace lockstep::kv {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class KvStoreTest : public ::testing::Test {
 protected:
  std::unique_ptr<Store> Open() {
    absl::StatusOr<std::unique_ptr<Store>> store =
        Store::Open(folder_.path() + "/db", env_, resources_);
    EXPECT_TRUE(store.ok()) << store.status();
    return *std::move(store);
  }
  static absl::Status Put(Store& store, std::string_view key, std::string_view value) {
    Batch batch = store.NewBatch();
    batch.Put(Space::kSeries, key, value);
    return store.Commit(batch, Durability::kSynced);
  }
  static std::vector<std::string> Keys(const Store& store, KeyRange range = {},
                                       const SnapshotPtr& snapshot = nullptr) {
    std::vector<std::string> keys;
    Cursor cursor = store.NewCursor(Space::kSeries, std::move(range), snapshot);
    for (; cursor.Valid(); cursor.Next()) keys.emplace_back(cursor.key());
    EXPECT_TRUE(cursor.status().ok()) << cursor.status();
    return keys;
  }

  TestFolder folder_;
  std::shared_ptr<FaultEnv> env_ = FaultEnv::Make();
  std::shared_ptr<const Resources> resources_ =
      std::make_shared<Resources>(ResourceLimits{.block_cache_bytes = 1 << 20});
};

TEST_F(KvStoreTest, ABatchChangesSeveralSpacesAtOnce) {
  const auto store = Open();
  Batch batch = store->NewBatch();
  EXPECT_TRUE(batch.empty());
  batch.Put(Space::kMeta, "a", "1");
  batch.Put(Space::kHot, "a", "2");
  batch.Delete(Space::kHot, "b");
  EXPECT_FALSE(batch.empty());
  ASSERT_TRUE(store->Commit(batch, Durability::kBuffered).ok());
  EXPECT_EQ(*store->Get(Space::kMeta, "a"), "1");
  EXPECT_EQ(*store->Get(Space::kHot, "a"), "2");
  EXPECT_EQ(*store->Get(Space::kJournal, "a"), std::nullopt);
}

TEST_F(KvStoreTest, FlushedAndClosedItIsRowsAndLittleElse) {
  auto store = Open();
  const std::string value(100'000, 'v');
  ASSERT_TRUE(Put(*store, "a", value).ok());
  EXPECT_GT(*env_->FolderBytes(folder_.path()), value.size());
  ASSERT_TRUE(store->Flush().ok());
  ASSERT_TRUE(store->Close().ok());
  EXPECT_LT(*env_->FolderBytes(folder_.path()), 8'000u);
  store = Open();
  EXPECT_EQ(*store->Get(Space::kSeries, "a"), value);
}

TEST_F(KvStoreTest, ACursorWalksItsRangeAlone) {
  const auto store = Open();
  for (const char* key : {"a", "b", "c", "d"}) ASSERT_TRUE(Put(*store, key, key).ok());
  EXPECT_THAT(Keys(*store), ElementsAre("a", "b", "c", "d"));
  EXPECT_THAT(Keys(*store, {"b", "d"}), ElementsAre("b", "c"));
  EXPECT_THAT(Keys(*store, {"bb", ""}), ElementsAre("c", "d"));
  EXPECT_THAT(Keys(*store, {"e", "f"}), IsEmpty());
  Cursor cursor = store->NewCursor(Space::kSeries, {"b", "d"});
  cursor.Seek("c");
  ASSERT_TRUE(cursor.Valid());
  EXPECT_EQ(cursor.key(), "c");
  cursor.Seek("a");
  EXPECT_EQ(cursor.key(), "b");
  cursor.Seek("d");
  EXPECT_FALSE(cursor.Valid());
}

TEST_F(KvStoreTest, ASnapshotSeesItsMoment) {
  const auto store = Open();
  ASSERT_TRUE(Put(*store, "a", "1").ok());
  const SnapshotPtr snapshot = store->NewSnapshot();
  Batch batch = store->NewBatch();
  batch.DeleteRange(Space::kSeries, "a", "b");
  batch.Put(Space::kSeries, "c", "1");
  ASSERT_TRUE(store->Commit(batch, Durability::kSynced).ok());
  ASSERT_TRUE(store->Flush().ok());
  EXPECT_THAT(Keys(*store, {}, snapshot), ElementsAre("a"));
  EXPECT_THAT(Keys(*store), ElementsAre("c"));
}

TEST_F(KvStoreTest, DroppedFilesLeaveOtherRowsAlone) {
  const auto store = Open();
  for (const char* key : {"a", "b", "c"}) ASSERT_TRUE(Put(*store, key, key).ok());
  Batch batch = store->NewBatch();
  batch.DeleteRange(Space::kSeries, "a", "c");
  ASSERT_TRUE(store->Commit(batch, Durability::kSynced).ok());
  ASSERT_TRUE(store->Flush().ok());
  ASSERT_TRUE(store->DropFiles(Space::kSeries, {"a", "c"}).ok());
  EXPECT_THAT(Keys(*store), ElementsAre("c"));
}

TEST_F(KvStoreTest, SyncedRowsSurviveAPowerCutWhateverBecomesOfTheRest) {
  for (const UnsyncedTail tail :
       {UnsyncedTail::kLost, UnsyncedTail::kTorn, UnsyncedTail::kZeroed}) {
    TestFolder folder;
    auto store = Store::Open(folder.path(), env_, resources_);
    ASSERT_TRUE(store.ok()) << store.status();
    ASSERT_TRUE(Put(**store, "a", std::string(100'000, 'a')).ok());
    Batch batch = (*store)->NewBatch();
    batch.Put(Space::kSeries, "b", std::string(100'000, 'b'));
    ASSERT_TRUE((*store)->Commit(batch, Durability::kBuffered).ok());
    env_->CutPower();
    store->reset();
    const absl::Status restored = env_->RestorePower(tail);
    ASSERT_TRUE(restored.ok()) << restored;
    store = Store::Open(folder.path(), env_, resources_);
    ASSERT_TRUE(store.ok()) << store.status() << " tail " << static_cast<int>(tail);
    EXPECT_THAT(Keys(**store), ElementsAre("a"));
  }
}

TEST_F(KvStoreTest, ReadsGoOnWhileTheDiskIsFull) {
  auto store = Open();
  ASSERT_TRUE(Put(*store, "a", "1").ok());
  env_->SetFull(true);
  EXPECT_EQ(Put(*store, "b", "1").code(), absl::StatusCode::kUnavailable);
  EXPECT_FALSE(Put(*store, "c", "1").ok());
  EXPECT_FALSE(store->Resume().ok());
  EXPECT_THAT(Keys(*store), ElementsAre("a"));
  env_->SetFull(false);
  store = nullptr;
  store = Open();
  ASSERT_TRUE(Put(*store, "d", "1").ok());
  EXPECT_THAT(Keys(*store), ::testing::IsSupersetOf({"a", "d"}));
}

// Whatever change of a file fails: what was acknowledged is readable, and there after a restart,
// and then writes are taken again.
TEST_F(KvStoreTest, KeepsWhatItAcknowledgedWhicheverWriteFails) {
  for (uint64_t n = 1; n < 40; ++n) {
    TestFolder folder;
    auto store = Store::Open(folder.path(), env_, resources_);
    ASSERT_TRUE(store.ok()) << store.status();
    std::vector<std::string> acknowledged;
    const auto put = [&](const std::string& key) {
      if (Put(**store, key, std::string(1000, 'v')).ok()) acknowledged.push_back(key);
    };
    env_->FailFrom(n);
    for (int i = 10; i < 20; ++i) put("a" + std::to_string(i));
    (void)(*store)->Flush();
    env_->Heal();
    (void)(*store)->Resume();
    for (int i = 10; i < 20; ++i) put("b" + std::to_string(i));
    EXPECT_EQ(Keys(**store), acknowledged) << n;
    env_->CutPower();
    store->reset();
    ASSERT_TRUE(env_->RestorePower(UnsyncedTail::kTorn).ok());
    store = Store::Open(folder.path(), env_, resources_);
    ASSERT_TRUE(store.ok()) << store.status() << " n=" << n;
    put("c");
    EXPECT_THAT(Keys(**store), ::testing::IsSupersetOf(acknowledged)) << n;
    EXPECT_THAT(acknowledged, ::testing::Contains("c"));
  }
}

TEST_F(KvStoreTest, AReadOnlyStoreHasTheRowsOfTheLogAndChangesNothing) {
  auto store = Open();
  ASSERT_TRUE(Put(*store, "a", "1").ok());
  ASSERT_TRUE(store->Flush().ok());
  ASSERT_TRUE(Put(*store, "b", "2").ok());
  const std::string folder = folder_.path() + "/db";
  EXPECT_EQ(Store::OpenReadOnly(folder, env_, resources_).status().code(),
            absl::StatusCode::kFailedPrecondition);
  store = nullptr;
  const std::vector<std::string> files = *env_->ListFolder(folder);
  const uint64_t bytes = *env_->FolderBytes(folder);
  {
    const auto reader = Store::OpenReadOnly(folder, env_, resources_);
    ASSERT_TRUE(reader.ok()) << reader.status();
    EXPECT_THAT(Keys(**reader), ElementsAre("a", "b"));
    EXPECT_THAT(Keys(**reader, {}, (*reader)->NewSnapshot()), ElementsAre("a", "b"));
    EXPECT_FALSE(Put(**reader, "c", "3").ok());
    EXPECT_EQ(Store::Open(folder, env_, resources_).status().code(),
              absl::StatusCode::kFailedPrecondition);
  }
  EXPECT_EQ(*env_->ListFolder(folder), files);
  EXPECT_EQ(*env_->FolderBytes(folder), bytes);
  store = Open();
  EXPECT_THAT(Keys(*store), ElementsAre("a", "b"));
}

TEST_F(KvStoreTest, AReadOnlyStoreIsNotMade) {
  EXPECT_FALSE(Store::OpenReadOnly(folder_.path() + "/none", env_, resources_).ok());
  EXPECT_FALSE(env_->ListFolder(folder_.path() + "/none").ok());
}

}  // namespace
}  // namespace lockstep::kv
