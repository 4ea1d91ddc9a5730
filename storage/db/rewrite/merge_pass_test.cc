#include "storage/db/rewrite/merge_pass.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "storage/db/rows/window.h"
#include "storage/db/state/shard_testing.h"

namespace lockstep {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr int32_t kMergeWindow = 7;
constexpr int64_t kMergeBeginMs = kMergeWindow * kWindowMs;

class MergePassTest : public ::testing::Test {
 protected:
  MergePassTest() {
    WriterLock lock(shard_.state().mutex);
    shard_.state().sealed_sequence = 100;
  }
  static kv::ChunkKey Key(uint32_t family, uint32_t block, uint64_t generation, uint16_t part = 0) {
    return {kMergeWindow, family, block, generation, part};
  }
  // A row with one sample of the first series of the block.
  size_t Put(kv::Tier tier, const kv::ChunkKey& key, int64_t time_ms, double value) {
    return shard_.PutChunks(tier, key, {{0, {{kMergeBeginMs + time_ms, value}}}});
  }
  void PutWindow(kv::Tier tier, uint64_t generation, uint64_t byte_count) {
    shard_.PutWindowRow(
        {kMergeWindow, tier, generation, 0},
        {{{kMergeBeginMs, kMergeBeginMs + 9}, 1, byte_count}, {SeriesId(generation)}});
  }
  // About a megabyte of rows.
  void PutNoise(uint32_t block, uint64_t generation) {
    for (uint16_t part = 0; part < 4; ++part) {
      std::vector<Sample> samples;
      for (int64_t i = 0; i < 30'000; ++i) {
        const int64_t time_ms = kMergeBeginMs + part * 40'000 + i;
        samples.push_back({time_ms, static_cast<double>(random_())});
      }
      shard_.PutChunks(kv::Tier::kHot, Key(1, block, generation, part), {{0, samples}});
    }
  }
  // "time=value ..." of the first series of a row.
  std::string Samples(kv::Tier tier, const kv::ChunkKey& key) {
    const auto row = shard_.state().kv->Get(kv::SpaceOf(tier), kv::EncodeChunkKey(key));
    if (!row.ok() || !row->has_value()) return "no row";
    StoredBlock block;
    SampleColumns columns;
    EXPECT_TRUE(block.Add(**row, kAllTimes).ok());
    EXPECT_TRUE(block.Read(0, kAllTimes, columns).ok());
    std::string text;
    for (size_t i = 0; i < columns.values.size(); ++i) {
      text += std::to_string(columns.timestamps_ms[i] - kMergeBeginMs) + "=" +
              std::to_string(static_cast<int>(columns.values[i])) + " ";
    }
    return text;
  }
  MergePass Pass(const MergePlan& plan) {
    return MergePass(shard_.state(), plan, [this] { return stop_; });
  }

  LooseShard shard_;
  std::mt19937_64 random_{1};
  bool stop_ = false;
};

constexpr kv::Tier kIsHot = kv::Tier::kHot;
constexpr kv::Tier kIsCold = kv::Tier::kCold;

TEST_F(MergePassTest, MergesTheRunsOfItsPlanAlone) {
  for (uint64_t generation = 1; generation <= 4; ++generation) PutWindow(kIsHot, generation, 1000);
  Put(kIsHot, Key(1, 0, 1), 1, 1);
  const size_t second = Put(kIsHot, Key(1, 0, 2), 2, 2);
  const size_t third = Put(kIsHot, Key(1, 0, 3), 2, 3);
  Put(kIsHot, Key(1, 0, 4), 2, 4);
  Put(kIsHot, Key(1, 1, 1), 1, 1);
  Put(kIsHot, Key(1, 1, 4), 1, 4);
  Put(kIsHot, Key(2, 0, 2), 5, 2);
  Put(kIsHot, Key(2, 5, 1), 1, 1);
  Put(kIsHot, Key(2, 5, 3), 6, 3);
  Put(kIsCold, Key(1, 0, 1), 2, 9);
  shard_.PutChunks(kIsHot, {kMergeWindow + 1, 1, 0, 2, 0}, {{0, {{kMergeBeginMs, 1}}}});
  shard_.PutChunks(kIsHot, {kMergeWindow + 1, 1, 0, 3, 0}, {{0, {{kMergeBeginMs, 1}}}});

  MergePass pass = Pass({kMergeWindow, kIsHot, 1, 3, 0});
  const auto done = pass.Step();
  ASSERT_TRUE(done.ok()) << done.status();
  EXPECT_TRUE(*done);
  // The joined row is a later part of the newest generation.
  EXPECT_THAT(shard_.ChunkKeys(kIsHot),
              ElementsAre(Key(1, 0, 1), Key(1, 0, 3, 1), Key(1, 0, 4), Key(1, 1, 1), Key(1, 1, 4),
                          Key(2, 0, 2), Key(2, 5, 1), Key(2, 5, 3),
                          kv::ChunkKey{kMergeWindow + 1, 1, 0, 2, 0},
                          kv::ChunkKey{kMergeWindow + 1, 1, 0, 3, 0}));
  EXPECT_EQ(Samples(kIsHot, Key(1, 0, 3, 1)), "2=3 ");
  EXPECT_EQ(Samples(kIsHot, Key(1, 0, 4)), "2=4 ");
  EXPECT_EQ(Samples(kIsCold, Key(1, 0, 1)), "2=9 ");
  EXPECT_EQ(pass.read_bytes(), second + third);
  const size_t joined = shard_.ChunkBytes(kIsHot, Key(1, 0, 3, 1));
  EXPECT_EQ(pass.written_bytes(), joined);

  const auto rows = shard_.WindowRows();
  EXPECT_EQ(rows.size(), 3u);
  ASSERT_TRUE(rows.contains("hot 3.1"));
  EXPECT_EQ(rows.at("hot 3.1").totals.sample_count, 2u);
  EXPECT_EQ(rows.at("hot 3.1").totals.byte_count, 2000 - second - third + joined);
  EXPECT_THAT(rows.at("hot 3.1").series, ElementsAre(2, 3));
  EXPECT_EQ(rows.at("hot 1.0").totals.byte_count, 1000u);
  EXPECT_EQ(rows.at("hot 4.0").totals.byte_count, 1000u);
}

TEST_F(MergePassTest, MakesOneColdRunOfAllUpToItsPlan) {
  PutWindow(kIsCold, 2, 1000);
  PutWindow(kIsHot, 3, 1000);
  PutWindow(kIsHot, 4, 1000);
  PutWindow(kIsHot, 5, 1000);
  // Joined with what is cold already, behind the row that has the same generation.
  const size_t joined = Put(kIsCold, Key(1, 0, 2), 1, 1) + Put(kIsCold, Key(1, 0, 4), 2, 2) +
                        Put(kIsHot, Key(1, 0, 3), 2, 3) + Put(kIsHot, Key(1, 0, 4), 3, 4);
  Put(kIsHot, Key(1, 0, 5), 4, 5);
  // Moved as it is.
  const size_t moved = Put(kIsHot, Key(2, 0, 3, 7), 1, 1);
  // Left as it is.
  Put(kIsCold, Key(3, 0, 2), 1, 1);
  MergePass pass = Pass({kMergeWindow, kIsCold, 0, 4, 0});
  const auto done = pass.Step();
  ASSERT_TRUE(done.ok() && *done) << done.status();
  EXPECT_THAT(shard_.ChunkKeys(kIsHot), ElementsAre(Key(1, 0, 5)));
  EXPECT_THAT(shard_.ChunkKeys(kIsCold),
              ElementsAre(Key(1, 0, 4, 1), Key(2, 0, 3, 7), Key(3, 0, 2)));
  EXPECT_EQ(Samples(kIsCold, Key(1, 0, 4, 1)), "1=1 2=3 3=4 ");
  EXPECT_EQ(shard_.ChunkBytes(kIsCold, Key(2, 0, 3, 7)), moved);
  EXPECT_EQ(pass.read_bytes(), joined + moved);
  EXPECT_EQ(pass.written_bytes(), shard_.ChunkBytes(kIsCold, Key(1, 0, 4, 1)) + moved);
  const auto rows = shard_.WindowRows();
  EXPECT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows.at("cold 4.0").totals.sample_count, 3u);
  EXPECT_EQ(rows.at("cold 4.0").totals.byte_count, 3000 - pass.read_bytes() + pass.written_bytes());
  EXPECT_TRUE(rows.contains("hot 5.0"));
}

TEST_F(MergePassTest, GoesOnWhereItsLastStepEnded) {
  // Each block has more than a step reads.
  for (uint32_t block = 0; block < 2; ++block) {
    for (uint64_t generation = 1; generation <= 2; ++generation) PutNoise(block, generation);
  }
  PutWindow(kIsHot, 1, 1'000'000);
  PutWindow(kIsHot, 2, 1'000'000);
  MergePass pass = Pass({kMergeWindow, kIsHot, 0, 2, 0});
  auto done = pass.Step();
  ASSERT_TRUE(done.ok()) << done.status();
  EXPECT_FALSE(*done);
  EXPECT_EQ(shard_.WindowRows().size(), 2u);
  const auto is_merged = [this](uint32_t block) {
    for (const kv::ChunkKey& key : shard_.ChunkKeys(kIsHot)) {
      if (key.block == block && key.generation == 1) return false;
    }
    return true;
  };
  EXPECT_TRUE(is_merged(0));
  EXPECT_FALSE(is_merged(1));
  done = pass.Step();
  ASSERT_TRUE(done.ok()) << done.status();
  EXPECT_FALSE(*done);
  EXPECT_TRUE(is_merged(1));
  done = pass.Step();
  ASSERT_TRUE(done.ok()) << done.status();
  EXPECT_TRUE(*done);
  EXPECT_EQ(shard_.WindowRows().size(), 1u);
}

TEST_F(MergePassTest, ABlockHasAtMostSixtyThousandRowsOfAGeneration) {
  const auto merge = [this] {
    MergePass pass = Pass({kMergeWindow, kIsHot, 0, 2, 0});
    return pass.Step().status();
  };
  PutWindow(kIsHot, 1, 1000);
  PutWindow(kIsHot, 2, 1000);
  Put(kIsHot, Key(1, 0, 1), 1, 1);
  Put(kIsHot, Key(1, 0, 2, 59'999), 2, 2);
  EXPECT_TRUE(merge().ok());
  EXPECT_THAT(shard_.ChunkKeys(kIsHot), ElementsAre(Key(1, 0, 2, 60'000)));
  Put(kIsHot, Key(1, 0, 1), 1, 1);
  EXPECT_EQ(merge(), absl::DataLossError("a block has too many rows"));
}

TEST_F(MergePassTest, ReportsAKeyThatIsMalformed) {
  shard_.Put(kv::Space::kHot, kv::EncodeChunkKey(Key(1, 0, 1)) + "x", "");
  MergePass pass = Pass({kMergeWindow, kIsHot, 0, 2, 0});
  EXPECT_EQ(pass.Step().status(), absl::DataLossError("a key of the chunks is malformed"));
}

TEST_F(MergePassTest, IsValidWhileTheWindowHasBothEndsOfItsPlan) {
  Windows windows;
  const auto is_valid = [&](uint64_t after, uint64_t upto) {
    return Pass({kMergeWindow, kIsHot, after, upto, 0}).IsValid(windows);
  };
  EXPECT_FALSE(is_valid(0, 3));
  windows[kMergeWindow].Add(kIsHot, 2, {{0, 1}, 1, 1});
  windows[kMergeWindow].Add(kIsHot, 3, {{0, 1}, 1, 1});
  EXPECT_TRUE(is_valid(0, 3));
  EXPECT_TRUE(is_valid(2, 3));
  EXPECT_FALSE(is_valid(1, 3));
  EXPECT_FALSE(is_valid(0, 4));
  EXPECT_FALSE(is_valid(2, 4));
  windows[kMergeWindow].hot.clear();
  windows[kMergeWindow].Add(kIsCold, 3, {{0, 1}, 1, 1});
  EXPECT_FALSE(is_valid(0, 3));
}

}  // namespace
}  // namespace lockstep
