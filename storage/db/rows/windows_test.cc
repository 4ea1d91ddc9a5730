#include "storage/db/rows/windows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "storage/db/rows/window.h"

namespace lockstep {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Window, HasFourHoursOnBothSidesOf1970) {
  EXPECT_EQ(WindowOf(0), 0);
  EXPECT_EQ(WindowOf(kWindowMs - 1), 0);
  EXPECT_EQ(WindowOf(kWindowMs), 1);
  EXPECT_EQ(WindowOf(-1), -1);
  EXPECT_EQ(WindowOf(-kWindowMs), -1);
  EXPECT_EQ(WindowOf(-kWindowMs - 1), -2);
  EXPECT_EQ(RangeOfWindow(-1).min_ms, -14'400'000);
  EXPECT_EQ(RangeOfWindow(-1).max_ms, -1);
}

TEST(StoredWindow, AddsRowsToTheirRun) {
  StoredWindow window;
  window.Add(kv::Tier::kCold, 3, {{10, 20}, 1, 100});
  window.Add(kv::Tier::kCold, 3, {{5, 12}, 2, 200});
  window.Add(kv::Tier::kHot, 4, {{30, 40}, 4, 400});
  window.Add(kv::Tier::kHot, 6, {{50, 60}, 8, 800});
  window.Add(kv::Tier::kHot, 6, {{55, 70}, 16, 1600});
  ASSERT_TRUE(window.cold.has_value());
  EXPECT_EQ(window.cold->generation, 3u);
  EXPECT_EQ(window.cold->totals.range.min_ms, 5);
  EXPECT_EQ(window.cold->totals.range.max_ms, 20);
  EXPECT_EQ(window.cold->totals.sample_count, 3u);
  ASSERT_EQ(window.hot.size(), 2u);
  EXPECT_EQ(window.hot[0].generation, 4u);
  EXPECT_EQ(window.hot[1].generation, 6u);
  EXPECT_EQ(window.hot[1].totals.sample_count, 24u);
  EXPECT_EQ(window.run_count(), 3u);
  EXPECT_EQ(window.hot_byte_count(), 2800u);
  EXPECT_EQ(window.totals().range.min_ms, 5);
  EXPECT_EQ(window.totals().range.max_ms, 70);
  EXPECT_EQ(window.totals().sample_count, 31u);
  EXPECT_EQ(window.totals().byte_count, 3100u);
}

TEST(WindowsIn, TouchTheRange) {
  Windows windows;
  for (const int32_t number : {-1, 0, 3, 4}) windows[number];
  const auto in = [&windows](int64_t min_ms, int64_t max_ms) {
    return WindowsIn(windows, {min_ms, max_ms});
  };
  EXPECT_THAT(in(-1, 0), ElementsAre(-1, 0));
  EXPECT_THAT(in(0, kWindowMs - 1), ElementsAre(0));
  EXPECT_THAT(in(kWindowMs, 3 * kWindowMs - 1), IsEmpty());
  EXPECT_THAT(in(kWindowMs, 3 * kWindowMs), ElementsAre(3));
  EXPECT_THAT(in(4 * kWindowMs - 1, 4 * kWindowMs), ElementsAre(3, 4));
  EXPECT_THAT(in(1, 1), ElementsAre(0));
  // An empty range inside a window.
  EXPECT_THAT(in(2, 1), IsEmpty());
}

TEST(SplitIntoWindowRows, OnlyTheLastRowHasTheCounts) {
  constexpr size_t kMostOfARow = size_t{1} << 17;
  const WindowTotals totals{{5, 9}, 1000, 4000};
  std::vector<SeriesId> series(2 * kMostOfARow + 1);
  std::iota(series.begin(), series.end(), 7);
  const std::vector<WindowRow> rows = SplitIntoWindowRows(totals, series);
  ASSERT_EQ(rows.size(), 3u);
  std::vector<SeriesId> all;
  for (const WindowRow& row : rows) {
    EXPECT_LE(row.series.size(), kMostOfARow);
    EXPECT_EQ(row.totals.range.min_ms, 5);
    EXPECT_EQ(row.totals.range.max_ms, 9);
    const bool is_last = &row == &rows.back();
    EXPECT_EQ(row.totals.sample_count, is_last ? 1000u : 0u);
    EXPECT_EQ(row.totals.byte_count, is_last ? 4000u : 0u);
    all.insert(all.end(), row.series.begin(), row.series.end());
  }
  EXPECT_TRUE(all == series);
  series.resize(kMostOfARow);
  EXPECT_EQ(SplitIntoWindowRows(totals, series).size(), 1u);
  EXPECT_EQ(SplitIntoWindowRows(totals, {}).size(), 1u);
}

}  // namespace
}  // namespace lockstep
