#include "storage/db/rewrite/expiry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "storage/db/retention/retention_clock.h"
#include "storage/db/rows/window.h"
#include "storage/db/state/shard_testing.h"
#include "storage/db/write/shard_writer.h"

namespace lockstep {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class ExpiryTest : public ::testing::Test {
 protected:
  static LabelSet Labels(int rank) {
    return LabelSet::Of({{kMetricName, "m"}, {"job", "a"}, {"rank", std::to_string(rank)}});
  }
  // Makes series with the ids 0, 1, ... and their rows.
  void MakeSeries(int count) {
    WriterLock lock(state_.mutex);
    kv::Batch batch = state_.kv->NewBatch();
    std::vector<SeriesDirectory::Entry> entries;
    for (int rank = 0; rank < count; ++rank) {
      const SeriesId id = state_.dictionary.StageNew(Labels(rank)).id;
      entries.push_back({SeriesKeyOf(Labels(rank)), {0, id}});
    }
    state_.dictionary.PutStaged(batch);
    ASSERT_TRUE(state_.kv->Commit(batch, kv::Durability::kBuffered).ok());
    state_.dictionary.CommitStaged();
    state_.directory->Add(entries);
  }
  void Seal(SeriesId id, int32_t window) {
    WriterLock lock(state_.mutex);
    state_.dictionary.RaiseSealedMax(id, RangeOfWindow(window).max_ms);
  }
  void PutRow(kv::Tier tier, int32_t window) {
    shard_.PutChunks(tier, {window, 1, 0, 1, 0}, {{0, {{RangeOfWindow(window).min_ms, 1}}}});
    shard_.Put(kv::Space::kRollup, kv::EncodeRollupKey({window, 1, 0}), "x");
    shard_.PutWindowRow({window, tier, 1, 0}, {{{0, 1}, 10, 100}, {}});
    WriterLock lock(state_.mutex);
    state_.windows[window].Add(tier, 1, {{0, 1}, 10, 100});
  }
  std::vector<SeriesId> Known() {
    ReaderLock lock(state_.mutex);
    return *state_.dictionary.index().Select({});
  }
  size_t CountRows(kv::Space space, kv::KeyRange range = {}) {
    size_t count = 0;
    for (auto row = state_.kv->NewCursor(space, std::move(range)); row.Valid(); row.Next()) ++count;
    return count;
  }

  LooseShard shard_;
  ShardState& state_ = shard_.state();
};

TEST_F(ExpiryTest, SeriesWithoutSamplesAreForgotten) {
  MakeSeries(6);
  // 0: sealed before; 1: sealed since; 2, 3: in memory; 4: nowhere; 5: sealed before and in memory.
  Seal(0, 4);
  Seal(1, 5);
  Seal(5, 4);
  {
    WriterLock lock(state_.mutex);
    state_.active->Open(2, kNoTimeMs);
    state_.frozen = std::exchange(state_.active, std::make_shared<Head>());
    state_.active->Open(3, kNoTimeMs);
    state_.active->Open(5, kNoTimeMs);
  }
  ASSERT_TRUE(RemoveEmptySeries(state_, 5).ok());
  EXPECT_THAT(Known(), ElementsAre(1, 2, 3, 5));
  EXPECT_EQ(state_.directory->size(), 4u);
  EXPECT_FALSE(state_.directory->Find(SeriesKeyOf(Labels(0))).has_value());
  EXPECT_FALSE(state_.directory->Find(SeriesKeyOf(Labels(4))).has_value());
  // Each has a target, all have one metric.
  EXPECT_EQ(CountRows(kv::Space::kSeries, kv::AllDictionaryKeys(kv::DictionaryKind::kTarget)), 4u);
}

TEST_F(ExpiryTest, RowsThatTheJournalMayNameStay) {
  MakeSeries(2);
  state_.replayed_sequence = 7;
  {
    WriterLock lock(state_.mutex);
    state_.sealed_sequence = 6;
  }
  ASSERT_TRUE(RemoveEmptySeries(state_, 5).ok());
  EXPECT_THAT(Known(), IsEmpty());
  EXPECT_EQ(CountRows(kv::Space::kSeries), 4u);
  {
    WriterLock lock(state_.mutex);
    state_.sealed_sequence = 7;
  }
  ASSERT_TRUE(RemoveEmptySeries(state_, 5).ok());
  EXPECT_EQ(CountRows(kv::Space::kSeries), 0u);
}

class DropBeforeTest : public ExpiryTest {
 protected:
  DropBeforeTest() {
    clock_->Begin(std::nullopt, std::nullopt);
    WriterLimits limits;
    limits.clock = clock_;
    limits.head_bytes = 1 << 20;
    limits.head_age_ms = 1'000'000;
    writer_ = std::make_unique<ShardWriter>(state_, limits, [] {});
    writer_->Start();
  }
  ~DropBeforeTest() override { writer_->Stop(); }

  const std::shared_ptr<RetentionClock> clock_ = std::make_shared<RetentionClock>(
      [] { return int64_t{1'700'000'000'000}; }, [] { return int64_t{0}; }, 1'000'000'000);
  std::unique_ptr<ShardWriter> writer_;
};

TEST_F(DropBeforeTest, WindowsThatEndedBeforeAreDroppedWithAllTheirRows) {
  for (const int32_t window : {3, 4, 5}) {
    PutRow(window == 4 ? kv::Tier::kHot : kv::Tier::kCold, window);
  }
  WindowTotals dropped;
  dropped.sample_count = 1;
  ASSERT_TRUE(DropBefore(state_, *writer_, RangeOfWindow(5).min_ms, dropped).ok());
  EXPECT_EQ(dropped.sample_count, 21u);
  EXPECT_EQ(dropped.byte_count, 200u);
  EXPECT_EQ(CountRows(kv::Space::kHot), 0u);
  EXPECT_EQ(CountRows(kv::Space::kCold), 1u);
  EXPECT_EQ(CountRows(kv::Space::kRollup), 1u);
  EXPECT_EQ(shard_.WindowRows().size(), 1u);
  EXPECT_EQ(state_.changes->EarliestSince(0), INT64_MIN);
  {
    ReaderLock lock(state_.mutex);
    ASSERT_EQ(state_.windows.size(), 1u);
    EXPECT_TRUE(state_.windows.contains(5));
  }
  // A window goes when its last millisecond does.
  ASSERT_TRUE(DropBefore(state_, *writer_, RangeOfWindow(5).max_ms, dropped).ok());
  EXPECT_EQ(dropped.sample_count, 21u);
  EXPECT_EQ(state_.changes->count(), 1u);
  ASSERT_TRUE(DropBefore(state_, *writer_, RangeOfWindow(5).max_ms + 1, dropped).ok());
  EXPECT_EQ(dropped.sample_count, 31u);
  EXPECT_EQ(CountRows(kv::Space::kCold), 0u);
}

TEST_F(DropBeforeTest, SeriesOfDroppedWindowsGoToo) {
  MakeSeries(2);
  PutRow(kv::Tier::kCold, 3);
  PutRow(kv::Tier::kCold, 5);
  Seal(0, 3);
  Seal(1, 5);
  WindowTotals dropped;
  ASSERT_TRUE(DropBefore(state_, *writer_, RangeOfWindow(4).min_ms, dropped).ok());
  EXPECT_THAT(Known(), ElementsAre(1));
}

}  // namespace
}  // namespace lockstep
