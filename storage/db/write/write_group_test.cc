#include "storage/db/write/write_group.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/coding.h"
#include "storage/db/rows/window.h"
#include "storage/db/state/shard_testing.h"
#include "storage/kv/faults/fault_env.h"

namespace lockstep {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr TimeRange kAnyTime = kStorableTimes;
constexpr char kCompressedBlock = 3;

class WriteGroupTest : public ::testing::Test {
 protected:
  static LabelSet Labels(int rank) {
    return LabelSet::Of({{kMetricName, "m"}, {"job", "a"}, {"rank", std::to_string(rank)}});
  }
  SliceCounts Add(const LabelSet& labels, const std::vector<Sample>& samples,
                  TimeRange accepted = kAnyTime) {
    SliceCounts counts;
    const absl::Status status = group_.Add(labels, {samples, {}, {}}, accepted, counts);
    EXPECT_TRUE(status.ok()) << status;
    return counts;
  }
  // Writes the first samples of a series; returns its id.
  SeriesId Make(int rank, const std::vector<Sample>& samples) {
    Add(Labels(rank), samples);
    EXPECT_TRUE(group_.Commit().ok());
    return state_.directory->Find(SeriesKeyOf(Labels(rank)))->id;
  }
  // Samples of the series that could not be added at once.
  std::vector<KnownSample> AddKnown(SeriesId id, const std::vector<Sample>& samples,
                                    SliceCounts& counts, TimeRange accepted = kAnyTime,
                                    int64_t start_ms = 0) {
    std::vector<KnownSample> known, left;
    for (const Sample& sample : samples) known.push_back({{0, id}, sample, start_ms});
    group_.AddKnown(known, accepted, counts, left);
    return left;
  }
  SliceCounts AddLeft(SeriesId id, Sample sample, TimeRange accepted = kAnyTime) {
    SliceCounts counts;
    const absl::Status status = group_.AddLeft({{0, id}, sample, 0}, accepted, counts);
    EXPECT_TRUE(status.ok()) << status;
    return counts;
  }
  // Puts a sealed row of the series, which the head then does not have.
  void PutSealed(SeriesId id, const std::vector<Sample>& samples) {
    WriterLock lock(state_.mutex);
    const SeriesPlace place = state_.dictionary.PlaceOf(id);
    const int32_t window = WindowOf(samples.front().timestamp_ms);
    shard_.PutChunks(kv::Tier::kHot, {window, place.family, place.block(), 1, 0},
                     {{place.index_in_block(), samples}});
    state_.windows[window].Add(kv::Tier::kHot, 1, {{0, 1}, 1, 1});
    state_.dictionary.RaiseSealedMax(id, samples.back().timestamp_ms);
    state_.active = std::make_shared<Head>();
    ++state_.seal_count;
  }
  void Freeze() {
    WriterLock lock(state_.mutex);
    state_.frozen = std::exchange(state_.active, std::make_shared<Head>());
  }
  // "time=value ..." of what is in the active head.
  std::string InMemory(SeriesId id) {
    SampleColumns columns;
    ReaderLock lock(state_.mutex);
    state_.active->Read(id, kAllTimes, columns);
    std::string text;
    for (size_t i = 0; i < columns.values.size(); ++i) {
      text += std::to_string(columns.timestamps_ms[i]) + "=" +
              std::to_string(static_cast<int>(columns.values[i])) + " ";
    }
    return text;
  }
  // The sizes of the blocks in the journal, before they were compressed (docs/formats/journal.md).
  std::vector<size_t> Blocks() {
    std::vector<size_t> sizes;
    for (auto row = state_.kv->NewCursor(kv::Space::kJournal, {}); row.Valid(); row.Next()) {
      std::string_view block = row.value();
      uint64_t size = block.size();
      if (block.front() == kCompressedBlock) {
        block.remove_prefix(1);
        EXPECT_TRUE(GetVarint64(block, size));
      }
      sizes.push_back(size);
    }
    return sizes;
  }

  const std::shared_ptr<kv::FaultEnv> env_ = kv::FaultEnv::Make();
  LooseShard shard_{env_};
  ShardState& state_ = shard_.state();
  WriteGroup group_{state_};
};

void ExpectSliceCounts(const SliceCounts& counts, uint64_t written, uint64_t duplicate,
                       uint64_t overwritten, uint64_t out_of_order) {
  EXPECT_EQ(counts.written, written);
  EXPECT_EQ(counts.duplicate, duplicate);
  EXPECT_EQ(counts.overwritten, overwritten);
  EXPECT_EQ(counts.out_of_order, out_of_order);
}

TEST_F(WriteGroupTest, OneCommitMakesAllOfItDurableAndVisible) {
  ExpectSliceCounts(Add(Labels(0), {{10, 1}}), 1, 0, 0, 0);
  ExpectSliceCounts(Add(Labels(1), {{20, 1}, {5, 1}}), 2, 0, 0, 0);
  EXPECT_EQ(state_.directory->size(), 0u);
  EXPECT_THAT(Blocks(), IsEmpty());
  ASSERT_TRUE(group_.Commit().ok());
  EXPECT_EQ(Blocks().size(), 1u);
  EXPECT_EQ(state_.next_sequence, 2u);
  EXPECT_EQ(state_.counters.commit_count, 1u);
  EXPECT_GT(state_.counters.commit_bytes, Blocks()[0]);
  EXPECT_EQ(state_.changes->count(), 1u);
  EXPECT_EQ(state_.changes->EarliestSince(0), 5);
  EXPECT_EQ(state_.directory->size(), 2u);
  {
    ReaderLock lock(state_.mutex);
    EXPECT_EQ(state_.dictionary.index().series_count(), 2u);
    EXPECT_EQ(state_.counted_head_bytes, state_.active->byte_count());
    for (SeriesId id = 0; id < 2; ++id) {
      EXPECT_TRUE(state_.active->MayHold(id, *state_.active->counts()));
    }
  }
  // Nothing is left of it for the next one.
  Add(Labels(0), {{30, 1}});
  ASSERT_TRUE(group_.Commit().ok());
  EXPECT_EQ(state_.changes->EarliestSince(1), 30);
  EXPECT_EQ(Blocks().size(), 2u);
  EXPECT_EQ(state_.directory->size(), 2u);
}

TEST_F(WriteGroupTest, WithoutSamplesThereIsNoCommit) {
  ASSERT_TRUE(group_.Commit().ok());
  const SliceCounts counts = Add(Labels(0), {{10, 1}, {20, 1}}, {15, 15});
  EXPECT_EQ(counts.too_old, 1u);
  EXPECT_EQ(counts.too_new, 1u);
  ASSERT_TRUE(group_.Commit().ok());
  EXPECT_EQ(state_.counters.commit_count, 0u);
  EXPECT_EQ(state_.changes->count(), 0u);
  EXPECT_EQ(state_.next_sequence, 1u);
  EXPECT_EQ(state_.series_limit->count(), 0u);
}

TEST_F(WriteGroupTest, WhatTheDiskRefusesIsRolledBack) {
  const SeriesId id = Make(0, {{10, 1}});
  Add(Labels(0), {{20, 1}});
  Add(Labels(1), {{20, 1}});
  env_->FailFrom(1);
  EXPECT_FALSE(group_.Commit().ok());
  env_->Heal();
  EXPECT_EQ(InMemory(id), "10=1 ");
  EXPECT_EQ(state_.directory->size(), 1u);
  EXPECT_EQ(state_.series_limit->count(), 1u);
  EXPECT_EQ(state_.changes->count(), 1u);
  EXPECT_EQ(state_.counters.commit_count, 2u);
  // A number is not used twice: the log may have the block after all.
  EXPECT_EQ(state_.next_sequence, 3u);
  while (!state_.kv->Resume().ok()) {
  }
  ASSERT_TRUE(group_.Commit().ok());
  EXPECT_EQ(state_.counters.commit_count, 2u);
  ExpectSliceCounts(Add(Labels(0), {{20, 1}}), 1, 0, 0, 0);
}

TEST_F(WriteGroupTest, SamplesAreAcceptedUpToBothEndsOfTheRange) {
  SliceCounts counts = Add(Labels(0), {{9, 1}, {10, 1}, {20, 1}, {21, 1}, {22, 1}}, {10, 20});
  EXPECT_EQ(counts.written, 2u);
  EXPECT_EQ(counts.too_old, 1u);
  EXPECT_EQ(counts.too_new, 2u);
  counts = Add(Labels(1), {{10, 1}}, {10, 20});
  EXPECT_EQ(counts.written, 1u);
  counts = Add(Labels(1), {{9, 1}}, {10, 20});
  EXPECT_EQ(counts.too_old, 1u);
  // Repeated ones are counted before.
  counts = Add(Labels(2), {{9, 1}, {9, 1}, {9, 2}}, {10, 20});
  EXPECT_EQ(counts.duplicate, 1u);
  EXPECT_EQ(counts.overwritten, 1u);
  EXPECT_EQ(counts.too_old, 1u);
}

TEST_F(WriteGroupTest, SamplesOfTheGroupAreComparedWithEachOther) {
  ExpectSliceCounts(Add(Labels(0), {{10, 1}}), 1, 0, 0, 0);
  ExpectSliceCounts(Add(Labels(0), {{10, 1}}), 0, 1, 0, 0);
  ExpectSliceCounts(Add(Labels(0), {{10, 2}}), 0, 0, 1, 0);
  ExpectSliceCounts(Add(Labels(0), {{5, 2}, {10, 2}, {12, 2}}), 2, 1, 0, 1);
  ExpectSliceCounts(Add(Labels(0), {{12, 2}, {12, 2}}), 0, 2, 0, 0);
  ASSERT_TRUE(group_.Commit().ok());
  EXPECT_EQ(InMemory(0), "5=2 10=2 12=2 ");
}

TEST_F(WriteGroupTest, SamplesAreComparedWithThoseThatAreBeingSealed) {
  const SeriesId id = Make(0, {{10, 1}, {20, 1}});
  Freeze();
  ExpectSliceCounts(Add(Labels(0), {{20, 1}}), 0, 1, 0, 0);
  ExpectSliceCounts(Add(Labels(0), {{10, 2}}), 0, 0, 1, 1);
  ExpectSliceCounts(Add(Labels(0), {{15, 1}}), 1, 0, 0, 1);
  ExpectSliceCounts(Add(Labels(0), {{21, 1}}), 1, 0, 0, 0);
  EXPECT_EQ(InMemory(id), "10=2 15=1 21=1 ");
}

TEST_F(WriteGroupTest, SamplesAreComparedWithSealedOnes) {
  const SeriesId id = Make(0, {{1, 1}});
  PutSealed(id, {{10, 1}, {20, 1}});
  ExpectSliceCounts(Add(Labels(0), {{20, 1}}), 0, 1, 0, 0);
  ExpectSliceCounts(Add(Labels(0), {{10, 2}, {12, 2}}), 1, 0, 1, 2);
  ExpectSliceCounts(Add(Labels(0), {{21, 1}}), 1, 0, 0, 0);
  EXPECT_EQ(InMemory(id), "10=2 12=2 21=1 ");
}

TEST_F(WriteGroupTest, KnownSeriesTakeWhatIsNewerAndLeaveTheRest) {
  const SeriesId id = Make(0, {{100, 1}});
  SliceCounts counts;
  EXPECT_THAT(AddKnown(id, {{110, 1}, {120, 1}}, counts), IsEmpty());
  ExpectSliceCounts(counts, 2, 0, 0, 0);
  // Again; in a gap before all others; into a gap that nothing is known of.
  EXPECT_THAT(AddKnown(id, {{120, 1}}, counts), IsEmpty());
  ExpectSliceCounts(counts, 2, 1, 0, 0);
  EXPECT_THAT(AddKnown(id, {{50, 1}, {60, 1}}, counts), IsEmpty());
  ExpectSliceCounts(counts, 4, 1, 0, 2);
  std::vector<KnownSample> left = AddKnown(id, {{105, 1}, {120, 1}, {120, 2}}, counts);
  ASSERT_EQ(left.size(), 3u);
  EXPECT_EQ(left[0].sample.timestamp_ms, 105);
  ExpectSliceCounts(counts, 4, 1, 0, 2);
  // Outside the accepted times.
  EXPECT_EQ(AddKnown(id, {{99, 1}, {300, 1}}, counts, {100, 200}).size(), 2u);
  ExpectSliceCounts(counts, 4, 1, 0, 2);
  ASSERT_TRUE(group_.Commit().ok());
  EXPECT_EQ(InMemory(id), "50=1 60=1 100=1 110=1 120=1 ");
  EXPECT_EQ(state_.changes->EarliestSince(1), 50);
}

TEST_F(WriteGroupTest, ARepeatedSampleBehindOneThatIsLeftIsLeftToo) {
  const SeriesId id = Make(0, {{100, 1}});
  SliceCounts counts;
  EXPECT_EQ(AddKnown(id, {{100, 2}, {100, 1}}, counts).size(), 2u);
  ExpectSliceCounts(counts, 0, 0, 0, 0);
}

TEST_F(WriteGroupTest, SamplesWithAStartAreTakenOnlyIfTheyAreNewest) {
  const SeriesId id = Make(0, {{100, 1}});
  SliceCounts counts;
  EXPECT_THAT(AddKnown(id, {{110, 1}}, counts, kAnyTime, 90), IsEmpty());
  EXPECT_EQ(AddKnown(id, {{50, 1}, {110, 1}}, counts, kAnyTime, 90).size(), 2u);
  ExpectSliceCounts(counts, 1, 0, 0, 0);
  ASSERT_TRUE(group_.Commit().ok());
  SampleColumns columns;
  ReaderLock lock(state_.mutex);
  state_.active->Read(id, kAllTimes, columns);
  EXPECT_EQ(columns.StartOf(1), 90);
}

TEST_F(WriteGroupTest, WhatIsLeftIsComparedAndTheNextOnesFollowIt) {
  const SeriesId id = Make(0, {{100, 1}, {200, 2}});
  ExpectSliceCounts(AddLeft(id, {150, 1}), 1, 0, 0, 1);
  ExpectSliceCounts(AddLeft(id, {100, 1}), 0, 1, 0, 0);
  ExpectSliceCounts(AddLeft(id, {200, 3}), 0, 0, 1, 0);
  ExpectSliceCounts(AddLeft(id, {120, 1}), 1, 0, 0, 1);
  // The gap behind the last one is known now.
  SliceCounts counts;
  EXPECT_THAT(AddKnown(id, {{130, 1}, {140, 1}}, counts), IsEmpty());
  ExpectSliceCounts(counts, 2, 0, 0, 2);
  EXPECT_EQ(AddKnown(id, {{150, 1}}, counts).size(), 1u);
  EXPECT_EQ(AddLeft(id, {90, 1}, {100, 200}).too_old, 1u);
  EXPECT_EQ(AddLeft(id, {201, 1}, {100, 200}).too_new, 1u);
  EXPECT_EQ(InMemory(id), "100=1 120=1 130=1 140=1 150=1 200=3 ");
}

TEST_F(WriteGroupTest, BackfillBetweenSealedSamplesNeedsNoComparison) {
  const SeriesId id = Make(0, {{1, 1}});
  PutSealed(id, {{1000, 1}, {2000, 1}});
  // The ranges of sealed samples are not known yet.
  SliceCounts counts;
  EXPECT_EQ(AddKnown(id, {{500, 1}}, counts).size(), 1u);
  ExpectSliceCounts(AddLeft(id, {500, 1}), 1, 0, 0, 1);
  EXPECT_THAT(AddKnown(id, {{600, 1}, {999, 1}}, counts), IsEmpty());
  ExpectSliceCounts(counts, 2, 0, 0, 2);
  EXPECT_EQ(AddKnown(id, {{1000, 1}}, counts).size(), 1u);
  ExpectSliceCounts(AddLeft(id, {1000, 1}), 0, 1, 0, 0);
  ExpectSliceCounts(AddLeft(id, {1500, 1}), 1, 0, 0, 1);
  EXPECT_EQ(InMemory(id), "500=1 600=1 999=1 1500=1 ");
}

TEST_F(WriteGroupTest, BackfillIsComparedWithWhatIsBeingSealed) {
  const SeriesId id = Make(0, {{100, 1}, {200, 1}});
  Freeze();
  SliceCounts counts;
  EXPECT_EQ(AddKnown(id, {{150, 1}}, counts).size(), 1u);
  EXPECT_THAT(AddKnown(id, {{50, 1}}, counts), IsEmpty());
  ExpectSliceCounts(counts, 1, 0, 0, 1);
}

TEST_F(WriteGroupTest, ASeriesThatWasDroppedIsToBeSentAgain) {
  SliceCounts counts;
  EXPECT_EQ(AddKnown(7, {{10, 1}}, counts).size(), 1u);
  EXPECT_EQ(group_.AddLeft({{0, 7}, {10, 1}, 0}, kAnyTime, counts),
            absl::UnavailableError("a series of the request was dropped in the meantime; send the "
                                   "request again"));
  ExpectSliceCounts(counts, 0, 0, 0, 0);
}

TEST_F(WriteGroupTest, WhatExceedsALimitIsCounted) {
  state_.series_limit->SetLimits({.max_series = 1});
  Make(0, {{10, 1}});
  for (const std::vector<Sample>& samples : {std::vector<Sample>{{10, 1}}, {{10, 1}, {20, 1}}}) {
    const SliceCounts counts = Add(Labels(1), samples);
    EXPECT_EQ(counts.over_series_limit, samples.size());
    EXPECT_EQ(counts.which_limit, SeriesLimit::Answer::kStoreIsFull);
    EXPECT_EQ(counts.written, 0u);
  }
  ASSERT_TRUE(group_.Commit().ok());
  EXPECT_EQ(state_.counters.commit_count, 1u);
}

// Of random values, so that each sample takes about ten bytes.
std::vector<Sample> RandomFloats(size_t count, int64_t from_ms) {
  std::mt19937_64 random(1);
  std::vector<Sample> samples;
  for (size_t i = 0; i < count; ++i) {
    samples.push_back({from_ms + static_cast<int64_t>(i), static_cast<double>(random())});
  }
  return samples;
}

TEST_F(WriteGroupTest, AJournalBlockEndsBehindAQuarterOfAMebibyte) {
  constexpr size_t kEnd = size_t{256} << 10;
  for (int slice = 0; slice < 20; ++slice) {
    Add(Labels(0), RandomFloats(kMaxSliceFloats, slice * 10'000));
  }
  ASSERT_TRUE(group_.Commit().ok());
  const std::vector<size_t> blocks = Blocks();
  ASSERT_EQ(blocks.size(), 3u);
  for (size_t i = 0; i + 1 < blocks.size(); ++i) {
    EXPECT_GE(blocks[i], kEnd - 100);
    EXPECT_LT(blocks[i], kEnd + kMaxSliceFloats * 12);
  }
  EXPECT_LT(blocks.back(), kEnd);
  EXPECT_EQ(state_.next_sequence, 4u);
}

TEST_F(WriteGroupTest, IsFullWithTwoMebibytes) {
  const SeriesId id = Make(0, {{1, 1}});
  EXPECT_FALSE(group_.full());
  int64_t from_ms = 10;
  SliceCounts counts;
  while (!group_.full()) {
    EXPECT_THAT(AddKnown(id, RandomFloats(1000, from_ms), counts), IsEmpty());
    from_ms += 1000;
  }
  ASSERT_TRUE(group_.Commit().ok());
  size_t bytes = 0;
  for (const size_t block : Blocks()) bytes += block;
  EXPECT_GT(bytes, size_t{2'080'000});
  EXPECT_LT(bytes, size_t{2'120'000});
  EXPECT_FALSE(group_.full());
}

TEST_F(WriteGroupTest, LabelsOfNewSeriesFillItToo) {
  int count = 0;
  for (; !group_.full(); ++count) {
    Add(LabelSet::Of(
            {{kMetricName, "m"}, {"job", std::to_string(count) + std::string(20'000, 'x')}}),
        {{10, 1}});
  }
  EXPECT_EQ(count, 105);  // times twenty kilobytes
  ASSERT_TRUE(group_.Commit().ok());
  EXPECT_FALSE(group_.full());
  EXPECT_EQ(state_.directory->size(), 105u);
}

TEST(SliceCountsTest, Add) {
  SliceCounts sum, more;
  sum.which_limit = SeriesLimit::Answer::kJobIsFull;
  sum.over_series_limit = 1;
  more.written = 1;
  more.duplicate = 2;
  more.overwritten = 3;
  more.too_old = 4;
  more.too_new = 5;
  more.out_of_order = 6;
  sum += more;
  sum += more;
  EXPECT_EQ(sum.written, 2u);
  EXPECT_EQ(sum.duplicate, 4u);
  EXPECT_EQ(sum.overwritten, 6u);
  EXPECT_EQ(sum.too_old, 8u);
  EXPECT_EQ(sum.too_new, 10u);
  EXPECT_EQ(sum.out_of_order, 12u);
  EXPECT_EQ(sum.over_series_limit, 1u);
  EXPECT_EQ(sum.which_limit, SeriesLimit::Answer::kJobIsFull);
  more.over_series_limit = 7;
  more.which_limit = SeriesLimit::Answer::kNoMemory;
  sum += more;
  EXPECT_EQ(sum.over_series_limit, 8u);
  EXPECT_EQ(sum.which_limit, SeriesLimit::Answer::kNoMemory);
}

TEST(SampleSliceTest, HistogramsComeBehindAllFloats) {
  const std::vector<Sample> floats(kMaxSliceFloats + 1);
  const std::vector<int64_t> starts(kMaxSliceFloats + 1, 5);
  const std::vector<HistogramSample> histograms(kMaxSliceHistograms + 1);
  SampleSlice left{floats, starts, histograms};
  const auto take = [&left] {
    const SampleSlice first = left.TakeFirst();
    return std::vector<size_t>{first.floats.size(), first.starts_ms.size(),
                               first.histograms.size()};
  };
  EXPECT_THAT(take(), ElementsAre(kMaxSliceFloats, kMaxSliceFloats, 0));
  EXPECT_THAT(take(), ElementsAre(1, 1, kMaxSliceHistograms));
  EXPECT_FALSE(left.empty());
  EXPECT_THAT(take(), ElementsAre(0, 0, 1));
  EXPECT_TRUE(left.empty());
}

}  // namespace
}  // namespace lockstep
