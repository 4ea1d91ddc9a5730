#include "storage/db/series/dictionary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <random>
#include <set>
#include <utility>

#include "storage/db/series/dictionary_loader.h"
#include "storage/kv/faults/fault_env.h"
#include "storage/kv/key_schema.h"
#include "storage/kv/resources.h"
#include "storage/kv/store.h"
#include "tests/support/test_folder.h"

namespace lockstep {
namespace {

using kv::DictionaryKind;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

LabelSet Gpu(const std::string& metric, const std::string& job, int rank) {
  return LabelSet::Of({{kMetricName, metric}, {"job", job}, {"rank", std::to_string(rank)}});
}

// A dictionary over the rows of a store, as in a shard.
class DictionaryTest : public ::testing::Test {
 protected:
  DictionaryTest() {
    auto store = kv::Store::Open(folder_.path() + "/kv", kv::FaultEnv::Make(),
                                 std::make_shared<kv::Resources>(kv::ResourceLimits{}));
    EXPECT_TRUE(store.ok()) << store.status();
    kv_ = *std::move(store);
  }

  void Write(kv::Batch& batch) { ASSERT_TRUE(kv_->Commit(batch, kv::Durability::kBuffered).ok()); }
  SeriesId Stage(const LabelSet& labels) { return dictionary_->StageNew(labels).id; }
  void Commit() {
    Put();
    dictionary_->CommitStaged();
  }
  // The disk refused the commit, but the log still has it.
  void FailInDoubt() {
    Put();
    dictionary_->RollbackStaged();
  }
  void Put() {
    kv::Batch batch = kv_->NewBatch();
    dictionary_->PutStaged(batch);
    EXPECT_LE(batch.byte_count(), dictionary_->staged_byte_count() + 100);
    Write(batch);
  }
  SeriesId Add(const LabelSet& labels) {
    const SeriesId id = Stage(labels);
    Commit();
    return id;
  }
  void Remove(std::vector<SeriesId> ids) { dictionary_->Remove(ids); }
  void CleanUp() {
    while (dictionary_->NeedsCleanup()) {
      kv::Batch batch = kv_->NewBatch();
      dictionary_->PutCleanup(batch);
      Write(batch);
      dictionary_->CommitCleanup();
    }
  }
  absl::Status Reload() {
    dictionary_ = std::make_unique<Dictionary>();
    DictionaryLoader loader(*kv_, *dictionary_);
    const absl::Status status = loader.Run();
    replaced_ = loader.replaced_series();
    return status;
  }
  void MustReload() {
    const absl::Status status = Reload();
    ASSERT_TRUE(status.ok()) << status;
  }

  std::map<SeriesId, LabelSet> Known() const {
    std::map<SeriesId, LabelSet> known;
    dictionary_->index().series().ForEach(
        [&](SeriesId id, SeriesParts) { known[id] = dictionary_->index().Labels(id); });
    return known;
  }
  size_t RowCount(DictionaryKind kind) const {
    size_t count = 0;
    kv::Cursor rows = kv_->NewCursor(kv::Space::kSeries, kv::AllDictionaryKeys(kind));
    for (; rows.Valid(); rows.Next()) ++count;
    return count;
  }
  // The numbers of metrics, series and targets.
  std::vector<size_t> RowCounts() const {
    return {RowCount(DictionaryKind::kMetric), RowCount(DictionaryKind::kSeries),
            RowCount(DictionaryKind::kTarget)};
  }

  TestFolder folder_;
  std::unique_ptr<kv::Store> kv_;
  std::unique_ptr<Dictionary> dictionary_ = std::make_unique<Dictionary>();
  Replacements replaced_;
};

TEST_F(DictionaryTest, StagedSeriesAreFoundAfterTheirCommit) {
  const SeriesId id = Stage(Gpu("power", "a", 0));
  EXPECT_TRUE(dictionary_->IsStaged(id));
  EXPECT_THAT(Known(), IsEmpty());
  Commit();
  EXPECT_FALSE(dictionary_->IsStaged(id));
  EXPECT_THAT(Known(), ElementsAre(Pair(id, Gpu("power", "a", 0))));
  dictionary_->RaiseSealedMax(id, 5);
  dictionary_->RaiseSealedMax(id, 3);
  EXPECT_EQ(dictionary_->SealedMaxMs(id), 5);

  const SeriesId rolled_back = Stage(Gpu("power", "a", 1));
  dictionary_->RollbackStaged();
  EXPECT_EQ(Known().size(), 1u);
  EXPECT_EQ(dictionary_->index().targets().size(), 1u);
  EXPECT_GT(Add(Gpu("power", "a", 1)), rolled_back);
}

TEST_F(DictionaryTest, OneCommitWritesTargetsAndMetricsOnceAndItsSeriesInOneRow) {
  for (int rank = 0; rank < 8; ++rank) {
    for (const char* metric : {"power", "clock", "errors"}) Stage(Gpu(metric, "a", rank));
  }
  Commit();
  EXPECT_THAT(RowCounts(), ElementsAre(3, 1, 8));
  const std::map<SeriesId, LabelSet> known = Known();
  EXPECT_EQ(known.size(), 24u);
  MustReload();
  EXPECT_EQ(Known(), known);
  Add(Gpu("late", "a", 3));
  EXPECT_THAT(RowCounts(), ElementsAre(4, 2, 8));
}

TEST_F(DictionaryTest, ManySeriesOfOneCommitAreInSeveralRows) {
  const size_t count = kMaxSeriesPerRow + 1;
  for (size_t i = 0; i < count; ++i) Stage(Gpu("m" + std::to_string(i % 100), "a", int(i / 100)));
  Commit();
  EXPECT_EQ(RowCount(DictionaryKind::kSeries), 2u);
  const std::map<SeriesId, LabelSet> known = Known();
  EXPECT_EQ(known.size(), count);
  MustReload();
  EXPECT_EQ(Known(), known);
}

TEST_F(DictionaryTest, NeighboursInAFamilyAreTheRanksOfAJob) {
  std::vector<SeriesId> power, clock;
  for (int rank = 0; rank < 100; ++rank) {
    power.push_back(Stage(Gpu("power", "a", rank)));
    clock.push_back(Stage(Gpu("clock", "a", rank)));
    if (rank % 7 == 0) Commit();
  }
  Commit();
  const uint32_t family = dictionary_->PlaceOf(power[0]).family;
  EXPECT_NE(dictionary_->PlaceOf(clock[0]).family, family);
  for (uint32_t rank = 0; rank < 100; ++rank) {
    EXPECT_EQ(dictionary_->PlaceOf(power[rank]), (SeriesPlace{family, rank}));
  }
  // The same metric in another job is another family; labels that do not belong to the target make
  // no difference.
  EXPECT_NE(dictionary_->PlaceOf(Add(Gpu("power", "b", 0))).family, family);
  LabelSetBuilder link(Gpu("power", "a", 0));
  EXPECT_EQ(dictionary_->PlaceOf(Add(link.Set("link", "3").Build())), (SeriesPlace{family, 100}));
  MustReload();
  EXPECT_EQ(dictionary_->PlaceOf(Add(Gpu("power", "a", 100))), (SeriesPlace{family, 101}));
}

TEST_F(DictionaryTest, WhatIsRemovedLeavesMemoryAndDisk) {
  for (int rank = 0; rank < 4; ++rank) {
    for (const char* metric : {"power", "clock"}) Stage(Gpu(metric, "a", rank));
  }
  Commit();
  const SeriesId other = Add(Gpu("power", "b", 0));
  std::vector<SeriesId> gone;
  for (const auto& [id, labels] : Known()) {
    if (labels.Get("rank") != "2" && id != other) gone.push_back(id);
  }
  Remove(gone);
  EXPECT_EQ(dictionary_->index().targets().size(), 2u);
  EXPECT_EQ(dictionary_->index().metrics().size(), 2u);
  EXPECT_THAT(RowCounts(), ElementsAre(2, 2, 5));
  CleanUp();
  EXPECT_THAT(RowCounts(), ElementsAre(2, 2, 2));
  const std::map<SeriesId, LabelSet> known = Known();
  EXPECT_EQ(known.size(), 3u);
  MustReload();
  EXPECT_EQ(Known(), known);
  gone.clear();
  for (const auto& [id, labels] : known) gone.push_back(id);
  Remove(gone);
  CleanUp();
  EXPECT_THAT(RowCounts(), ElementsAre(0, 0, 0));
  EXPECT_EQ(dictionary_->index().label_pair_count(), 0u);
  MustReload();
  EXPECT_THAT(Known(), IsEmpty());
}

TEST_F(DictionaryTest, ACleanupThatTheDiskRefusedIsDoneAgain) {
  const SeriesId id = Add(Gpu("power", "a", 0));
  Remove({id});
  kv::Batch lost = kv_->NewBatch();
  dictionary_->PutCleanup(lost);
  EXPECT_TRUE(dictionary_->NeedsCleanup());
  CleanUp();
  EXPECT_THAT(RowCounts(), ElementsAre(0, 0, 0));
}

// In the end everything to be cleaned up has been in a batch.
TEST_F(DictionaryTest, CleanupOfMuchIsDoneInSeveralBatches) {
  std::vector<SeriesId> ids;
  for (int i = 0; i < 120'000; ++i) {
    ids.push_back(Stage(Gpu("m", "a", i)));
    if (i % 10 == 9) Commit();
  }
  std::erase_if(ids, [](SeriesId id) { return id % 10 == 3; });
  Remove(ids);
  kv::Batch first = kv_->NewBatch();
  dictionary_->PutCleanup(first);
  EXPECT_LT(first.byte_count(), kv::kMaxBatchBytes / 2);
  Write(first);
  dictionary_->CommitCleanup();
  EXPECT_TRUE(dictionary_->NeedsCleanup());
  MustReload();  // in the middle: loading the series finds the rest of the work again
  EXPECT_GE(Known().size(), 12'000u);
  std::vector<SeriesId> again;
  for (const auto& [id, labels] : Known()) {
    if (id % 10 != 3) again.push_back(id);
  }
  Remove(again);
  CleanUp();
  EXPECT_THAT(RowCounts(), ElementsAre(1, 12'000, 12'000));
}

TEST_F(DictionaryTest, OfTwoRowsWithTheSameLabelsTheLaterSeriesIsInUse) {
  const SeriesId in_doubt = Stage(Gpu("power", "a", 0));
  const SeriesId only_in_doubt = Stage(Gpu("clock", "a", 0));
  FailInDoubt();
  const SeriesId used = Add(Gpu("power", "a", 0));
  EXPECT_EQ(Known().size(), 1u);
  EXPECT_THAT(RowCounts(), ElementsAre(3, 2, 2));  // each with its own numbers

  MustReload();
  EXPECT_THAT(Known(), ElementsAre(Pair(only_in_doubt, Gpu("clock", "a", 0)),
                                   Pair(used, Gpu("power", "a", 0))));
  EXPECT_THAT(replaced_, UnorderedElementsAre(Pair(in_doubt, used)));
  EXPECT_EQ(dictionary_->index().targets().size(), 1u);
  EXPECT_NE(dictionary_->PlaceOf(used), dictionary_->PlaceOf(only_in_doubt));
  const std::map<SeriesId, LabelSet> known = Known();

  CleanUp();
  EXPECT_THAT(RowCounts(), ElementsAre(2, 2, 1));
  MustReload();
  EXPECT_EQ(Known(), known);
  EXPECT_THAT(replaced_, IsEmpty());
}

TEST_F(DictionaryTest, PartsWithoutSeriesAreForgotten) {
  kv::Batch batch = kv_->NewBatch();
  batch.Put(kv::Space::kSeries, kv::EncodeDictionaryKey(DictionaryKind::kTarget, 7),
            EncodePartRow(LabelSet::Of({{"job", "a"}})));
  batch.Put(kv::Space::kSeries, kv::EncodeDictionaryKey(DictionaryKind::kMetric, 9),
            EncodePartRow(LabelSet::Of({{kMetricName, "up"}})));
  Write(batch);
  MustReload();
  EXPECT_EQ(dictionary_->index().label_pair_count(), 0u);
  CleanUp();
  EXPECT_THAT(RowCounts(), ElementsAre(0, 0, 0));
  Add(LabelSet::Of({{kMetricName, "up"}, {"job", "a"}}));
  EXPECT_TRUE(dictionary_->index().targets().Has(8));
  EXPECT_TRUE(dictionary_->index().metrics().Has(10));
}

TEST_F(DictionaryTest, RowsThatDoNotFitTogetherAreDataLoss) {
  const auto put = [this](DictionaryKind kind, uint32_t number, const std::string& value) {
    kv::Batch batch = kv_->NewBatch();
    batch.Put(kv::Space::kSeries, kv::EncodeDictionaryKey(kind, number), value);
    Write(batch);
    const absl::Status status = Reload();
    batch.Clear();
    batch.Delete(kv::Space::kSeries, kv::EncodeDictionaryKey(kind, number));
    Write(batch);
    return status.code();
  };
  const absl::StatusCode kDataLoss = absl::StatusCode::kDataLoss;
  const std::string up = EncodePartRow(LabelSet::Of({{kMetricName, "up"}}));
  const std::string job = EncodePartRow(LabelSet::Of({{"job", "a"}}));
  EXPECT_EQ(put(DictionaryKind::kTarget, 1, up), kDataLoss);
  EXPECT_EQ(put(DictionaryKind::kMetric, 1, job), kDataLoss);
  EXPECT_EQ(put(DictionaryKind::kTarget, UINT32_MAX, job), kDataLoss);
  EXPECT_EQ(put(DictionaryKind::kTarget, 1, "\x02"), kDataLoss);
  EXPECT_EQ(put(DictionaryKind::kSeries, 1, "\x02"), kDataLoss);
  const SeriesEntry entry{1, {4, 4}, {0, 0}};
  EXPECT_EQ(put(DictionaryKind::kSeries, 1, EncodeSeriesRow(1, {&entry, 1})), kDataLoss)
      << "parts without rows";
  const SeriesId id = Add(Gpu("power", "a", 0));
  const SeriesEntry overlapping[] = {{id, dictionary_->index().series().PartsOf(id), {0, 0}}};
  EXPECT_EQ(put(DictionaryKind::kSeries, id + 1, EncodeSeriesRow(id + 1, overlapping)), kDataLoss)
      << "ids before the key's";
  MustReload();
}

// The series that are known, and what the disk has of them and of commits in doubt.
class Model {
 public:
  void Commit(const std::map<SeriesId, LabelSet>& staged) {
    known_.insert(staged.begin(), staged.end());
    on_disk_.insert(staged.begin(), staged.end());
  }
  void FailInDoubt(const std::map<SeriesId, LabelSet>& staged) {
    on_disk_.insert(staged.begin(), staged.end());
    in_doubt_.insert(staged.begin(), staged.end());
  }
  void Remove(SeriesId id) { known_.erase(id); }
  void CleanUp() {
    on_disk_ = known_;
    on_disk_.insert(in_doubt_.begin(), in_doubt_.end());
  }
  void Reload() {
    std::map<LabelSet, SeriesId> last;
    for (const auto& [id, labels] : on_disk_) last[labels] = id;
    known_.clear();
    for (const auto& [labels, id] : last) known_[id] = labels;
    in_doubt_.clear();
  }
  bool Knows(const LabelSet& labels) const {
    return std::any_of(known_.begin(), known_.end(),
                       [&](const auto& entry) { return entry.second == labels; });
  }
  const std::map<SeriesId, LabelSet>& known() const { return known_; }

 private:
  std::map<SeriesId, LabelSet> known_;
  std::map<SeriesId, LabelSet> on_disk_;
  std::map<SeriesId, LabelSet> in_doubt_;  // since the last start
};

LabelSet RandomGpu(std::mt19937& random) {
  LabelSetBuilder labels(Gpu("m" + std::to_string(random() % 4), std::string(1, "ab"[random() % 2]),
                             static_cast<int>(random() % 5)));
  if (random() % 4 == 0) labels.Set("le", std::to_string(random() % 3));
  return labels.Build();
}

TEST_F(DictionaryTest, AgreesWithMapsThroughCommitsFailuresRemovalsAndStarts) {
  std::mt19937 random(11);
  Model model;
  SeriesId last_id = 0;
  for (int round = 0; round < 1500; ++round) {
    std::map<SeriesId, LabelSet> staged;
    std::set<LabelSet> staged_labels;
    for (size_t i = random() % 6; i > 0; --i) {
      const LabelSet labels = RandomGpu(random);
      if (model.Knows(labels) || !staged_labels.insert(labels).second) continue;
      const SeriesId id = Stage(labels);
      ASSERT_TRUE(last_id == 0 || id > last_id);
      last_id = id;
      staged[id] = labels;
    }
    switch (random() % 8) {
      case 0:
        FailInDoubt();
        model.FailInDoubt(staged);
        break;
      case 1:
        dictionary_->RollbackStaged();
        break;
      default:
        Commit();
        model.Commit(staged);
    }
    if (random() % 4 == 0) {
      std::vector<SeriesId> gone;
      for (const auto& [id, labels] : model.known()) {
        if (random() % 3 == 0) gone.push_back(id);
      }
      for (const SeriesId id : gone) model.Remove(id);
      Remove(gone);
    }
    if (random() % 6 == 0) {
      CleanUp();
      model.CleanUp();
    }
    if (random() % 6 == 0) {
      MustReload();
      model.Reload();
      last_id = 0;
    }
    ASSERT_EQ(Known(), model.known()) << "round " << round;
    std::set<std::pair<uint32_t, uint32_t>> places;
    for (const auto& [id, labels] : model.known()) {
      const SeriesPlace place = dictionary_->PlaceOf(id);
      ASSERT_TRUE(places.emplace(place.family, place.ordinal).second);
    }
  }
}

}  // namespace
}  // namespace lockstep
