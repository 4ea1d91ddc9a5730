#include "storage/db/rows/batch_writer.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "absl/strings/str_format.h"
#include "storage/kv/faults/fault_env.h"
#include "tests/support/test_folder.h"

namespace lockstep {
namespace {

// A batch has two megabytes.
constexpr size_t kValueBytes = size_t{1} << 20;

class BatchWriterTest : public ::testing::Test {
 protected:
  BatchWriterTest() {
    auto opened = kv::Store::Open(folder_.path(), kv::FaultEnv::Make(),
                                  std::make_shared<const kv::Resources>(kv::ResourceLimits{}));
    EXPECT_TRUE(opened.ok()) << opened.status();
    store_ = *std::move(opened);
  }

  static std::string Key(int i) { return absl::StrFormat("key%03d", i); }
  absl::Status Put(BatchWriter& writer, int i) {
    return writer.Put(kv::Space::kMeta, Key(i), std::string(kValueBytes, 'v'));
  }
  // The rows in the store, which are the first that were put.
  int Count() {
    int count = 0;
    for (kv::Cursor rows = store_->NewCursor(kv::Space::kMeta, {}); rows.Valid(); rows.Next()) {
      EXPECT_EQ(rows.key(), Key(count));
      ++count;
    }
    return count;
  }

  TestFolder folder_;
  std::unique_ptr<kv::Store> store_;
  int asked_ = 0;
};

TEST_F(BatchWriterTest, WritesInBatchesAndTheRestAtTheEnd) {
  BatchWriter writer(*store_, [this] { return ++asked_ < 0; });
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(Put(writer, i).ok());
  EXPECT_EQ(Count(), 0);
  EXPECT_EQ(asked_, 0);
  ASSERT_TRUE(Put(writer, 2).ok());
  EXPECT_EQ(Count(), 2);
  EXPECT_EQ(asked_, 1);
  for (int i = 3; i < 7; ++i) ASSERT_TRUE(Put(writer, i).ok());
  EXPECT_EQ(Count(), 6);
  EXPECT_EQ(asked_, 3);
  ASSERT_TRUE(writer.Commit().ok());
  EXPECT_EQ(Count(), 7);
  // What was written is not written again.
  ASSERT_TRUE(writer.Delete(kv::Space::kMeta, Key(6)).ok());
  ASSERT_TRUE(writer.Commit().ok());
  ASSERT_TRUE(writer.Commit().ok());
  EXPECT_EQ(Count(), 6);
  EXPECT_EQ(asked_, 3);
}

TEST_F(BatchWriterTest, StopsBeforeABatch) {
  BatchWriter writer(*store_, [this] { return ++asked_ > 1; });
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(Put(writer, i).ok()) << i;
  EXPECT_TRUE(absl::IsCancelled(Put(writer, 4)));
  EXPECT_TRUE(absl::IsCancelled(writer.Delete(kv::Space::kMeta, Key(0))));
  EXPECT_EQ(Count(), 2);
}

// A deletion has a few bytes: a hundred thousand of them are more than a batch.
TEST_F(BatchWriterTest, DeletionsComeInBatchesToo) {
  BatchWriter writer(*store_, [this] { return ++asked_ > 0; });
  absl::Status status;
  for (int i = 0; i < 400'000 && status.ok(); ++i) {
    status = writer.Delete(kv::Space::kMeta, Key(i));
  }
  EXPECT_TRUE(absl::IsCancelled(status)) << status;
}

}  // namespace
}  // namespace lockstep
