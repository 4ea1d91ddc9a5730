#include "storage/db/check/day_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "storage/chunk/chunk_row_builder.h"
#include "storage/chunk/merge_columns.h"
#include "storage/db/rows/window.h"

namespace lockstep {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// 2023-11-14 20:00
constexpr int32_t kCheckedWindow = 1'699'992'000'000 / kWindowMs;
constexpr int64_t kCheckedMs = kCheckedWindow * kWindowMs;
constexpr uint64_t kCheckedMark = 5;

class DayCheckTest : public ::testing::Test {
 protected:
  DayCheckTest() {
    places_.Add({1, 0}, 10);
    places_.Add({1, 3}, 13);
    places_.Add({1, 64}, 74);
  }
  // Offsets from the start of the window, by index in the block.
  static std::string Row(const std::map<uint32_t, std::vector<int64_t>>& offsets_ms) {
    ChunkRowBuilder builder;
    for (const auto& [index, offsets] : offsets_ms) {
      SampleColumns columns;
      for (const int64_t offset_ms : offsets) columns.Append(kCheckedMs + offset_ms, 1);
      builder.Add(index, columns);
    }
    return builder.Finish();
  }
  static kv::ChunkKey Key(uint32_t block, uint64_t generation = kCheckedMark) {
    return {kCheckedWindow, 1, block, generation, 2};
  }
  void AddWindowRow(std::vector<SeriesId> series, int64_t min_ms, int64_t max_ms,
                    uint64_t generation = kCheckedMark) {
    check_.AddWindowRow(
        {kCheckedWindow, kv::Tier::kHot, generation, 0},
        EncodeWindowRow({{{kCheckedMs + min_ms, kCheckedMs + max_ms}, 1, 1}, std::move(series)}));
  }

  PlacesOfSeries places_;
  std::vector<std::string> damage_;
  DayCheck check_{kCheckedMark, places_, [this](const std::string& where, const std::string& what) {
                    damage_.push_back(where + ": " + what);
                  }};
};

constexpr auto kHotRow = kv::Tier::kHot;

TEST_F(DayCheckTest, CountsWhatADayHas) {
  const std::string first = Row({{0, {5, 9}}, {3, {7}}}), second = Row({{0, {2}}});
  check_.AddChunkRow(kHotRow, Key(0), first);
  check_.AddChunkRow(kv::Tier::kCold, Key(1), second);
  AddWindowRow({10, 13}, 5, 9);
  AddWindowRow({74}, 2, 2);
  check_.EndWindow(kCheckedWindow);
  // Another window of the same day, with one of the series.
  ChunkRowBuilder builder;
  SampleColumns columns;
  columns.Append(kCheckedMs - 1, 1);
  builder.Add(0, columns);
  const std::string third = builder.Finish();
  check_.AddChunkRow(kHotRow, {kCheckedWindow - 1, 1, 0, 1, 0}, third);
  check_.AddWindowRow({kCheckedWindow - 1, kHotRow, 1, 0},
                      EncodeWindowRow({{{kCheckedMs - 1, kCheckedMs - 1}, 1, 1}, {10}}));
  check_.EndWindow(kCheckedWindow - 1);
  EXPECT_THAT(damage_, IsEmpty());
  const CheckedDay day = check_.Finish();
  EXPECT_EQ(day.row_count, 3u);
  EXPECT_EQ(day.series_count, 3u);
  EXPECT_EQ(day.totals.sample_count, 5u);
  EXPECT_EQ(day.totals.byte_count, first.size() + second.size() + third.size());
  EXPECT_EQ(day.totals.range.min_ms, kCheckedMs - 1);
  EXPECT_EQ(day.totals.range.max_ms, kCheckedMs + 9);
  EXPECT_EQ(check_.unfinished_row_count(), 0u);
}

TEST_F(DayCheckTest, RowsOfUnfinishedSealsAreOnlyDecoded) {
  // Neither the dictionary nor the window rows need to have their series.
  check_.AddChunkRow(kHotRow, Key(0, kCheckedMark + 1), Row({{40, {5}}}));
  AddWindowRow({99}, 0, 1, kCheckedMark + 1);
  check_.EndWindow(kCheckedWindow);
  EXPECT_THAT(damage_, IsEmpty());
  check_.AddChunkRow(kHotRow, Key(0, kCheckedMark + 1), "x");
  check_.AddChunkRow(kHotRow, Key(0, kCheckedMark + 1), Row({{0, {-1}}}));
  EXPECT_THAT(damage_,
              ElementsAre("hot chunks 2023-11-14T20 family 1 block 0 generation 6 part 2: a chunk "
                          "row is malformed",
                          "hot chunks 2023-11-14T20 family 1 block 0 generation 6 part 2: series 0 "
                          "of the block: some of its samples belong to another window"));
  EXPECT_EQ(check_.unfinished_row_count(), 4u);
  const CheckedDay day = check_.Finish();
  EXPECT_EQ(day.row_count, 0u);
  EXPECT_EQ(day.series_count, 0u);
  EXPECT_EQ(day.totals.sample_count, 0u);
  EXPECT_EQ(day.totals.byte_count, 0u);
}

TEST_F(DayCheckTest, SaysWhereADamagedRowIs) {
  check_.AddChunkRow(kv::Tier::kCold, Key(1, 4), "x");
  check_.AddWindowRow({kCheckedWindow, kv::Tier::kCold, 4, 3}, "x");
  EXPECT_THAT(
      damage_,
      ElementsAre("cold chunks 2023-11-14T20 family 1 block 1 generation 4 part 2: a chunk row is "
                  "malformed",
                  "cold window row 2023-11-14T20 generation 4 part 3: a window row is malformed"));
  // It is a row all the same.
  EXPECT_EQ(check_.Finish().row_count, 1u);
}

TEST_F(DayCheckTest, SamplesLieInTheirWindow) {
  constexpr int64_t kLast = kWindowMs - 1;
  check_.AddChunkRow(kHotRow, Key(0), Row({{0, {0, kLast}}}));
  EXPECT_THAT(damage_, IsEmpty());
  check_.AddChunkRow(kHotRow, Key(0), Row({{0, {-1, 5}}}));
  check_.AddChunkRow(kHotRow, Key(0), Row({{0, {5, kLast + 1}}}));
  const std::string what =
      "hot chunks 2023-11-14T20 family 1 block 0 generation 5 part 2: series 0 of the block: some "
      "of its samples belong to another window";
  EXPECT_THAT(damage_, ElementsAre(what, what));
}

TEST_F(DayCheckTest, TheFirstDamagedSeriesIsNamedAndTheOthersAreCounted) {
  check_.AddChunkRow(kHotRow, Key(0), Row({{0, {5}}, {1, {5}}, {2, {5}}, {3, {6}}}));
  EXPECT_THAT(
      damage_,
      ElementsAre("hot chunks 2023-11-14T20 family 1 block 0 generation 5 part 2: series 1 of the "
                  "block: the dictionary has no series at this place"));
  AddWindowRow({10, 13}, 5, 6);
  check_.EndWindow(kCheckedWindow);
  EXPECT_EQ(damage_.size(), 1u);
  EXPECT_EQ(check_.Finish().series_count, 2u);
}

// Blocks are numbered with 32 bits, and so are series, of which a block has 64.
TEST_F(DayCheckTest, ABlockBeyondTheLastSeriesHasNoPlace) {
  check_.AddChunkRow(kHotRow, Key(1u << 26), Row({{0, {5}}}));
  EXPECT_EQ(damage_.size(), 1u);
}

TEST_F(DayCheckTest, WindowRowsNameEverySeries) {
  check_.AddChunkRow(kHotRow, Key(0), Row({{0, {5}}, {3, {6}}}));
  check_.AddChunkRow(kHotRow, Key(1), Row({{0, {5}}}));
  AddWindowRow({10, 50}, 5, 6);
  check_.EndWindow(kCheckedWindow);
  EXPECT_THAT(damage_,
              ElementsAre("window rows 2023-11-14T20: 2 series of the chunks are missing from the "
                          "window rows, the first is 13"));
}

TEST_F(DayCheckTest, WindowRowsCoverAllTimes) {
  const auto check = [this](int64_t min_ms, int64_t max_ms) {
    damage_.clear();
    check_.AddChunkRow(kHotRow, Key(0), Row({{0, {5, 8}}}));
    AddWindowRow({10}, min_ms, max_ms);
    check_.EndWindow(kCheckedWindow);
    return damage_;
  };
  EXPECT_THAT(check(5, 8), IsEmpty());
  EXPECT_THAT(check(0, 9), IsEmpty());
  EXPECT_THAT(check(6, 8),
              ElementsAre("window rows 2023-11-14T20: they cover samples from 1699992000006 to "
                          "1699992000008 ms, but the chunks have samples from 1699992000005 to "
                          "1699992000008 ms"));
  EXPECT_THAT(check(5, 7),
              ElementsAre("window rows 2023-11-14T20: they cover samples from 1699992000005 to "
                          "1699992000007 ms, but the chunks have samples from 1699992000005 to "
                          "1699992000008 ms"));
}

TEST_F(DayCheckTest, WhatOneWindowToldIsNotOfTheNext) {
  AddWindowRow({10}, 0, 100);
  check_.EndWindow(kCheckedWindow);
  check_.AddChunkRow(kHotRow, Key(0), Row({{0, {5}}}));
  check_.EndWindow(kCheckedWindow);
  EXPECT_EQ(damage_.size(), 1u);
  check_.EndWindow(kCheckedWindow);
  EXPECT_EQ(damage_.size(), 1u);
}

TEST(DayOfTest, DaysBeginAtMidnight) {
  constexpr int64_t kOfADay = 86'400'000;
  EXPECT_EQ(DayOf(0), 0);
  EXPECT_EQ(DayOf(kOfADay - 1), 0);
  EXPECT_EQ(DayOf(kOfADay), 1);
  EXPECT_EQ(DayOf(-1), -1);
  EXPECT_EQ(DayName(0), "1970-01-01");
  EXPECT_EQ(DayName(-1), "1969-12-31");
  EXPECT_EQ(DayName(DayOf(kCheckedMs)), "2023-11-14");
}

}  // namespace
}  // namespace lockstep
