#include "storage/db/rows/block_rows.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "storage/kv/faults/fault_env.h"
#include "tests/support/test_folder.h"

namespace lockstep {
namespace {

constexpr SeriesPlace PlaceIn(uint32_t family, uint32_t block) {
  return {family, block * kSeriesPerBlock + 5};
}

class BlockRowsTest : public ::testing::Test {
 protected:
  BlockRowsTest()
      : kv_(*kv::Store::Open(folder_.path() + "/kv", kv::FaultEnv::Make(),
                             std::make_shared<const kv::Resources>(kv::ResourceLimits{}))) {}

  void Put(kv::Tier tier, const kv::ChunkKey& key, std::string_view value) {
    kv::Batch batch = kv_->NewBatch();
    batch.Put(kv::SpaceOf(tier), kv::EncodeChunkKey(key), value);
    ASSERT_TRUE(kv_->Commit(batch, kv::Durability::kBuffered).ok());
  }

  // "place:row place:row ..."
  std::string Read(BlockRows& rows, WindowToRead window, const std::vector<SeriesPlace>& places) {
    std::string all;
    const absl::Status status =
        rows.ForEach(window, places, [&all](size_t i, std::string_view value) {
          if (!all.empty()) all += ' ';
          all += std::to_string(i) + ':' + std::string(value);
          return absl::OkStatus();
        });
    EXPECT_TRUE(status.ok()) << status;
    return all;
  }

  TestFolder folder_;
  const std::unique_ptr<kv::Store> kv_;
};

TEST_F(BlockRowsTest, ReadsTheBlocksThatAreAskedForColdRowsFirst) {
  const auto cold = kv::Tier::kCold;
  const auto hot = kv::Tier::kHot;
  Put(hot, {7, 1, 0, 3, 0}, "hot-1-0");
  Put(cold, {7, 1, 0, 1, 0}, "cold-1-0");
  Put(cold, {7, 1, 0, 1, 1}, "more-1-0");
  Put(cold, {7, 1, 1, 1, 0}, "cold-1-1");
  Put(cold, {7, 2, 0, 1, 0}, "cold-2-0");
  Put(hot, {7, 4, 2, 3, 0}, "hot-4-2");
  Put(hot, {7, 4, 2, 5, 0}, "later-4-2");
  Put(cold, {8, 1, 0, 1, 0}, "next-1-0");
  for (const bool is_flushed : {false, true}) {
    if (is_flushed) {
      ASSERT_TRUE(kv_->Flush().ok());
    }
    BlockRows rows(*kv_, nullptr);
    EXPECT_EQ(Read(rows, {7}, {PlaceIn(1, 0), PlaceIn(2, 0), PlaceIn(3, 0), PlaceIn(4, 2)}),
              "0:cold-1-0 0:more-1-0 1:cold-2-0 0:hot-1-0 3:hot-4-2 3:later-4-2");
    EXPECT_EQ(Read(rows, {8}, {PlaceIn(1, 0), PlaceIn(1, 1)}), "0:next-1-0");
    // Back to an earlier one.
    EXPECT_EQ(Read(rows, {7}, {PlaceIn(1, 1)}), "0:cold-1-1");
    EXPECT_EQ(Read(rows, {7}, {PlaceIn(0, 0), PlaceIn(9, 9)}), "");
    EXPECT_EQ(Read(rows, {6}, {PlaceIn(1, 0)}), "");
    EXPECT_EQ(Read(rows, {7}, {}), "");
  }
}

// Blocks beside each other, and others between those that are wanted.
TEST_F(BlockRowsTest, ReadsAnySelectionOfBlocks) {
  constexpr uint32_t kFamilies = 3;
  constexpr uint32_t kBlocks = 4;
  for (uint32_t i = 0; i < kFamilies * kBlocks; ++i) {
    // Every third block has no rows.
    if (i % 3 == 1) continue;
    Put(kv::Tier::kCold, {7, i / kBlocks, i % kBlocks, 1, 0}, std::to_string(i));
    Put(kv::Tier::kCold, {7, i / kBlocks, i % kBlocks, 1, 1}, "more");
  }
  BlockRows rows(*kv_, nullptr);
  for (uint32_t wanted = 0; wanted < 1u << (kFamilies * kBlocks); wanted += 7) {
    std::vector<SeriesPlace> places;
    std::string expected;
    for (uint32_t i = 0; i < kFamilies * kBlocks; ++i) {
      if ((wanted >> i & 1) == 0) continue;
      const std::string place = std::to_string(places.size());
      places.push_back(PlaceIn(i / kBlocks, i % kBlocks));
      if (i % 3 == 1) continue;
      expected += (expected.empty() ? "" : " ") + place + ":" + std::to_string(i);
      expected += " " + place + ":more";
    }
    ASSERT_EQ(Read(rows, {7}, places), expected) << wanted;
  }
}

TEST_F(BlockRowsTest, AnAllColdWindowHasNothingInTheHotSpace) {
  Put(kv::Tier::kHot, {7, 1, 0, 3, 0}, "hot");
  Put(kv::Tier::kCold, {7, 1, 0, 1, 0}, "cold");
  BlockRows rows(*kv_, nullptr);
  EXPECT_EQ(Read(rows, {7, /*is_all_cold=*/true}, {PlaceIn(1, 0)}), "0:cold");
}

TEST_F(BlockRowsTest, SeesOneMoment) {
  Put(kv::Tier::kHot, {7, 1, 0, 3, 0}, "old");
  const kv::SnapshotPtr snapshot = kv_->NewSnapshot();
  BlockRows then(*kv_, snapshot), also_then(*kv_, nullptr);
  EXPECT_EQ(Read(also_then, {6}, {PlaceIn(1, 0)}), "");
  Put(kv::Tier::kHot, {7, 1, 0, 4, 0}, "new");
  Put(kv::Tier::kCold, {7, 1, 0, 1, 0}, "moved");
  EXPECT_EQ(Read(then, {7}, {PlaceIn(1, 0)}), "0:old");
  EXPECT_EQ(Read(also_then, {7}, {PlaceIn(1, 0)}), "0:old");
  BlockRows now(*kv_, nullptr);
  EXPECT_EQ(Read(now, {7}, {PlaceIn(1, 0)}), "0:moved 0:old 0:new");
}

TEST_F(BlockRowsTest, EndsAtTheFirstError) {
  Put(kv::Tier::kHot, {7, 1, 0, 3, 0}, "one");
  Put(kv::Tier::kHot, {7, 1, 0, 4, 0}, "two");
  int count = 0;
  const SeriesPlace place = PlaceIn(1, 0);
  BlockRows rows(*kv_, nullptr);
  const absl::Status status = rows.ForEach({7}, {&place, 1}, [&count](size_t, std::string_view) {
    ++count;
    return absl::CancelledError("enough");
  });
  EXPECT_EQ(status.code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(count, 1);
}

}  // namespace
}  // namespace lockstep
