#include "storage/db/layout/slot.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace lockstep {
namespace {

LabelSet Of(std::string_view job, std::string_view rank) {
  return LabelSet::Of({{kMetricName, "m"}, {"job", job}, {"rank", rank}});
}

// Computed from the description in docs/formats/keys.md by a program in another language. They must
// never change, or existing stores lose their series.
TEST(Slot, IsTheOneOfTheFormat) {
  EXPECT_EQ(SlotOf(Of("", "")), 3750u);
  EXPECT_EQ(SlotOf(Of("llama", "0")), 2491u);
  EXPECT_EQ(SlotOf(Of("llama", "256")), 4002u);
  EXPECT_EQ(SlotOf(Of("llama", "1023")), 3659u);
}

TEST(Slot, NeighbouringRanksShareOne) {
  EXPECT_EQ(SlotOf(Of("a", "0")), SlotOf(Of("a", "255")));
  EXPECT_NE(SlotOf(Of("a", "255")), SlotOf(Of("a", "256")));
  EXPECT_NE(SlotOf(Of("a", "0")), SlotOf(Of("b", "0")));
}

TEST(Slot, ARankThatIsNoNumberIsRankZero) {
  for (const char* rank : {"", "x", "-1", "1x", "99999999999"}) {
    EXPECT_EQ(SlotOf(Of("a", rank)), SlotOf(Of("a", "0"))) << rank;
  }
}

TEST(Slot, EveryShardHasARunOfSlots) {
  for (const uint32_t shard_count : {1u, 2u, 7u, 4096u}) {
    uint32_t last = 0;
    std::set<uint32_t> seen;
    for (uint32_t slot = 0; slot < kSlotCount; ++slot) {
      const uint32_t shard = ShardOfSlot(slot, shard_count);
      EXPECT_GE(shard, last);
      EXPECT_LT(shard, shard_count);
      last = shard;
      seen.insert(shard);
    }
    EXPECT_EQ(seen.size(), shard_count);
  }
}

}  // namespace
}  // namespace lockstep
