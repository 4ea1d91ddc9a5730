#include "storage/db/rewrite/eraser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "storage/db/rows/window.h"
#include "storage/db/state/shard_testing.h"

namespace lockstep {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr int32_t kErasedWindow = 7;
constexpr int64_t kErasedBeginMs = kErasedWindow * kWindowMs;

TEST(BlocksOf, AreInTheOrderOfTheirRows) {
  Dictionary dictionary;
  const auto add = [&dictionary](const std::string& metric, int rank) {
    return dictionary
        .StageNew(
            LabelSet::Of({{kMetricName, metric}, {"job", "a"}, {"rank", std::to_string(rank)}}))
        .id;
  };
  std::vector<SeriesId> first, second;
  for (int rank = 0; rank < 70; ++rank) {
    first.push_back(add("first", rank));
    second.push_back(add("second", rank));
  }
  dictionary.CommitStaged();
  const uint32_t first_family = dictionary.PlaceOf(first[0]).family;
  const uint32_t second_family = dictionary.PlaceOf(second[0]).family;
  ASSERT_LT(first_family, second_family);
  const std::vector<SeriesId> ids = {second[65], first[66], 1'000'000, second[1],
                                     first[63],  first[2],  second[0]};
  const std::vector<SeriesBlock> blocks = BlocksOf(dictionary, ids);
  ASSERT_EQ(blocks.size(), 4u);
  const auto expect = [](const SeriesBlock& block, uint32_t family, uint32_t number,
                         const std::vector<std::pair<uint32_t, SeriesId>>& members) {
    EXPECT_EQ(block.family, family);
    EXPECT_EQ(block.block, number);
    std::vector<std::pair<uint32_t, SeriesId>> found;
    uint64_t bits = 0;
    for (const SeriesBlock::Member& member : block.members) {
      found.emplace_back(member.index_in_block, member.id);
      bits |= uint64_t{1} << member.index_in_block;
    }
    EXPECT_EQ(found, members);
    EXPECT_EQ(block.bits, bits);
  };
  expect(blocks[0], first_family, 0, {{2, first[2]}, {63, first[63]}});
  expect(blocks[1], first_family, 1, {{2, first[66]}});
  expect(blocks[2], second_family, 0, {{0, second[0]}, {1, second[1]}});
  expect(blocks[3], second_family, 1, {{1, second[65]}});
  EXPECT_THAT(BlocksOf(dictionary, {}), IsEmpty());
}

class EraserTest : public ::testing::Test {
 protected:
  EraserTest() {
    WriterLock lock(shard_.state().mutex);
    shard_.state().sealed_sequence = 100;
  }
  Eraser Of(TimeRange range) {
    return Eraser(shard_.state(), {kErasedBeginMs + range.min_ms, kErasedBeginMs + range.max_ms},
                  [this] { return stop_; });
  }
  static std::vector<Sample> At(const std::vector<int64_t>& times_ms) {
    std::vector<Sample> samples;
    for (const int64_t time_ms : times_ms) samples.push_back({kErasedBeginMs + time_ms, 1});
    return samples;
  }
  static kv::ChunkKey Key(uint64_t generation, uint16_t part = 0) {
    return {kErasedWindow, 1, 0, generation, part};
  }
  void PutWindow(kv::Tier tier, uint64_t generation, uint64_t sample_count,
                 std::vector<SeriesId> series) {
    shard_.PutWindowRow(
        {kErasedWindow, tier, generation, 0},
        {{{kErasedBeginMs, kErasedBeginMs + 9}, sample_count, 1000}, std::move(series)});
  }
  std::vector<int64_t> TimesOf(kv::Tier tier, const kv::ChunkKey& key, uint32_t index) {
    StoredBlock block;
    SampleColumns columns;
    const auto row = shard_.state().kv->Get(kv::SpaceOf(tier), kv::EncodeChunkKey(key));
    EXPECT_TRUE(block.Add(**row, kAllTimes).ok());
    EXPECT_TRUE(block.Read(index, kAllTimes, columns).ok());
    for (int64_t& time_ms : columns.timestamps_ms) time_ms -= kErasedBeginMs;
    return columns.timestamps_ms;
  }

  LooseShard shard_;
  bool stop_ = false;
};

TEST_F(EraserTest, RewritesEachRunWithoutTheSamplesAndCountsThem) {
  shard_.PutChunks(kv::Tier::kCold, Key(1), {{3, At({1, 2, 3})}, {4, At({2})}});
  shard_.PutChunks(kv::Tier::kHot, Key(2), {{3, At({2, 5})}, {4, At({1, 2})}});
  shard_.PutChunks(kv::Tier::kHot, Key(3), {{4, At({2})}});
  PutWindow(kv::Tier::kCold, 1, 4, {30, 40});
  PutWindow(kv::Tier::kHot, 2, 4, {30, 40});
  PutWindow(kv::Tier::kHot, 3, 1, {40});
  const std::vector<SeriesBlock> blocks = {{1, 0, uint64_t{1} << 3, {{3, 30}}}};
  std::span<const SeriesBlock> left = blocks;
  Eraser eraser = Of({2, 4});
  ASSERT_TRUE(eraser.Step(kErasedWindow, left).ok());
  EXPECT_TRUE(left.empty());
  EXPECT_EQ(eraser.erased_sample_count(), 3u);
  EXPECT_THAT(shard_.ChunkKeys(kv::Tier::kCold), ElementsAre(Key(1, 1)));
  EXPECT_THAT(shard_.ChunkKeys(kv::Tier::kHot), ElementsAre(Key(2, 1), Key(3)));
  EXPECT_THAT(TimesOf(kv::Tier::kCold, Key(1, 1), 3), ElementsAre(1));
  EXPECT_THAT(TimesOf(kv::Tier::kCold, Key(1, 1), 4), ElementsAre(2));
  EXPECT_THAT(TimesOf(kv::Tier::kHot, Key(2, 1), 3), ElementsAre(5));
  EXPECT_THAT(TimesOf(kv::Tier::kHot, Key(2, 1), 4), ElementsAre(1, 2));
  auto rows = shard_.WindowRows();
  EXPECT_EQ(rows["cold 1.0"].totals.sample_count, 2u);
  EXPECT_EQ(rows["hot 2.0"].totals.sample_count, 3u);
  EXPECT_EQ(rows["hot 3.0"].totals.sample_count, 1u);
  // The series has samples left.
  EXPECT_THAT(rows["cold 1.0"].series, ElementsAre(30, 40));
  EXPECT_THAT(rows["hot 2.0"].series, ElementsAre(30, 40));

  left = blocks;
  Eraser rest = Of({0, 9});
  ASSERT_TRUE(rest.Step(kErasedWindow, left).ok());
  EXPECT_EQ(rest.erased_sample_count(), 2u);
  rows = shard_.WindowRows();
  EXPECT_THAT(rows["cold 1.0"].series, ElementsAre(40));
  EXPECT_THAT(rows["hot 2.0"].series, ElementsAre(40));
  Windows windows;
  windows[kErasedWindow];
  rest.Publish(windows);
  ASSERT_TRUE(windows[kErasedWindow].cold.has_value());
  EXPECT_EQ(windows[kErasedWindow].cold->totals.sample_count, 1u);
  EXPECT_EQ(windows[kErasedWindow].hot.size(), 2u);
}

TEST_F(EraserTest, AWindowWithoutRowsIsForgotten) {
  shard_.PutChunks(kv::Tier::kCold, Key(1), {{3, At({1})}});
  shard_.PutChunks(kv::Tier::kHot, Key(2), {{3, At({2})}});
  PutWindow(kv::Tier::kCold, 1, 1, {30});
  PutWindow(kv::Tier::kHot, 2, 1, {30});
  const std::vector<SeriesBlock> blocks = {{1, 0, uint64_t{1} << 3, {{3, 30}}}};
  for (const auto& [range, row_count] :
       {std::pair(TimeRange{1, 1}, 2u), std::pair(TimeRange{2, 2}, 0u)}) {
    std::span<const SeriesBlock> left = blocks;
    Eraser eraser = Of(range);
    ASSERT_TRUE(eraser.Step(kErasedWindow, left).ok());
    EXPECT_EQ(shard_.WindowRows().size(), row_count);
    Windows windows;
    windows[kErasedWindow];
    eraser.Publish(windows);
    EXPECT_EQ(windows.size(), row_count > 0 ? 1u : 0u);
  }
  EXPECT_THAT(shard_.ChunkKeys(kv::Tier::kCold), IsEmpty());
}

// Looking for a block counts as reading half a kibibyte.
TEST_F(EraserTest, AStepLooksAtAboutAMegabyte) {
  std::vector<SeriesBlock> blocks;
  for (uint32_t number = 0; number < 3000; ++number)
    blocks.push_back({1, number, 1, {{0, number}}});
  std::span<const SeriesBlock> left = blocks;
  Eraser eraser = Of({0, 9});
  ASSERT_TRUE(eraser.Step(kErasedWindow, left).ok());
  EXPECT_EQ(left.size(), 3000u - 2048u);
  ASSERT_TRUE(eraser.Step(kErasedWindow, left).ok());
  EXPECT_EQ(left.size(), 0u);
  EXPECT_EQ(eraser.erased_sample_count(), 0u);
}

TEST_F(EraserTest, StopsWhenTheStoreCloses) {
  const std::vector<SeriesBlock> blocks = {{1, 0, 1, {{0, 1}}}};
  std::span<const SeriesBlock> left = blocks;
  Eraser eraser = Of({0, 9});
  stop_ = true;
  EXPECT_EQ(eraser.Step(kErasedWindow, left), absl::CancelledError("the store is closing"));
  EXPECT_EQ(left.size(), 1u);
}

}  // namespace
}  // namespace lockstep
