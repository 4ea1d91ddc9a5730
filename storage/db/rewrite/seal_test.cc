#include "storage/db/rewrite/seal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "storage/kv/faults/fault_env.h"
#include "storage/kv/key_schema.h"
#include "storage/kv/store.h"
#include "tests/support/test_folder.h"

namespace lockstep {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr uint64_t kBlockBytes = kv::kMaxValueBytes;

class DeletedBlocks : public ::testing::Test {
 protected:
  // Writes blocks of that many MiB, numbered from 1 on, and deletes those up to a generation.
  void Journal(uint64_t count, uint64_t generation, bool is_flushed = false) {
    std::mt19937 random(1);
    std::string noise(kBlockBytes, '\0');
    for (char& byte : noise) byte = static_cast<char>(random());
    for (uint64_t sequence = 1; sequence <= count; ++sequence) {
      kv::Batch batch = kv_->NewBatch();
      batch.Put(kv::Space::kJournal, kv::EncodeJournalKey(sequence), noise);
      ASSERT_TRUE(kv_->Commit(batch, kv::Durability::kSynced).ok());
    }
    if (is_flushed) {
      ASSERT_TRUE(kv_->Flush().ok());
    }
    ASSERT_TRUE(DeleteSealedBlocks(*kv_, generation).ok());
  }
  std::vector<uint64_t> Kept() const {
    std::vector<uint64_t> kept;
    kv::Cursor rows = kv_->NewCursor(kv::Space::kJournal, {});
    for (; rows.Valid(); rows.Next()) {
      EXPECT_TRUE(kv::DecodeJournalKey(rows.key(), kept.emplace_back()));
    }
    return kept;
  }
  uint64_t TableBytes() const {
    uint64_t bytes = 0;
    for (const kv::TableFile& table : kv_->Tables()) bytes += table.byte_count;
    return bytes;
  }

  const TestFolder folder_;
  const std::unique_ptr<kv::Store> kv_ =
      *kv::Store::Open(folder_.path() + "/db", kv::FaultEnv::Make(),
                       std::make_shared<const kv::Resources>(kv::ResourceLimits()));
};

TEST_F(DeletedBlocks, AreNotFlushed) {
  Journal(40, 39);
  EXPECT_GE(kv_->BufferedBytes(kv::Space::kJournal), 40 * kBlockBytes);
  ASSERT_TRUE(FreeDeletedBlocks(*kv_, 39).ok());
  EXPECT_LT(kv_->BufferedBytes(kv::Space::kJournal), kBlockBytes);
  EXPECT_LT(TableBytes(), 2 * kBlockBytes);
  EXPECT_THAT(Kept(), ElementsAre(40));
}

TEST_F(DeletedBlocks, AreLeftWhileAFlushWouldWriteManyOthers) {
  Journal(40, 30);
  ASSERT_TRUE(FreeDeletedBlocks(*kv_, 30).ok());
  EXPECT_THAT(kv_->Tables(), IsEmpty());
  EXPECT_THAT(Kept(), SizeIs(10));
}

TEST_F(DeletedBlocks, AreLeftWhileTheyAreFew) {
  Journal(10, 10);
  ASSERT_TRUE(FreeDeletedBlocks(*kv_, 10).ok());
  EXPECT_THAT(kv_->Tables(), IsEmpty());
  EXPECT_THAT(Kept(), IsEmpty());
}

TEST_F(DeletedBlocks, LeaveTablesToo) {
  Journal(40, 39, /*is_flushed=*/true);
  EXPECT_GE(TableBytes(), 40 * kBlockBytes);
  ASSERT_TRUE(FreeDeletedBlocks(*kv_, 39).ok());
  EXPECT_LT(TableBytes(), 2 * kBlockBytes);
  EXPECT_THAT(Kept(), ElementsAre(40));
}

}  // namespace
}  // namespace lockstep
