#include "storage/db/state/recovery.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "storage/db/head/journal_block.h"
#include "storage/db/state/shard_testing.h"

namespace lockstep {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

LabelSet RecoveredSeries(int rank) {
  return LabelSet::Of({{kMetricName, "m"}, {"job", "a"}, {"rank", std::to_string(rank)}});
}

class RecoveryTest : public ::testing::Test {
 protected:
  // Writes the dictionary rows of so many series, with ids from 0 on.
  void PutSeries(int count) {
    Dictionary dictionary;
    for (int rank = 0; rank < count; ++rank) {
      ASSERT_EQ(dictionary.StageNew(RecoveredSeries(rank)).id, static_cast<SeriesId>(rank));
    }
    kv::Batch batch = shard_.state().kv->NewBatch();
    dictionary.PutStaged(batch);
    ASSERT_TRUE(shard_.state().kv->Commit(batch, kv::Durability::kBuffered).ok());
  }
  void PutBlock(uint64_t sequence, SeriesId id, Sample sample) {
    JournalBlockBuilder block;
    block.Add(id, sample);
    shard_.Put(kv::Space::kJournal, kv::EncodeJournalKey(sequence), block.Finish());
  }
  // "time ..." of the samples in memory.
  std::vector<int64_t> InMemory(SeriesId id) {
    ReaderLock lock(shard_.state().mutex);
    SampleColumns columns;
    shard_.state().active->Read(id, kAllTimes, columns);
    return columns.timestamps_ms;
  }

  LooseShard shard_;
};

TEST_F(RecoveryTest, AnEmptyShardBeginsWithTheFirstBlock) {
  ASSERT_TRUE(Recover(shard_.state()).ok());
  ReaderLock lock(shard_.state().mutex);
  EXPECT_EQ(shard_.state().sealed_sequence, 0u);
  EXPECT_EQ(shard_.state().next_sequence, 1u);
  EXPECT_EQ(shard_.state().replayed_sequence, 0u);
  EXPECT_TRUE(shard_.state().windows.empty());
}

TEST_F(RecoveryTest, ReplaysTheBlocksBehindTheMark) {
  PutSeries(2);
  shard_.PutMark(5);
  PutBlock(5, 0, {50, 1});
  PutBlock(6, 0, {60, 1});
  PutBlock(8, 1, {80, 1});
  ASSERT_TRUE(Recover(shard_.state()).ok());
  EXPECT_THAT(InMemory(0), ElementsAre(60));
  EXPECT_THAT(InMemory(1), ElementsAre(80));
  ReaderLock lock(shard_.state().mutex);
  EXPECT_EQ(shard_.state().sealed_sequence, 5u);
  EXPECT_EQ(shard_.state().next_sequence, 9u);
  EXPECT_EQ(shard_.state().replayed_sequence, 8u);
  // Readers see them.
  EXPECT_TRUE(shard_.state().active->MayHold(0, *shard_.state().active->counts()));
}

TEST_F(RecoveryTest, AMarkWithoutBlocksIsFollowedByTheNext) {
  shard_.PutMark(5);
  ASSERT_TRUE(Recover(shard_.state()).ok());
  EXPECT_EQ(shard_.state().next_sequence, 6u);
  EXPECT_EQ(shard_.state().replayed_sequence, 5u);
}

TEST_F(RecoveryTest, KnowsTheWindowsOfFinishedSeals) {
  PutSeries(3);
  shard_.PutMark(5);
  shard_.PutWindowRow({7, kv::Tier::kCold, 2, 0}, {{{100, 200}, 1, 10}, {0, 1}});
  shard_.PutWindowRow({7, kv::Tier::kHot, 5, 0}, {{{150, 300}, 2, 20}, {1, 99}});
  shard_.PutWindowRow({7, kv::Tier::kHot, 6, 0}, {{{150, 400}, 4, 40}, {2}});
  ASSERT_TRUE(Recover(shard_.state()).ok());
  ReaderLock lock(shard_.state().mutex);
  ASSERT_EQ(shard_.state().windows.size(), 1u);
  const StoredWindow& window = shard_.state().windows.at(7);
  EXPECT_EQ(window.cold->totals.sample_count, 1u);
  ASSERT_EQ(window.hot.size(), 1u);
  EXPECT_EQ(window.hot[0].generation, 5u);
  EXPECT_EQ(window.hot[0].totals.byte_count, 20u);
  EXPECT_EQ(shard_.state().dictionary.SealedMaxMs(0), 200);
  EXPECT_EQ(shard_.state().dictionary.SealedMaxMs(1), 300);
  EXPECT_EQ(shard_.state().dictionary.SealedMaxMs(2), kNoTimeMs);
}

TEST_F(RecoveryTest, SamplesInMemoryFollowTheSealedOnes) {
  PutSeries(1);
  shard_.PutMark(5);
  shard_.PutWindowRow({0, kv::Tier::kHot, 5, 0}, {{{100, 200}, 1, 10}, {0}});
  PutBlock(6, 0, {150, 1});
  ASSERT_TRUE(Recover(shard_.state()).ok());
  ReaderLock lock(shard_.state().mutex);
  EXPECT_EQ(shard_.state().active->LatestMs(0), 200);
}

TEST_F(RecoveryTest, ListsItsSeriesInTheDirectory) {
  PutSeries(3);
  shard_.state().number = 4;
  ASSERT_TRUE(Recover(shard_.state()).ok());
  EXPECT_EQ(shard_.state().directory->size(), 3u);
  for (int rank = 0; rank < 3; ++rank) {
    const auto ref = shard_.state().directory->Find(SeriesKeyOf(RecoveredSeries(rank)));
    ASSERT_TRUE(ref.has_value());
    EXPECT_EQ(ref->shard, 4u);
    EXPECT_EQ(ref->id, static_cast<SeriesId>(rank));
  }
}

// A commit that seemed to fail was in the log after all, and the series got another id.
TEST_F(RecoveryTest, SamplesOfAReplacedSeriesGoToTheOneInUse) {
  Dictionary dictionary;
  const SeriesId in_doubt = dictionary.StageNew(RecoveredSeries(0)).id;
  kv::Batch batch = shard_.state().kv->NewBatch();
  dictionary.PutStaged(batch);
  dictionary.RollbackStaged();
  const SeriesId used = dictionary.StageNew(RecoveredSeries(0)).id;
  dictionary.PutStaged(batch);
  ASSERT_TRUE(shard_.state().kv->Commit(batch, kv::Durability::kBuffered).ok());
  PutBlock(1, in_doubt, {10, 1});
  PutBlock(2, used, {20, 1});
  ASSERT_TRUE(Recover(shard_.state()).ok());
  EXPECT_THAT(InMemory(in_doubt), IsEmpty());
  EXPECT_THAT(InMemory(used), ElementsAre(10, 20));
}

TEST_F(RecoveryTest, AMarkThatIsMalformedIsDataLoss) {
  const absl::Status malformed = absl::DataLossError("the journal mark is malformed");
  shard_.Put(kv::Space::kMeta, kv::JournalMarkKey(), "1234567");
  EXPECT_EQ(Recover(shard_.state()), malformed);
  shard_.Put(kv::Space::kMeta, kv::JournalMarkKey(), "123456789");
  EXPECT_EQ(Recover(shard_.state()), malformed);
}

TEST_F(RecoveryTest, AWindowRowThatIsMalformedIsDataLoss) {
  const std::string key = kv::EncodeWindowKey({7, kv::Tier::kHot, 1, 0});
  shard_.PutMark(1);
  shard_.Put(kv::Space::kMeta, key, "x");
  EXPECT_EQ(Recover(shard_.state()), absl::DataLossError("a window row is malformed"));
  // One of an unfinished seal is not read.
  shard_.PutMark(0);
  EXPECT_TRUE(Recover(shard_.state()).ok());
  shard_.Put(kv::Space::kMeta, key + "x", "");
  EXPECT_EQ(Recover(shard_.state()), absl::DataLossError("a window row's key is malformed"));
}

TEST_F(RecoveryTest, ABlockThatIsMalformedIsDataLoss) {
  shard_.Put(kv::Space::kJournal, kv::EncodeJournalKey(3), "x");
  EXPECT_EQ(Recover(shard_.state()),
            absl::DataLossError("journal block 3: a journal block is malformed"));
  PutBlock(3, 9, {10, 1});
  EXPECT_EQ(
      Recover(shard_.state()),
      absl::DataLossError("journal block 3: it names series 9, which is not in the dictionary"));
  shard_.Put(kv::Space::kJournal, kv::EncodeJournalKey(1) + "x", "");
  EXPECT_EQ(Recover(shard_.state()), absl::DataLossError("a journal key is malformed"));
}

}  // namespace
}  // namespace lockstep
