#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <map>
#include <random>

#include "base/coding.h"
#include "storage/chunk/chunk_row_builder.h"
#include "storage/chunk/chunk_row_reader.h"
#include "storage/chunk/codec_testing.h"
#include "storage/chunk/histogram_series.h"
#include "storage/chunk/integers/integer_columns.h"
#include "storage/chunk/integers/packed_integers.h"
#include "storage/chunk/value_columns.h"
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

// The parts of a row, to put together one that no builder makes.
struct RawRow {
  char version = 1;
  int64_t min_ms = 100;
  uint64_t duration_ms = 10;
  std::string float_series = "\x02";  // the first one
  std::vector<int64_t> time_counts = {2};
  std::vector<std::vector<int64_t>> times = {{0, 10}};
  std::vector<int64_t> column_of_series = {0};
  std::vector<std::vector<double>> values = {{1, 2}};
  std::string histograms = std::string(1, '\0');
  std::string starts{};

  std::string Bytes() const {
    std::string bytes(1, version);
    PutVarintSigned64(bytes, min_ms);
    PutVarint64(bytes, duration_ms);
    bytes += float_series;
    PutVarint64(bytes, time_counts.size());
    PutPackedIntegers(bytes, time_counts);
    IntegerColumnsWriter columns;
    for (const std::vector<int64_t>& column : times) columns.Add(column);
    columns.Finish(1, bytes);
    PutPackedIntegers(bytes, column_of_series);
    ValueColumnsWriter value_columns;
    for (const std::vector<double>& column : values) value_columns.Add(column);
    value_columns.Finish(bytes);
    return bytes + histograms + starts;
  }
  bool Opens() const {
    const std::string bytes = Bytes();
    ChunkRowReader reader;
    return reader.Open(bytes).ok();
  }
  bool IsRead() const {
    Row ignored;
    return ReadAll(Bytes(), kAllTimes, ignored).ok();
  }
};

TEST(ChunkRow, RefusesAnotherVersionAndAnythingBehindARow) {
  EXPECT_TRUE(RawRow().IsRead());
  for (const char version : {0, 2, 3}) EXPECT_FALSE(RawRow{.version = version}.Opens());
  EXPECT_FALSE(RawRow{.starts = "x"}.Opens());
  EXPECT_EQ(ChunkRowRange(RawRow{.version = 3}.Bytes()).status(),
            absl::DataLossError("a chunk row is malformed"));
}

TEST(ChunkRow, RefusesARangeBeyondTheLastTime) {
  EXPECT_TRUE(ChunkRowRange(RawRow{.min_ms = kMax - 10}.Bytes()).ok());
  EXPECT_FALSE(ChunkRowRange(RawRow{.min_ms = kMax - 9}.Bytes()).ok());
}

TEST(ChunkRow, RefusesSeriesThatCannotBe) {
  const auto series = [](uint64_t head, uint64_t bits) {
    std::string bytes;
    PutVarint64(bytes, head);
    PutVarint64(bytes, bits);
    return bytes;
  };
  EXPECT_TRUE(RawRow{.float_series = series(3, 8)}.IsRead());
  EXPECT_FALSE(RawRow{.float_series = series(3, 9)}.Opens());
  EXPECT_FALSE(RawRow{.float_series = series(3, 0)}.Opens());
  // The first 64, but not 65.
  RawRow row;
  row.column_of_series.assign(64, 0);
  row.values.assign(64, {1, 2});
  row.float_series.clear();
  PutVarint64(row.float_series, 2 * 64);
  EXPECT_TRUE(row.IsRead());
  row.column_of_series.push_back(0);
  row.values.push_back({1, 2});
  row.float_series.clear();
  PutVarint64(row.float_series, 2 * 65);
  EXPECT_FALSE(row.Opens());
}

TEST(ChunkRow, RefusesARowWithoutSeries) {
  std::string bytes(1, 1);
  PutVarintSigned64(bytes, 100);
  PutVarint64(bytes, 10);
  ChunkRowReader reader;
  EXPECT_FALSE(reader.Open(bytes + std::string(2, '\0')).ok());
}

TEST(ChunkRow, RefusesTimeColumnsThatCannotBe) {
  // Two columns of which the series uses the second.
  EXPECT_TRUE(
      (RawRow{.time_counts = {1, 2}, .times = {{5}, {0, 10}}, .column_of_series = {1}}).IsRead());
  for (const int64_t column : {1, -1}) {
    EXPECT_FALSE(RawRow{.column_of_series = {column}}.Opens()) << column;
  }
  EXPECT_FALSE(
      (RawRow{.time_counts = {0, 2}, .times = {{5}, {0, 10}}, .column_of_series = {1}}).Opens());
  RawRow row{.time_counts = std::vector<int64_t>(64, 1),
             .times = std::vector<std::vector<int64_t>>(64, {5}),
             .values = {{1}}};
  EXPECT_TRUE(row.IsRead());
  row.time_counts.push_back(1);
  row.times.push_back({5});
  EXPECT_FALSE(row.Opens());
}

TEST(ChunkRow, RefusesMoreSamplesThanARowMayHave) {
  std::vector<int64_t> times(kMaxRowSamples + 1);
  for (size_t i = 0; i < times.size(); ++i) times[i] = static_cast<int64_t>(i);
  const auto row = [&](size_t count, size_t series_count) {
    RawRow made{
        .duration_ms = count - 1,
        .time_counts = {static_cast<int64_t>(count)},
        .times = {{times.begin(), times.begin() + static_cast<ptrdiff_t>(count)}},
        .column_of_series = std::vector<int64_t>(series_count, 0),
        .values = std::vector<std::vector<double>>(series_count, std::vector<double>(count, 1))};
    made.float_series = std::string(1, static_cast<char>(2 * series_count));
    return made;
  };
  EXPECT_TRUE(row(kMaxRowSamples, 1).IsRead());
  EXPECT_FALSE(row(kMaxRowSamples + 1, 1).Opens());
  EXPECT_TRUE(row(kMaxRowSamples / 2, 2).IsRead());
  EXPECT_FALSE(row(kMaxRowSamples / 2 + 1, 2).Opens());
}

TEST(ChunkRow, RefusesTimesOutsideTheRowOrOutOfOrder) {
  const auto is_read = [](std::vector<int64_t> times) {
    const RawRow row{.times = {std::move(times)}};
    EXPECT_TRUE(row.Opens());
    ChunkRowReader reader;
    const std::string bytes = row.Bytes();
    EXPECT_TRUE(reader.Open(bytes).ok());
    const bool has_range = reader.RangeOf(0).ok();
    EXPECT_EQ(row.IsRead(), has_range);
    return has_range;
  };
  EXPECT_TRUE(is_read({0, 10}));
  EXPECT_TRUE(is_read({3, 4}));
  EXPECT_FALSE(is_read({-1, 10}));
  EXPECT_FALSE(is_read({0, 11}));
  EXPECT_FALSE(is_read({5, 5}));
  EXPECT_FALSE(is_read({6, 5}));
}

TEST(ChunkRow, RefusesHistogramsOfAnotherSize) {
  std::string series;
  EncodeHistogramSeries(series, std::vector<HistogramSample>{HistogramAt(105, 1)});
  const auto row = [](const std::vector<int64_t>& sizes, const std::string& bytes) {
    RawRow made;
    made.histograms = std::string(1, static_cast<char>(2 * sizes.size()));
    PutPackedIntegers(made.histograms, sizes);
    made.histograms += bytes;
    return made;
  };
  const auto size = static_cast<int64_t>(series.size());
  EXPECT_TRUE(row({size}, series).IsRead());
  EXPECT_TRUE(row({size, size}, series + series).IsRead());
  EXPECT_FALSE(row({size}, series + "x").Opens());
  EXPECT_FALSE(row({size + 1}, series).Opens());
  EXPECT_FALSE(row({size, size + 1}, series + series).Opens());
  EXPECT_FALSE(row({-1}, "").Opens());
  // A byte behind the histograms of a series.
  EXPECT_TRUE(row({size + 1}, series + "x").Opens());
  EXPECT_FALSE(row({size + 1}, series + "x").IsRead());
}

TEST(ChunkRow, RefusesStartsOfSeriesWithoutFloats) {
  const auto row = [](const std::string& series, const std::vector<int64_t>& starts) {
    RawRow made{.version = 2};
    made.starts = series;
    IntegerColumnsWriter columns;
    if (!starts.empty()) columns.Add(starts);
    columns.Finish(1, made.starts);
    return made;
  };
  EXPECT_TRUE(row("\x02", {90, 90}).IsRead());
  EXPECT_FALSE(row(std::string(1, '\0'), {}).Opens());
  EXPECT_FALSE(row("\x03\x02", {90, 90}).Opens());
}

}  // namespace
}  // namespace lockstep
