#include "storage/kv/store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <random>
#include <thread>
#include <vector>

#include "storage/kv/faults/fault_env.h"
#include "storage/kv/table_file.h"
#include "tests/support/test_folder.h"

namespace lockstep::kv {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
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

// Whichever change of a file fails: acknowledged rows can be read, also after a restart, and then
// writes are accepted again.
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

// The same, but the cause disappears: the store continues without a restart and has what it
// acknowledged and nothing that it refused, also after a power cut. The changes include range
// deletions: a RocksDB with assertions ends the process if their write buffer is flushed again
// after its log could not be created.
TEST_F(KvStoreTest, GoesOnAfterAnErrorWhicheverWriteFails) {
  for (uint64_t n = 1; n < 60; ++n) {
    TestFolder folder;
    auto store = Store::Open(folder.path(), env_, resources_);
    ASSERT_TRUE(store.ok()) << store.status();
    std::vector<std::string> acknowledged;
    const auto change = [&](const std::string& key, Durability durability) {
      Batch batch = (*store)->NewBatch();
      batch.DeleteRange(Space::kSeries, "x", "y");
      batch.Put(Space::kSeries, key, std::string(1000, 'v'));
      if ((*store)->Commit(batch, durability).ok()) acknowledged.push_back(key);
    };
    env_->FailFrom(n);
    for (int i = 10; i < 25; ++i) {
      change("a" + std::to_string(i), i % 3 == 0 ? Durability::kBuffered : Durability::kSynced);
      if (i % 4 == 0) (void)(*store)->Flush();
    }
    EXPECT_EQ(Keys(**store), acknowledged) << n;
    env_->Heal();
    const absl::Status resumed = (*store)->Resume();
    ASSERT_TRUE(resumed.ok()) << resumed << " n=" << n;
    EXPECT_EQ(Keys(**store), acknowledged) << n;
    change("b", Durability::kSynced);
    ASSERT_EQ(acknowledged.back(), "b") << n;
    ASSERT_TRUE((*store)->Flush().ok()) << n;
    change("c", Durability::kSynced);
    env_->CutPower();
    store->reset();
    ASSERT_TRUE(env_->RestorePower(UnsyncedTail::kLost).ok());
    store = Store::Open(folder.path(), env_, resources_);
    ASSERT_TRUE(store.ok()) << store.status() << " n=" << n;
    EXPECT_EQ(Keys(**store), acknowledged) << n;
  }
}

// A compaction that finds nothing but deleted ranges writes a table without rows, and drops it.
// A RocksDB with assertions ends the process if it learns that writing this table failed.
TEST_F(KvStoreTest, GoesOnAfterAnErrorInATableWithoutRows) {
  bool was_reached = true;
  for (uint64_t n = 1; was_reached; ++n) {
    TestFolder folder;
    auto store = Store::Open(folder.path(), env_, resources_);
    ASSERT_TRUE(store.ok()) << store.status();
    ASSERT_TRUE(Put(**store, "m", "1").ok());
    ASSERT_TRUE((*store)->Flush().ok());
    Batch batch = (*store)->NewBatch();
    batch.DeleteRange(Space::kSeries, "a", "z");
    ASSERT_TRUE((*store)->Commit(batch, Durability::kSynced).ok());
    ASSERT_TRUE((*store)->Flush().ok());
    env_->FailFrom(n);
    const uint64_t changes_before = env_->change_count();
    const bool has_failed = !(*store)->Compact(Space::kSeries, {"a", "z"}).ok();
    // Its last changes delete files that belong to nothing; it succeeds without them.
    was_reached = env_->change_count() >= changes_before + n;
    EXPECT_TRUE(was_reached || !has_failed) << n;
    env_->Heal();
    const absl::Status resumed = (*store)->Resume();
    ASSERT_TRUE(resumed.ok()) << resumed << " n=" << n;
    ASSERT_TRUE(Put(**store, "k", "1").ok()) << n;
    EXPECT_THAT(Keys(**store), ElementsAre("k")) << n;
    env_->CutPower();
    store->reset();
    ASSERT_TRUE(env_->RestorePower(UnsyncedTail::kLost).ok());
    store = Store::Open(folder.path(), env_, resources_);
    ASSERT_TRUE(store.ok()) << store.status() << " n=" << n;
    EXPECT_THAT(Keys(**store), ElementsAre("k")) << n;
  }
}

TEST_F(KvStoreTest, WhatStoppedItIsSaidUntilItIsGone) {
  const auto store = Open();
  env_->FailFrom(1);
  for (int i = 0; i < 3; ++i) {
    EXPECT_THAT(std::string(Message(Put(*store, "a", "1"))), HasSubstr("a planted fault"));
    EXPECT_THAT(std::string(Message(store->Resume())), HasSubstr("a planted fault"));
  }
  env_->Heal();
  // It is not retried at once.
  while (!store->Resume().ok()) std::this_thread::yield();
  EXPECT_TRUE(Put(*store, "a", "1").ok());
}

// Each try may take long. A machine may be so slow that the time to wait has passed, but not
// always: it doubles.
TEST_F(KvStoreTest, ATryThatFailedIsNotRepeatedAtOnce) {
  const auto store = Open();
  env_->FailFrom(1);
  EXPECT_FALSE(Put(*store, "a", "1").ok());
  bool has_waited = false;
  for (int i = 0; i < 100 && !has_waited; ++i) {
    const uint64_t changes = env_->change_count();
    EXPECT_FALSE(store->Resume().ok());
    has_waited = env_->change_count() == changes;
  }
  EXPECT_TRUE(has_waited);
}

TEST_F(KvStoreTest, ReadersGoOnWhileItIsOpenedAnew) {
  const auto store = Open();
  for (const char* key : {"a", "b", "c"}) ASSERT_TRUE(Put(*store, key, key).ok());
  ASSERT_TRUE(store->Flush().ok());
  ASSERT_TRUE(Put(*store, "d", "d").ok());
  Batch begun = store->NewBatch();
  begun.Delete(Space::kSeries, "b");
  SnapshotPtr snapshot = store->NewSnapshot();
  auto cursor = std::make_unique<Cursor>(store->NewCursor(Space::kSeries, {}, snapshot));
  for (int i = 0; i < 3; ++i) {
    env_->FailFrom(1);
    EXPECT_FALSE(Put(*store, "x", "x").ok());
    env_->Heal();
    ASSERT_TRUE(store->Resume().ok());
    // Overwritten, so that the earlier tables are deleted.
    ASSERT_TRUE(Put(*store, "e", std::to_string(i)).ok());
    ASSERT_TRUE(store->Flush().ok());
    ASSERT_TRUE(store->Compact(Space::kSeries, {}).ok());
  }
  ASSERT_TRUE(store->Commit(begun, Durability::kSynced).ok());
  EXPECT_THAT(Keys(*store, {}, snapshot), ElementsAre("a", "b", "c", "d"));
  for (; cursor->Valid(); cursor->Next()) EXPECT_EQ(cursor->key(), cursor->value());
  EXPECT_TRUE(cursor->status().ok());
  EXPECT_THAT(Keys(*store), ElementsAre("a", "c", "d", "e"));
  const auto table_count = [&] {
    const std::vector<std::string> names = *env_->ListFolder(folder_.path() + "/db");
    return std::count_if(names.begin(), names.end(),
                         [](const std::string& name) { return name.ends_with(".sst"); });
  };
  EXPECT_GT(table_count(), static_cast<ptrdiff_t>(store->Tables().size()));
  cursor = nullptr;
  snapshot = nullptr;
  begun = store->NewBatch();
  // RocksDB deletes those of the last compaction a moment later.
  while (table_count() > static_cast<ptrdiff_t>(store->Tables().size())) std::this_thread::yield();
  EXPECT_EQ(table_count(), static_cast<ptrdiff_t>(store->Tables().size()));
}

TEST_F(KvStoreTest, ChangesNothingWhileItsFolderIsAway) {
  const auto store = Open();
  ASSERT_TRUE(Put(*store, "a", "1").ok());
  EXPECT_TRUE(store->CheckFiles().ok());
  const std::string folder = folder_.path() + "/db";
  std::filesystem::rename(folder, folder_.path() + "/away");
  EXPECT_THAT(std::string(Message(store->CheckFiles())), HasSubstr(folder + " is gone"));
  ASSERT_TRUE(env_->CreateFolder(folder).ok());
  EXPECT_THAT(std::string(Message(store->CheckFiles())), HasSubstr(folder + " was replaced"));
  EXPECT_EQ(store->Resume().code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(Put(*store, "b", "1").code(), absl::StatusCode::kUnavailable);
  EXPECT_FALSE(store->Flush().ok());
  EXPECT_THAT(Keys(*store), ElementsAre("a"));
  EXPECT_THAT(*env_->ListFolder(folder), IsEmpty());

  std::filesystem::remove(folder);
  std::filesystem::rename(folder_.path() + "/away", folder);
  EXPECT_TRUE(store->CheckFiles().ok());
  EXPECT_TRUE(store->Resume().ok());
  ASSERT_TRUE(Put(*store, "c", "1").ok());
  EXPECT_THAT(Keys(*store), ElementsAre("a", "c"));
}

TEST_F(KvStoreTest, NoticesThatItsLogWasDeletedAndSavesWhatItHeld) {
  auto store = Open();
  const auto delete_logs = [&] {
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path() + "/db")) {
      if (entry.path().extension() == ".log") std::filesystem::remove(entry.path());
    }
  };
  EXPECT_TRUE(store->CheckFiles().ok());
  ASSERT_TRUE(Put(*store, "a", "1").ok());
  EXPECT_TRUE(store->CheckFiles().ok());
  delete_logs();
  EXPECT_EQ(store->CheckFiles().code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(Message(store->CheckFiles())), HasSubstr(".log was deleted"));
  ASSERT_TRUE(store->Flush().ok());
  ASSERT_TRUE(store->Close().ok());
  store = Open();
  EXPECT_THAT(Keys(*store), ElementsAre("a"));
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

// At most 64 changes wait for a sync.
TEST_F(KvStoreTest, ManyBufferedBatchesAreSynced) {
  for (const int count : {64, 65}) {
    TestFolder folder;
    auto store = Store::Open(folder.path(), env_, resources_);
    ASSERT_TRUE(store.ok()) << store.status();
    for (int i = 0; i < count; ++i) {
      Batch batch = (*store)->NewBatch();
      batch.Put(Space::kSeries, "key" + std::to_string(i), "");
      ASSERT_TRUE((*store)->Commit(batch, Durability::kBuffered).ok());
    }
    env_->CutPower();
    store->reset();
    ASSERT_TRUE(env_->RestorePower(UnsyncedTail::kLost).ok());
    store = Store::Open(folder.path(), env_, resources_);
    ASSERT_TRUE(store.ok()) << store.status();
    EXPECT_EQ(Keys(**store).size(), count > 64 ? static_cast<size_t>(count) : 0u);
  }
}

TEST_F(KvStoreTest, BufferedBatchesThatAFailedLogLostAreCommittedAgain) {
  const auto store = Open();
  Batch batch = store->NewBatch();
  batch.Put(Space::kSeries, "buffered", "1");
  ASSERT_TRUE(store->Commit(batch, Durability::kBuffered).ok());
  ASSERT_TRUE(Put(*store, "synced", "1").ok());
  batch.Clear();
  batch.Put(Space::kSeries, "also buffered", "1");
  ASSERT_TRUE(store->Commit(batch, Durability::kBuffered).ok());
  env_->FailFrom(1);
  EXPECT_FALSE(Put(*store, "refused", "1").ok());
  env_->Heal();
  ASSERT_TRUE(store->Resume().ok());
  EXPECT_THAT(Keys(*store), ElementsAre("also buffered", "buffered", "synced"));
}

TEST_F(KvStoreTest, KnowsItsTablesAndTheirSize) {
  const auto store = Open();
  EXPECT_THAT(store->Tables(), IsEmpty());
  EXPECT_EQ(store->TableBytes(Space::kSeries, {"a", "z"}), 0u);
  std::mt19937 random(1);
  std::string noise(400'000, '\0');
  for (char& byte : noise) byte = static_cast<char>(random());
  ASSERT_TRUE(Put(*store, "k", noise).ok());
  Batch batch = store->NewBatch();
  batch.Put(Space::kHot, "b", "1");
  batch.Put(Space::kHot, "h", "1");
  ASSERT_TRUE(store->Commit(batch, Durability::kSynced).ok());
  // Until then it is in the log.
  EXPECT_GT(*store->UsedBytes(), noise.size());
  ASSERT_TRUE(store->Flush().ok());
  const std::vector<TableFile> tables = store->Tables();
  ASSERT_EQ(tables.size(), 2u);
  uint64_t table_bytes = 0;
  for (const TableFile& table : tables) {
    EXPECT_TRUE(table.space == Space::kSeries || table.space == Space::kHot);
    EXPECT_EQ(table.last_key, table.space == Space::kHot ? "h" : "k");
    EXPECT_EQ(table.byte_count, std::filesystem::file_size(folder_.path() + "/db/" + table.name));
    table_bytes += table.byte_count;
  }
  EXPECT_GE(*store->UsedBytes(), table_bytes);
  EXPECT_LT(*store->UsedBytes(), table_bytes + 100'000);
  EXPECT_GT(store->TableBytes(Space::kSeries, {"a", "z"}), 100'000u);
  EXPECT_EQ(store->TableBytes(Space::kSeries, {"l", "z"}), 0u);
}

TEST_F(KvStoreTest, CompactionGivesBackTheSpaceOfDeletedRows) {
  const auto store = Open();
  for (const char* key : {"a", "b"}) {
    ASSERT_TRUE(Put(*store, key, key).ok());
    ASSERT_TRUE(store->Flush().ok());
  }
  Batch batch = store->NewBatch();
  batch.Delete(Space::kSeries, "a");
  batch.Delete(Space::kSeries, "b");
  ASSERT_TRUE(store->Commit(batch, Durability::kSynced).ok());
  ASSERT_TRUE(store->Flush().ok());
  ASSERT_TRUE(store->Compact(Space::kHot, {}).ok());
  EXPECT_EQ(store->Tables().size(), 3u);
  ASSERT_TRUE(store->Compact(Space::kSeries, {"", "z"}).ok());
  EXPECT_THAT(store->Tables(), IsEmpty());
}

TEST_F(KvStoreTest, DropsTheFilesOfARange) {
  const auto store = Open();
  for (const char* key : {"a", "c", "e"}) {
    ASSERT_TRUE(Put(*store, key, key).ok());
    ASSERT_TRUE(store->Flush().ok());
  }
  // Out of the first level, from which no file is dropped.
  for (const char* key : {"a", "c", "e"}) {
    ASSERT_TRUE(store->Compact(Space::kSeries, {key, std::string(key) + "z"}).ok());
  }
  ASSERT_TRUE(store->DropFiles(Space::kSeries, {"a", "d"}).ok());
  EXPECT_THAT(Keys(*store), ElementsAre("e"));
}

TEST_F(KvStoreTest, ACopyIsAStoreOfItsOwn) {
  const auto store = Open();
  ASSERT_TRUE(Put(*store, "a", "1").ok());
  ASSERT_TRUE(store->Flush().ok());
  ASSERT_TRUE(Put(*store, "b", "1").ok());
  const std::string folder = folder_.path() + "/copy";
  ASSERT_TRUE(store->CopyTo(folder).ok());
  ASSERT_TRUE(Put(*store, "c", "1").ok());
  EXPECT_THAT(std::string(Message(store->CopyTo(folder))),
              ::testing::StartsWith("copying to " + folder + ": "));
  const auto copy = Store::Open(folder, env_, resources_);
  ASSERT_TRUE(copy.ok()) << copy.status();
  EXPECT_THAT(Keys(**copy), ElementsAre("a", "b"));
}

TEST_F(KvStoreTest, AnEmptyBatchHasNothing) {
  const auto store = Open();
  Batch batch = store->NewBatch();
  const size_t empty_bytes = batch.byte_count();
  batch.Put(Space::kSeries, "key", std::string(1000, 'v'));
  EXPECT_GE(batch.byte_count(), empty_bytes + 1003);
  batch.Clear();
  EXPECT_TRUE(batch.empty());
  EXPECT_EQ(batch.byte_count(), empty_bytes);
}

TEST_F(KvStoreTest, ACursorMovesToAnotherRange) {
  const auto store = Open();
  for (const char* key : {"a", "b", "c", "d", "e"}) ASSERT_TRUE(Put(*store, key, key).ok());
  Cursor cursor = store->NewCursor(Space::kSeries, {"a", "b"});
  cursor.Next();
  EXPECT_FALSE(cursor.Valid());
  cursor.Seek(KeyRange{"c", "e"});
  std::string keys;
  for (; cursor.Valid(); cursor.Next()) keys += cursor.key();
  EXPECT_EQ(keys, "cd");
  cursor.Seek(KeyRange{"b", "c"});
  EXPECT_EQ(cursor.key(), "b");
  EXPECT_EQ(cursor.value(), "b");
  cursor.Seek("a");
  EXPECT_EQ(cursor.key(), "b");
}

TEST_F(KvStoreTest, ChangesOfATableAreFound) {
  auto store = Open();
  ASSERT_TRUE(Put(*store, "a", std::string(100'000, 'v')).ok());
  ASSERT_TRUE(store->Flush().ok());
  const std::string path = folder_.path() + "/db/" + store->Tables().at(0).name;
  store = nullptr;
  EXPECT_TRUE(VerifyTable(*env_, path).ok());
  std::string bytes = *env_->ReadFile(path);
  for (const size_t at : {size_t{5}, bytes.size() / 2, bytes.size() - 1}) {
    std::string changed = bytes;
    changed[at] ^= 1;
    ASSERT_TRUE(env_->WriteFile(path, changed).ok());
    EXPECT_TRUE(absl::IsDataLoss(VerifyTable(*env_, path))) << at;
  }
  ASSERT_TRUE(env_->WriteFile(path, "no table at all, but long enough for the end of one").ok());
  EXPECT_TRUE(absl::IsDataLoss(VerifyTable(*env_, path)));
  ASSERT_TRUE(env_->RemoveFile(path).ok());
  EXPECT_FALSE(VerifyTable(*env_, path).ok());
}

TEST_F(KvStoreTest, ADamagedLogIsReadAsFarAsItCanBe) {
  auto store = Open();
  ASSERT_TRUE(Put(*store, "a", "1").ok());
  ASSERT_TRUE(Put(*store, "b", std::string(10'000, 'v')).ok());
  ASSERT_TRUE(Put(*store, "c", "1").ok());
  store = nullptr;
  const std::string folder = folder_.path() + "/db";
  const std::vector<std::string> names = *env_->ListFolder(folder);
  for (const std::string& name : names) {
    if (!name.ends_with(".log")) continue;
    std::string bytes = *env_->ReadFile(folder + "/" + name);
    if (bytes.size() < 10'000) continue;
    bytes[5'000] ^= 1;
    ASSERT_TRUE(env_->WriteFile(folder + "/" + name, bytes).ok());
  }
  EXPECT_TRUE(absl::IsDataLoss(Store::Open(folder, env_, resources_).status()));
  EXPECT_TRUE(absl::IsDataLoss(Store::OpenReadOnly(folder, env_, resources_).status()));
  const auto damaged = Store::OpenDamaged(folder, env_, resources_);
  ASSERT_TRUE(damaged.ok()) << damaged.status();
  EXPECT_THAT(Keys(**damaged), ::testing::Contains("a"));
  EXPECT_THAT(Keys(**damaged), ::testing::Not(::testing::Contains("b")));
  EXPECT_FALSE(Put(**damaged, "d", "1").ok());
}

}  // namespace
}  // namespace lockstep::kv
