#include "ingest/otlp/delta_totals.h"

#include <gtest/gtest.h>

namespace lockstep::otlp {
namespace {

// Adds one to the series, and returns what it comes to.
double AddOne(DeltaTotals::Change& change, uint64_t series, uint64_t time_ns) {
  NumberPoint point;
  point.value = 1;
  point.time_ns = time_ns;
  EXPECT_TRUE(AddUp(point, change.Of({0, series})).ok());
  return point.value;
}

TEST(DeltaTotals, ChangesCountWhenTheyAreCommitted) {
  DeltaTotals totals;
  {
    DeltaTotals::Change change(totals);
    EXPECT_EQ(AddOne(change, 7, 10), 1);
    EXPECT_EQ(AddOne(change, 7, 20), 2);
  }
  EXPECT_EQ(totals.size(), 0u);
  DeltaTotals::Change change(totals);
  EXPECT_EQ(AddOne(change, 7, 10), 1);
  EXPECT_EQ(AddOne(change, 7, 20), 2);
  change.Commit();
  EXPECT_EQ(AddOne(change, 7, 30), 3);
  EXPECT_EQ(AddOne(change, 8, 30), 1);
  change.Commit();
  EXPECT_EQ(totals.size(), 2u);
}

TEST(DeltaTotals, ForgetsTheSilentOnesWhenFull) {
  DeltaTotals totals(8);
  DeltaTotals::Change change(totals);
  for (uint64_t series = 0; series < 8; ++series) AddOne(change, series, 10 + series);
  change.Commit();
  AddOne(change, 0, 100);
  change.Commit();
  EXPECT_EQ(totals.size(), 7u);
  // The two that were silent for longest are gone, the others go on.
  EXPECT_EQ(AddOne(change, 1, 101), 1);
  EXPECT_EQ(AddOne(change, 2, 101), 2);
  EXPECT_EQ(AddOne(change, 7, 101), 2);
}

}  // namespace
}  // namespace lockstep::otlp
