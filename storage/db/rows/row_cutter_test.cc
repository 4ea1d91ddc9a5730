#include "storage/db/rows/row_cutter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <iterator>
#include <map>
#include <random>

#include "storage/chunk/codec_testing.h"
#include "storage/db/rows/decoded_block.h"
#include "storage/db/rows/stored_block.h"
#include "storage/kv/space.h"

namespace lockstep {
namespace {

using Block = std::map<uint32_t, SampleColumns>;

std::vector<std::string> Cut(RowCutter& cutter, const Block& block) {
  for (const auto& [index, columns] : block) cutter.Add(index, columns);
  std::vector<std::string> rows;
  const absl::Status status = cutter.Finish([&rows](std::string_view value) {
    EXPECT_LE(value.size(), kv::kMaxValueBytes);
    rows.emplace_back(value);
    return absl::OkStatus();
  });
  EXPECT_TRUE(status.ok()) << status;
  return rows;
}

void ExpectHolds(const std::vector<std::string>& rows, const Block& block) {
  StoredBlock stored;
  for (const std::string& row : rows) ASSERT_TRUE(stored.Add(row, kAllTimes).ok());
  for (uint32_t index = 0; index < kMaxRowSeries; ++index) {
    SampleColumns read;
    ASSERT_TRUE(stored.Read(index, kAllTimes, read).ok());
    const auto expected = block.find(index);
    ExpectSameColumns(read, expected == block.end() ? SampleColumns() : expected->second);
  }
}

size_t ExpectCut(const Block& block) {
  RowCutter cutter;
  const std::vector<std::string> rows = Cut(cutter, block);
  ExpectHolds(rows, block);
  // Again with the same cutter.
  EXPECT_EQ(Cut(cutter, block), rows);
  return rows.size();
}

SampleColumns Even(size_t count, int64_t step_ms) {
  SampleColumns columns;
  for (size_t i = 0; i < count; ++i) {
    columns.Append(step_ms * static_cast<int64_t>(i), static_cast<double>(i % 7));
  }
  return columns;
}

TEST(RowCutter, NothingMakesNoRow) { EXPECT_EQ(ExpectCut({}), 0u); }

TEST(RowCutter, WhatFitsIsOneRow) {
  Block block;
  for (uint32_t index = 0; index < 64; ++index) block[index] = Even(512, 15'000);
  EXPECT_EQ(ExpectCut(block), 1u);
}

TEST(RowCutter, ADayOfABlockIsCutInTime) {
  Block block;
  for (uint32_t index = 0; index < 64; ++index) block[index] = Even(5760, 15'000);
  EXPECT_EQ(ExpectCut(block), 12u);
}

TEST(RowCutter, ADayOfOneSeriesIsCutToo) {
  EXPECT_EQ(ExpectCut({{5, Even(5760, 15'000)}}), 6u);
  EXPECT_EQ(ExpectCut({{5, Even(86'400, 1000)}}), 85u);
}

TEST(RowCutter, WhereMoreLiesMoreIsCut) {
  SampleColumns bursts = Even(3000, 1);
  for (int64_t t = 10'000; t < 100'000'000; t += 1'000'000) bursts.Append(t, 1);
  for (int64_t t = 100'000'000; t < 100'003'000; ++t) bursts.Append(t, 2);
  EXPECT_GE(ExpectCut({{1, bursts}, {2, Even(10, 1'000'000)}}), 6u);
}

TEST(RowCutter, TimesFromEndToEndAreCut) {
  SampleColumns columns = Even(5000, 1);
  columns.timestamps_ms.front() = kAllTimes.min_ms;
  columns.timestamps_ms.back() = kAllTimes.max_ms;
  ExpectCut({{0, columns}});
}

HistogramSample LargeHistogram(int64_t time_ms, std::mt19937_64& random) {
  auto histogram = std::make_shared<Histogram>();
  histogram->positive_spans = {{0, 9000}};
  for (int i = 0; i < 9000; ++i) {
    histogram->positive_counts.push_back(std::bit_cast<double>(random()));
  }
  return {time_ms, std::move(histogram)};
}

TEST(RowCutter, HistogramsOfOneMillisecondTakeSeveralRows) {
  std::mt19937_64 random(1);
  Block block;
  for (uint32_t index = 0; index < 64; ++index) {
    block[index].histograms = {LargeHistogram(5, random)};
  }
  // 64 times 9,000 numbers of nine bytes.
  EXPECT_GE(ExpectCut(block), 5u);
}

TEST(RowCutter, StopsAtAnError) {
  RowCutter cutter;
  cutter.Add(0, Even(5000, 1));
  int calls = 0;
  const absl::Status status = cutter.Finish([&calls](std::string_view) {
    ++calls;
    return absl::CancelledError("enough");
  });
  EXPECT_EQ(status.code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(calls, 1);
}

// Rows of several writes that overlap, against a map in which the last one wins.
TEST(StoredAndDecodedBlocks, OfEqualTimesTheLastWritingStays) {
  std::mt19937_64 random(2);
  for (int round = 0; round < 100; ++round) {
    StoredBlock stored;
    DecodedBlock decoded, at_steps;
    for (uint32_t index = 0; index < 4; ++index) {
      decoded.Want(index);
      at_steps.Want(index);
    }
    const StepTimes steps{17, 50};
    ChunkRowReader reader;
    std::map<uint32_t, std::map<int64_t, double>> model;
    for (size_t writing = 0; writing < 1 + random() % 5; ++writing) {
      Block block;
      // Some writes follow one another, some overlap, some come before others.
      const auto base = static_cast<int64_t>(random() % 4 * (round % 2 == 0 ? 1000 : 100));
      for (uint32_t index = 0; index < 4; ++index) {
        if (random() % 4 == 0) continue;
        for (int64_t t = base; t < base + 200; t += 1 + static_cast<int64_t>(random() % 20)) {
          block[index].Append(t, static_cast<double>(random() % 100));
          model[index][t] = block[index].values.back();
        }
      }
      RowCutter cutter;
      for (const std::string& row : Cut(cutter, block)) {
        ASSERT_TRUE(stored.Add(row, kAllTimes).ok());
        ASSERT_TRUE(decoded.Add(row, kAllTimes, {}, reader).ok());
        ASSERT_TRUE(at_steps.Add(row, kAllTimes, steps, reader).ok());
      }
    }
    const TimeRange range = {static_cast<int64_t>(random() % 2000),
                             static_cast<int64_t>(random() % 4000)};
    for (const TimeRange asked : {kAllTimes, range}) {
      for (const auto& [index, samples] : model) {
        SampleColumns read, read_at_once, expected;
        for (const auto& [t, value] : samples) {
          if (asked.Contains(t)) expected.Append(t, value);
        }
        ASSERT_TRUE(stored.Read(index, asked, read).ok());
        ExpectSameColumns(read, expected);
        DecodedBlock(decoded).Read(index, asked, read_at_once);
        ExpectSameColumns(read_at_once, expected);
      }
    }
    for (const auto& [index, samples] : model) {
      SampleColumns read;
      at_steps.Read(index, kAllTimes, read);
      for (int64_t step = steps.NotBefore(samples.begin()->first); step < 5000;
           step += steps.step_ms) {
        const auto newest = std::prev(samples.upper_bound(step));
        const auto after = std::ranges::upper_bound(read.timestamps_ms, step);
        ASSERT_NE(after, read.timestamps_ms.begin());
        const size_t i = static_cast<size_t>(after - read.timestamps_ms.begin()) - 1;
        ASSERT_EQ(read.timestamps_ms[i], newest->first);
        ASSERT_EQ(read.values[i], newest->second);
      }
    }
  }
}

}  // namespace
}  // namespace lockstep
