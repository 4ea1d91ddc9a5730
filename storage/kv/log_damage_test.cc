#include "storage/kv/log_damage.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "storage/kv/store.h"
#include "storage/kv/test_folder.h"

namespace lockstep::kv {
namespace {

// A store with a log of several synced batches of each size, some larger than a block.
class LogDamageTest : public ::testing::Test {
 protected:
  LogDamageTest() {
    const auto store = Open();
    EXPECT_TRUE(store.ok()) << store.status();
    for (const size_t size : {10, 1000, 100'000, 20, 40'000, 30}) {
      Batch batch = (*store)->NewBatch();
      batch.Put(Space::kSeries, std::string(1, static_cast<char>('a' + count_++)),
                std::string(size, 'v'));
      EXPECT_TRUE((*store)->Commit(batch, Durability::kSynced).ok());
      ends_.push_back(Log().size());
    }
  }

  absl::StatusOr<std::unique_ptr<Store>> Open() {
    return Store::Open(folder_.path(), env_, resources_);
  }
  std::string Log() { return *env_->ReadFile(LogPath()); }
  // The only log of a fresh store.
  std::string LogPath() {
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
      if (entry.path().extension() == ".log") return entry.path().string();
    }
    ADD_FAILURE() << "there is no log";
    return "";
  }
  LogDamage Damage(std::string_view log) {
    LogInspector inspector;
    inspector.Add(log);
    return inspector.damage();
  }
  size_t RowCount(const Store& store) {
    size_t count = 0;
    for (Cursor rows = store.NewCursor(Space::kSeries, {}); rows.Valid(); rows.Next()) ++count;
    return count;
  }

  TestFolder folder_;
  std::shared_ptr<Env> env_ = Env::Default();
  std::shared_ptr<const Resources> resources_ = std::make_shared<Resources>(ResourceLimits{});
  size_t count_ = 0;
  std::vector<size_t> ends_;  // of the batches in the log
};

TEST_F(LogDamageTest, AWholeLogHasNone) {
  EXPECT_EQ(Damage(Log()), LogDamage::kNone);
  EXPECT_EQ(Damage(""), LogDamage::kNone);
  EXPECT_EQ(*FindLogDamage(*env_, folder_.path()), LogDamage::kNone);
}

TEST_F(LogDamageTest, AChangedByteIsInsideUnlessItIsInTheLastRecord) {
  const std::string log = Log();
  const size_t last_begin = ends_[ends_.size() - 2];
  for (size_t at = 0; at < log.size(); at += at + 100 < last_begin ? 997 : 1) {
    std::string damaged = log;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
    EXPECT_EQ(Damage(damaged), at < last_begin ? LogDamage::kInside : LogDamage::kAtEnd) << at;
  }
}

TEST_F(LogDamageTest, ARecordThatWasCutOffOrZeroedIsAtTheEnd) {
  const std::string log = Log();
  EXPECT_EQ(Damage(log.substr(0, log.size() - 1)), LogDamage::kAtEnd);
  // All of the two last batches.
  std::string zeroed = log.substr(0, ends_[ends_.size() - 3]);
  zeroed.resize(log.size(), '\0');
  EXPECT_EQ(Damage(zeroed), LogDamage::kAtEnd);
}

// If nothing says that it was synced.
TEST_F(LogDamageTest, AStoreOpensWithADamagedLastRecord) {
  const std::string log = Log();
  std::string damaged = log;
  damaged[log.size() - 1] = 'x';
  ASSERT_TRUE(env_->WriteFile(LogPath(), damaged).ok());
  EXPECT_EQ(Open().status().code(), absl::StatusCode::kDataLoss);
  ASSERT_TRUE(env_->RemoveFile(folder_.path() + "/LOG-MARK").ok());
  {
    const auto store = Open();
    ASSERT_TRUE(store.ok()) << store.status();
    EXPECT_EQ(RowCount(**store), count_ - 1);
  }
}

TEST_F(LogDamageTest, AStoreDoesNotOpenWithADamagedRecordInside) {
  std::string damaged = Log();
  damaged[ends_[1] - 1] = 'x';
  ASSERT_TRUE(env_->WriteFile(LogPath(), damaged).ok());
  const auto store = Open();
  EXPECT_EQ(store.status().code(), absl::StatusCode::kDataLoss) << store.status();
}

}  // namespace
}  // namespace lockstep::kv
