#include "storage/db/write/sealed_ranges.h"

#include <gtest/gtest.h>

#include "storage/db/rows/window.h"
#include "storage/db/state/shard_testing.h"

namespace lockstep {
namespace {

constexpr int32_t kRangesWindow = 7;
constexpr int64_t kRangesBeginMs = kRangesWindow * kWindowMs;

class SealedRangesTest : public ::testing::Test {
 protected:
  SealedRangesTest() {
    WriterLock lock(shard_.state().mutex);
    shard_.state().windows[kRangesWindow].Add(kv::Tier::kHot, 1, {{0, 1}, 1, 1});
  }
  void Put(kv::Tier tier, uint64_t generation,
           const std::map<uint32_t, std::vector<Sample>>& floats) {
    shard_.PutChunks(tier, {kRangesWindow, 1, 0, generation, 0}, floats);
  }
  bool MayHave(uint32_t ordinal, int64_t offset_ms) {
    return ranges_.MayHaveTime({1, ordinal}, kRangesBeginMs + offset_ms);
  }
  void Load() { ASSERT_TRUE(ranges_.Load({1, 0}, kRangesBeginMs).ok()); }

  LooseShard shard_;
  SealedRanges ranges_{shard_.state()};
};

Sample SampleAt(int64_t offset_ms) { return {kRangesBeginMs + offset_ms, 1}; }

TEST_F(SealedRangesTest, AreThoseOfAllRowsOfABlock) {
  Put(kv::Tier::kCold, 1, {{0, {SampleAt(10), SampleAt(20)}}});
  Put(kv::Tier::kHot, 2, {{0, {SampleAt(5), SampleAt(15)}}, {3, {SampleAt(30)}}});
  EXPECT_TRUE(MayHave(0, 0));  // not loaded
  Load();
  for (const auto& [offset_ms, may_have] :
       {std::pair(4, false), std::pair(5, true), std::pair(20, true), std::pair(21, false)}) {
    EXPECT_EQ(MayHave(0, offset_ms), may_have) << offset_ms;
  }
  EXPECT_FALSE(MayHave(3, 29));
  EXPECT_TRUE(MayHave(3, 30));
  EXPECT_FALSE(MayHave(3, 31));
  EXPECT_FALSE(MayHave(1, 10));  // no row has the series
  EXPECT_TRUE(MayHave(64, 0));   // another block
}

TEST_F(SealedRangesTest, AWindowWithoutChunksHasNothing) {
  EXPECT_FALSE(ranges_.MayHaveTime({1, 0}, kRangesBeginMs - 1));
  EXPECT_FALSE(ranges_.MayHaveTime({1, 0}, kRangesBeginMs + kWindowMs));
  ASSERT_TRUE(ranges_.Load({1, 0}, kRangesBeginMs - 1).ok());
  EXPECT_TRUE(MayHave(0, 0));
}

TEST_F(SealedRangesTest, AreReadAgainAfterASeal) {
  Put(kv::Tier::kHot, 1, {{0, {SampleAt(10)}}});
  Load();
  Put(kv::Tier::kHot, 2, {{0, {SampleAt(50)}}});
  Load();
  EXPECT_FALSE(MayHave(0, 50));  // not read twice
  ++shard_.state().seal_count;
  EXPECT_TRUE(MayHave(0, 5));
  Load();
  EXPECT_TRUE(MayHave(0, 50));
  EXPECT_FALSE(MayHave(0, 5));
  ++shard_.state().seal_count;
  Load();  // without a question in between
  EXPECT_FALSE(MayHave(0, 5));
}

TEST_F(SealedRangesTest, ADamagedRowIsAnError) {
  shard_.Put(kv::Space::kHot, kv::EncodeChunkKey({kRangesWindow, 1, 0, 1, 0}), "x");
  EXPECT_TRUE(absl::IsDataLoss(ranges_.Load({1, 0}, kRangesBeginMs)));
}

}  // namespace
}  // namespace lockstep
