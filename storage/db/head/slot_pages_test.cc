#include "storage/db/head/slot_pages.h"

#include <gtest/gtest.h>

namespace lockstep {
namespace {

TEST(SlotPagesTest, KnowsWhatWasSet) {
  SlotPages slots;
  EXPECT_EQ(slots.Get(0), SlotPages::kNoSlot);
  EXPECT_EQ(slots.Get(UINT32_MAX), SlotPages::kNoSlot);
  slots.Set(5, 0);
  slots.Set(5000, 1);
  slots.Set(1023, 2);
  slots.Set(1024, 3);
  EXPECT_EQ(slots.Get(5), 0u);
  EXPECT_EQ(slots.Get(5000), 1u);
  EXPECT_EQ(slots.Get(1023), 2u);
  EXPECT_EQ(slots.Get(1024), 3u);
  for (const SeriesId id : {0u, 4u, 6u, 1022u, 1025u, 2048u, 4999u, 5001u, 1'000'000u}) {
    EXPECT_EQ(slots.Get(id), SlotPages::kNoSlot) << id;
  }
}

TEST(SlotPagesTest, IdsThatAreNotWrittenToTakeNoPage) {
  SlotPages slots;
  for (SeriesId id = 1'000'000; id < 1'002'000; ++id) slots.Set(id, id - 1'000'000);
  EXPECT_LE(slots.page_count(), 3u);
  EXPECT_EQ(slots.Get(1'001'999), 1999u);
  EXPECT_EQ(slots.Get(999'999), SlotPages::kNoSlot);
}

}  // namespace
}  // namespace lockstep
