#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <map>
#include <random>

#include "storage/chunk/chunk_row_builder.h"
#include "storage/chunk/chunk_row_reader.h"
#include "storage/chunk/codec_testing.h"
#include "tests/support/format_page.h"

namespace lockstep {
namespace {

using Row = std::map<uint32_t, SampleColumns>;  // index in the block

HistogramSample HistogramAt(int64_t timestamp_ms, double sum) {
  auto h = std::make_shared<Histogram>();
  h->sum = sum;
  h->count = 7;
  h->positive_spans = {{2, 1}, {1, 2}};
  h->positive_counts = {1, 2, 4};
  return {timestamp_ms, std::move(h)};
}

SampleColumns Columns(std::vector<Sample> samples, std::vector<HistogramSample> histograms = {}) {
  SampleColumns columns;
  SortIntoColumns(samples, {}, histograms, columns);
  return columns;
}

SampleColumns WithStarts(SampleColumns columns, std::vector<int64_t> starts_ms) {
  columns.start_timestamps_ms = std::move(starts_ms);
  return columns;
}

std::string Build(const Row& row) {
  ChunkRowBuilder builder;
  for (const auto& [index, columns] : row) builder.Add(index, columns);
  return builder.Finish();
}

// Reads everything that a reader offers.
absl::Status ReadAll(std::string_view value, TimeRange range, Row& row) {
  ChunkRowReader reader;
  LOCKSTEP_RETURN_IF_ERROR(reader.Open(value));
  for (uint32_t index = kMaxRowSeries; index-- > 0;) {
    if (!reader.Contains(index)) continue;
    LOCKSTEP_RETURN_IF_ERROR(reader.RangeOf(index).status());
    LOCKSTEP_RETURN_IF_ERROR(reader.Read(index, range, row[index]));
  }
  return absl::OkStatus();
}

void ExpectRoundTrip(const Row& row) {
  const std::string value = Build(row);
  Row read;
  const absl::Status status = ReadAll(value, kAllTimes, read);
  ASSERT_TRUE(status.ok()) << status;
  ASSERT_EQ(read.size(), row.size());
  TimeRange all{kMax, kMin};
  ChunkRowReader reader;
  ASSERT_TRUE(reader.Open(value).ok());
  for (const auto& [index, columns] : row) {
    ExpectSameColumns(read.at(index), columns);
    const TimeRange range = TimeRangeOf(columns);
    const auto read_range = reader.RangeOf(index);
    ASSERT_TRUE(read_range.ok());
    EXPECT_EQ(read_range->min_ms, range.min_ms);
    EXPECT_EQ(read_range->max_ms, range.max_ms);
    all = {std::min(all.min_ms, range.min_ms), std::max(all.max_ms, range.max_ms)};
  }
  const auto row_range = ChunkRowRange(value);
  ASSERT_TRUE(row_range.ok());
  EXPECT_EQ(row_range->min_ms, all.min_ms);
  EXPECT_EQ(row_range->max_ms, all.max_ms);
}

std::vector<Row> Cases() {
  return {
      {{0, Columns({{0, 1}})}},
      {{63, Columns({{kMin, 1}, {kMax, StaleNan()}})}},
      {{1, Columns({{60'000, 3}, {75'000, 5}, {90'000, 4}})}},
      {{0, Columns({{60'000, 0.1}, {75'001, -0.0}, {89'999, StaleNan()}})},
       {1, Columns({{60'000, 1}, {75'001, 2}, {89'999, 3}})},
       {5, Columns({{60'000, 7}})}},
      {{2, Columns({}, {HistogramAt(5, 1.5)})}},
      {{0, Columns({}, {HistogramAt(kMin, 1.5), HistogramAt(kMax, StaleNan())})},
       {1, Columns({{0, 1}})}},
      {{7, Columns({{2, 1}, {4, 1}}, {HistogramAt(1, 1.5), HistogramAt(3, 2), HistogramAt(5, 2)})},
       {9, Columns({{2, 1}, {4, 3}})}},
      {{0, Columns({{20, 1}, {30, 2}})},
       {1, WithStarts(Columns({{20, 1}, {30, 2}, {40, 1}}), {kMin, 0, kMax})},
       {2, Columns({}, {{20, HistogramAt(20, 1).histogram, 15}})},
       {63, WithStarts(Columns({{20, 1}, {30, 2}}, {HistogramAt(25, 1)}), {15})}},
  };
}

TEST(ChunkRow, RoundTripsEdges) {
  for (const Row& row : Cases()) ExpectRoundTrip(row);
}

// Scrapes at a steady or jittered interval, with gaps, late starts and early ends; values of all
// kinds.
Row RandomRow(std::mt19937_64& random) {
  Row row;
  const uint64_t jitter = random() % 3 == 0 ? 1 + random() % 50 : 1;
  const size_t count = 1 + random() % (random() % 10 == 0 ? 400 : 60);
  std::vector<int64_t> times;
  for (auto t = static_cast<int64_t>(random() >> 2); times.size() < count;) {
    t += 15'000 + static_cast<int64_t>(random() % jitter);
    times.push_back(t);
  }
  const bool has_starts = random() % 3 == 0;
  for (uint32_t index = 0; index < kMaxRowSeries; ++index) {
    if (random() % 4 == 0) continue;
    SampleColumns& columns = row[index];
    int64_t start_ms = 0;
    const uint64_t kind = random() % 5;
    double value = 0;
    for (const int64_t t : times) {
      if (kind == 1 && random() % 10 == 0) continue;
      value += static_cast<double>(random() % 100) / (kind == 2 ? 7 : 10);
      if (kind == 3) value = std::bit_cast<double>(random() >> (random() % 64) << (random() % 64));
      if (kind == 4 && random() % 20 == 0) {
        columns.histograms.push_back(HistogramAt(t, value));
        columns.histograms.back().start_timestamp_ms = start_ms;
      } else {
        columns.Append(t, random() % 50 == 0 ? StaleNan() : value, start_ms);
      }
      if (has_starts && random() % 5 == 0) start_ms = random() % 3 == 0 ? 0 : t;
    }
    if (columns.size() == 0) row.erase(index);
  }
  if (row.empty()) row[3] = Columns({{1, 1}});
  return row;
}

TEST(ChunkRow, RoundTripsWhatFleetsSend) {
  std::mt19937_64 random(12);
  for (int round = 0; round < 150; ++round) ExpectRoundTrip(RandomRow(random));
}

TEST(ChunkRow, ABuilderIsUsedAgain) {
  ChunkRowBuilder builder;
  for (const Row& row : Cases()) {
    EXPECT_TRUE(builder.empty());
    for (const auto& [index, columns] : row) builder.Add(index, columns);
    EXPECT_EQ(builder.Finish(), Build(row));
  }
}

TEST(ChunkRow, GivesTheSamplesOfARange) {
  Row row;
  for (int64_t i = 0; i < 100; ++i) {
    row[0].Append(10 * i, static_cast<double>(i * i % 17));
    if (i % 3 == 0) row[1].histograms.push_back(HistogramAt(10 * i, 1));
    if (i % 3 != 0) row[1].Append(10 * i, 2, i < 30 ? 0 : 10 * i - 5);
  }
  const std::string value = Build(row);
  for (const TimeRange range : {TimeRange{0, 990},
                                {5, 985},
                                {10, 10},
                                {11, 19},
                                {500, kMax},
                                {kMin, 33},
                                {991, 2000},
                                {-5, -1},
                                {50, 40}}) {
    Row read, expected;
    ASSERT_TRUE(ReadAll(value, range, read).ok());
    for (const uint32_t index : {0u, 1u}) {
      AppendInRange(row.at(index), range, expected[index]);
      ExpectSameColumns(read[index], expected[index]);
    }
  }
}

// What is needed of the samples at steps: see SamplesNeeded::kNewest.
SampleColumns NewestAtSteps(const SampleColumns& columns, StepTimes steps) {
  SampleColumns newest;
  for (size_t i = 0; i < columns.values.size(); ++i) {
    const bool is_last =
        i + 1 == columns.values.size() ||
        steps.NotBefore(columns.timestamps_ms[i + 1]) != steps.NotBefore(columns.timestamps_ms[i]);
    if (is_last) newest.Append(columns.timestamps_ms[i], columns.values[i]);
  }
  return newest;
}

TEST(ChunkRow, GivesTheNewestSampleOfEachStep) {
  Row row;
  for (int64_t i = 0; i < 300; ++i) {
    row[0].Append(10 * i, static_cast<double>(i * i % 17));
    row[1].Append(10 * i, 5);
    if (i % 7 != 0) row[2].Append(10 * i + 3, static_cast<double>(i % 5));
  }
  ChunkRowReader reader;
  const std::string value = Build(row);
  ASSERT_TRUE(reader.Open(value).ok());
  for (const StepTimes steps : {StepTimes{0, 100}, {-7000, 130}, {5, 1000}, {9999, 70'000}}) {
    for (const TimeRange range : {kAllTimes, TimeRange{55, 1990}, {10, 10}, {11, 12}}) {
      for (const uint32_t index : {0u, 1u, 2u}) {
        SampleColumns read, in_range;
        ASSERT_TRUE(reader.Read(index, range, steps, read).ok());
        AppendInRange(row.at(index), range, in_range);
        ExpectSameColumns(read, NewestAtSteps(in_range, steps));
      }
    }
  }
}

TEST(ChunkRow, StepsThatAreNearEachOtherLeaveNothingOut) {
  const SampleColumns columns = Columns({{10, 1}, {20, 2}, {30, 3}, {40, 4}});
  const std::string value = Build({{4, columns}});
  ChunkRowReader reader;
  ASSERT_TRUE(reader.Open(value).ok());
  SampleColumns read;
  ASSERT_TRUE(reader.Read(4, kAllTimes, {0, 20}, read).ok());
  ExpectSameColumns(read, columns);
}

TEST(ChunkRow, SamplesAreAppended) {
  const std::string value = Build({{4, Columns({{20, 2}, {30, 3}})}});
  SampleColumns columns = Columns({{10, 1}});
  ChunkRowReader reader;
  ASSERT_TRUE(reader.Open(value).ok());
  ASSERT_TRUE(reader.Read(4, {25, 99}, columns).ok());
  ExpectSameColumns(columns, Columns({{10, 1}, {30, 3}}));
}

TEST(ChunkRow, StartsFollowThoseOfEarlierRows) {
  const std::string with = Build({{4, WithStarts(Columns({{20, 2}, {30, 3}}), {15, 15})}});
  const std::string without = Build({{4, Columns({{40, 4}})}});
  SampleColumns columns = Columns({{10, 1}});
  ChunkRowReader reader;
  for (const std::string& value : {with, without}) {
    ASSERT_TRUE(reader.Open(value).ok());
    ASSERT_TRUE(reader.Read(4, kAllTimes, columns).ok());
  }
  ExpectSameColumns(columns,
                    WithStarts(Columns({{10, 1}, {20, 2}, {30, 3}, {40, 4}}), {0, 15, 15, 0}));
}

TEST(ChunkRow, ACounterThatGoesOnTakesNothingForItsStart) {
  Row row;
  for (int64_t i = 0; i < 200; ++i) {
    for (uint32_t index = 0; index < kMaxRowSeries; ++index) {
      row[index].Append(15'000 * i, static_cast<double>(i), 1'700'000'000'000);
    }
  }
  EXPECT_LT(Build(row).size(), 200u);
}

TEST(ChunkRow, TimesThatRanksShareAreKeptOnce) {
  std::mt19937_64 random(13);
  Row row;
  std::vector<int64_t> times;
  for (int64_t i = 0; i < 100; ++i)
    times.push_back(15'000 * i + static_cast<int64_t>(random() % 64));
  for (uint32_t index = 0; index < kMaxRowSeries; ++index) {
    for (const int64_t t : times) row[index].Append(t, 1);
  }
  // About one byte of jitter for each of the 100 times.
  EXPECT_LT(Build(row).size(), 200u);
}

TEST(ChunkRow, AFleetOnOneGridTakesLittleMoreThanItsNoise) {
  std::mt19937_64 random(14);
  Row row;
  for (uint32_t index = 0; index < kMaxRowSeries; ++index) {
    double value = 650;
    for (int64_t i = 0; i < 240; ++i) {
      value += static_cast<double>(random() % 256) / 1000;
      row[index].Append(15'000 * i, std::round(value * 1000) / 1000);
    }
  }
  EXPECT_LT(Build(row).size(), 240u * 64 * 105 / 100);
}

TEST(ChunkRow, AFullRowOfNoiseIsBelowAMebibyte) {
  std::mt19937_64 random(15);
  Row row;
  for (uint32_t index = 0; index < kMaxRowSeries; ++index) {
    auto t = static_cast<int64_t>(random() >> 2);
    for (size_t i = 0; i < kMaxRowSamples / kMaxRowSeries; ++i) {
      t += 1 + static_cast<int64_t>(random() >> 12);
      row[index].Append(t, std::bit_cast<double>(random()));
    }
  }
  EXPECT_LT(Build(row).size(), size_t{1} << 20);
  ExpectRoundTrip(row);
}

TEST(ChunkRow, DamageIsAStatusAndChangesNothing) {
  for (const Row& row : Cases()) {
    const auto read = [](std::string_view in) {
      Row ignored;
      return ReadAll(in, kAllTimes, ignored);
    };
    ExpectEveryTruncationFails(Build(row), read);
    ExpectDamageIsSurvived(Build(row), [](std::string_view in) {
      ChunkRowReader reader;
      LOCKSTEP_RETURN_IF_ERROR(reader.Open(in));
      const SampleColumns before = Columns({{kMin, 5}}, {HistogramAt(kMin + 1, 4)});
      absl::Status all;
      for (uint32_t index = 0; index < kMaxRowSeries; ++index) {
        if (!reader.Contains(index)) continue;
        SampleColumns columns = before;
        const absl::Status status = reader.Read(index, kAllTimes, columns);
        if (!status.ok()) ExpectSameColumns(columns, before);
        all.Update(status);
      }
      return all;
    });
  }
}

TEST(ChunkRow, ATimeInBothKindsIsRefused) {
  ChunkRowBuilder builder;
  SampleColumns columns = Columns({{10, 1}, {20, 1}});
  columns.histograms = {HistogramAt(20, 1)};
  builder.Add(0, columns);
  Row ignored;
  EXPECT_EQ(ReadAll(builder.Finish(), kAllTimes, ignored).code(), absl::StatusCode::kDataLoss);
}

TEST(ChunkRow, AgreesWithTheFormatPage) {
  const auto expect = [](const char* example, const Row& row) {
    EXPECT_EQ(Build(row), FormatPageExample("chunk.md", example)) << example;
    ExpectRoundTrip(row);
  };
  expect("one-series", {{1, Columns({{60'000, 3}, {75'000, 5}, {90'000, 4}})}});
  Row ranks;
  for (int64_t i = 0; i < 24; ++i) {
    const int64_t t = 60'000 + 15'000 * i;
    ranks[0].Append(t, i % 4 == 3 ? 20.75 : 20.5);
    ranks[1].Append(t, i == 23 ? StaleNan() : static_cast<double>(20 + i * i % 5));
    ranks[3].Append(t, 4);
  }
  expect("ranks", ranks);
  const SampleColumns threes = Columns({{60'000, 3}, {75'000, 3}, {90'000, 3}});
  expect("starts", {{0, threes}, {1, WithStarts(threes, {45'000, 60'000, 75'000})}});
}

}  // namespace
}  // namespace lockstep
