#include "storage/kv/backup_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "storage/kv/store.h"
#include "tests/support/test_folder.h"

namespace lockstep::kv {
namespace {

using ::testing::ElementsAre;

class BackupSetTest : public ::testing::Test {
 protected:
  BackupSetTest() : store_(OpenStore(folder_.path() + "/db")), set_(OpenSet()) {}

  std::unique_ptr<Store> OpenStore(const std::string& path) {
    auto store = Store::Open(path, env_, resources_);
    EXPECT_TRUE(store.ok()) << store.status();
    return *std::move(store);
  }
  std::unique_ptr<BackupSet> OpenSet() {
    auto set = BackupSet::Open(folder_.path() + "/set", env_);
    EXPECT_TRUE(set.ok()) << set.status();
    return *std::move(set);
  }
  void Put(std::string_view key, std::string_view value) {
    Batch batch = store_->NewBatch();
    batch.Put(Space::kHot, key, value);
    ASSERT_TRUE(store_->Commit(batch, Durability::kSynced).ok());
  }
  BackupId Add() {
    const auto id = set_->Add(*store_);
    EXPECT_TRUE(id.ok()) << id.status();
    return id.value_or(0);
  }
  std::vector<std::string> KeysOf(BackupId id) {
    const TestFolder target;
    const absl::Status restored = set_->Restore(id, target.path() + "/db");
    EXPECT_TRUE(restored.ok()) << restored;
    const auto store = OpenStore(target.path() + "/db");
    std::vector<std::string> keys;
    for (Cursor rows = store->NewCursor(Space::kHot, {}); rows.Valid(); rows.Next()) {
      keys.emplace_back(rows.key());
    }
    return keys;
  }
  uint64_t SetBytes() { return *env_->FolderBytes(folder_.path() + "/set"); }

  const TestFolder folder_;
  const std::shared_ptr<Env> env_ = Env::Default();
  const std::shared_ptr<const Resources> resources_ =
      std::make_shared<const Resources>(ResourceLimits{.block_cache_bytes = 1 << 20});
  std::unique_ptr<Store> store_;
  std::unique_ptr<BackupSet> set_;
};

// Incompressible bytes.
std::string Noise(size_t size) {
  std::mt19937 random(1);
  std::string bytes(size, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random());
  return bytes;
}

TEST_F(BackupSetTest, EachBackupIsTheStoreAsItWas) {
  Put("a", "1");
  const BackupId first = Add();
  Put("b", "2");
  const BackupId second = Add();
  Put("c", "3");
  EXPECT_THAT(KeysOf(first), ElementsAre("a"));
  EXPECT_THAT(KeysOf(second), ElementsAre("a", "b"));
  set_ = OpenSet();
  EXPECT_THAT(KeysOf(second), ElementsAre("a", "b"));
}

TEST_F(BackupSetTest, CopiesWhatIsNewAlone) {
  constexpr size_t kLarge = 500'000;
  Put("a", Noise(kLarge));
  const BackupId first = Add();
  const uint64_t bytes_of_one = SetBytes();
  EXPECT_GT(bytes_of_one, kLarge);
  Put("b", "2");
  const BackupId second = Add();
  EXPECT_LT(SetBytes() - bytes_of_one, kLarge / 2);
  EXPECT_GT(*set_->BytesOf(second), kLarge);
  ASSERT_TRUE(set_->KeepOnly({&second, 1}).ok());
  EXPECT_FALSE(set_->BytesOf(first).ok());
  EXPECT_THAT(KeysOf(second), ElementsAre("a", "b"));
  ASSERT_TRUE(set_->KeepOnly({}).ok());
  EXPECT_LT(SetBytes(), kLarge / 2);
}

TEST_F(BackupSetTest, VerifyingFindsAFlippedBit) {
  Put("a", Noise(100'000));
  const BackupId id = Add();
  EXPECT_TRUE(set_->Verify(id).ok());
  const std::string shared = folder_.path() + "/set/shared_checksum";
  const std::string table = shared + "/" + env_->ListFolder(shared)->front();
  std::fstream file(table, std::ios::in | std::ios::out | std::ios::binary);
  file.seekg(50'000);
  const char byte = static_cast<char>(file.get());
  file.seekp(50'000);
  file.put(static_cast<char>(byte ^ 1));
  file.close();
  EXPECT_EQ(set_->Verify(id).code(), absl::StatusCode::kDataLoss);
}

}  // namespace
}  // namespace lockstep::kv
