#include <gtest/gtest.h>

#include <bit>
#include <map>
#include <random>

#include "base/coding.h"
#include "storage/chunk/codec_testing.h"
#include "storage/chunk/integers/integer_columns.h"
#include "storage/chunk/integers/packed_integers.h"
#include "storage/chunk/value_columns.h"
#include "storage/rollup/rollup_row_builder.h"
#include "storage/rollup/rollup_row_reader.h"
#include "tests/support/format_page.h"

namespace lockstep {
namespace {

constexpr int64_t kBegin = kRollupWindowMs * 118'055;
constexpr SamplesNeeded kThinned[] = {SamplesNeeded::kCount,   SamplesNeeded::kLowest,
                                      SamplesNeeded::kHighest, SamplesNeeded::kFirst,
                                      SamplesNeeded::kLast,    SamplesNeeded::kEnds};

using Row = std::map<uint32_t, SampleColumns>;

std::optional<std::string> Build(const Row& row) {
  RollupRowBuilder builder;
  for (const auto& [index, columns] : row) builder.Add(index, columns, kBegin);
  return builder.Finish();
}

// The expected result for the samples in the range, found by a plain scan.
SampleColumns Thinned(const SampleColumns& all, SamplesNeeded needed, TimeRange range) {
  std::map<uint32_t, std::vector<Sample>> buckets;
  for (size_t i = 0; i < all.values.size(); ++i) {
    if (IsStaleNan(all.values[i]) || !range.Contains(all.timestamps_ms[i])) continue;
    buckets[BucketOf(all.timestamps_ms[i], kBegin)].push_back(
        {all.timestamps_ms[i], all.values[i]});
  }
  SampleColumns thinned;
  const auto by_value = [](const Sample& a, const Sample& b) { return a.value < b.value; };
  for (const auto& [bucket, samples] : buckets) {
    const auto count = static_cast<uint32_t>(samples.size());
    const Sample first = samples.front(), last = samples.back();
    if (needed == SamplesNeeded::kEnds) {
      thinned.Append(first.timestamp_ms, first.value);
      thinned.left_out.push_back(0);
      if (count == 1) continue;
      thinned.Append(last.timestamp_ms, last.value);
      thinned.left_out.push_back(count - 2);
      continue;
    }
    double value = last.value;
    if (needed == SamplesNeeded::kCount) value = 0;
    if (needed == SamplesNeeded::kFirst) value = first.value;
    if (needed == SamplesNeeded::kLowest)
      value = std::ranges::min_element(samples, by_value)->value;
    if (needed == SamplesNeeded::kHighest) {
      value = std::ranges::max_element(samples, by_value)->value;
    }
    const bool at_first = needed == SamplesNeeded::kFirst;
    thinned.Append(at_first ? first.timestamp_ms : last.timestamp_ms, value);
    thinned.left_out.push_back(count - 1);
  }
  return thinned;
}

void ExpectThinned(RollupRowReader& reader, uint32_t index, const SampleColumns& all,
                   SamplesNeeded needed, TimeRange range) {
  SampleColumns read;
  ASSERT_TRUE(reader.Read(index, needed, range, read).ok());
  const SampleColumns expected = Thinned(all, needed, range);
  ExpectSameColumns(read, expected);
  EXPECT_EQ(read.left_out, expected.left_out);
}

// All kinds of series: empty, counters, gauges, with gaps, stale markers, NaN.
SampleColumns RandomSeries(std::mt19937_64& random) {
  SampleColumns columns;
  const uint64_t kind = random() % 6;
  if (kind == 0) return columns;
  const int64_t step_ms = std::vector<int64_t>{1'000, 15'000, 60'000, 299'999}[random() % 4];
  double value = 0;
  for (int64_t time_ms = static_cast<int64_t>(random() % 3) * 7; time_ms < kRollupWindowMs;
       time_ms += step_ms) {
    if (random() % 500 == 0) time_ms += static_cast<int64_t>(random() % 30) * kThinningBucketMs;
    if (time_ms >= kRollupWindowMs) break;
    value = kind == 1 ? value + static_cast<double>(random() % 9)
                      : static_cast<double>(random() % 2001) / 10 - 100;
    if (kind == 2) value = random() % 2 == 0 ? 0.0 : -0.0;
    if (kind == 3 && random() % 100 == 0) value = StaleNan();
    if (kind == 4 && random() % 1000 == 0) value = std::nan("7");
    columns.Append(kBegin + time_ms, value);
  }
  return columns;
}

// Whether it has NaNs, or too few samples per bucket.
bool IsRaw(const SampleColumns& columns) {
  uint64_t buckets = 0;
  for (size_t i = 0; i < columns.values.size(); ++i) {
    if (IsStaleNan(columns.values[i])) continue;
    if (std::isnan(columns.values[i])) return true;
    buckets |= uint64_t{1} << BucketOf(columns.timestamps_ms[i], kBegin);
  }
  return columns.values.size() <
         kMinSamplesPerBucket * static_cast<uint64_t>(std::popcount(buckets));
}

TEST(RollupRow, TellsOfEverySeriesWhatItsSamplesCameTo) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 60; ++round) {
    Row row;
    for (uint32_t index = 0; index < kMaxRollupSeries; ++index) {
      if (random() % 4 != 0) row[index] = RandomSeries(random);
    }
    const std::optional<std::string> value = Build(row);
    ASSERT_TRUE(value.has_value());
    RollupRowReader reader;
    ASSERT_TRUE(reader.Open(*value, kBegin).ok());
    for (uint32_t index = 0; index < kMaxRollupSeries; ++index) {
      const SampleColumns& all = row[index];
      EXPECT_FALSE(!all.values.empty() && reader.Answers(index, SamplesNeeded::kAll));
      for (const SamplesNeeded needed : kThinned) {
        const bool is_of_ascending =
            needed == SamplesNeeded::kFirst || needed == SamplesNeeded::kEnds;
        if (!reader.Answers(index, needed)) {
          EXPECT_TRUE(IsRaw(all) || is_of_ascending);
          continue;
        }
        const auto from = static_cast<int64_t>(random() % 52) - 2;
        const auto to = from + static_cast<int64_t>(random() % 30) - 1;
        ExpectThinned(reader, index, all, needed, kAllTimes);
        ExpectThinned(reader, index, all, needed,
                      {kBegin + from * kThinningBucketMs + 1, kBegin + to * kThinningBucketMs});
      }
    }
  }
}

TEST(RollupRow, CountersTellTheirEnds) {
  SampleColumns counter;
  for (int i = 0; i < 100; ++i) {
    const int thirds = i / 3;
    counter.Append(kBegin + i * 15'000, thirds);
  }
  RollupRowReader reader;
  const std::string value = *Build({{5, counter}});
  ASSERT_TRUE(reader.Open(value, kBegin).ok());
  ASSERT_TRUE(reader.Answers(5, SamplesNeeded::kEnds));
  ExpectThinned(reader, 5, counter, SamplesNeeded::kEnds, kAllTimes);
}

TEST(RollupRow, WithoutASeriesThatCanBeSummedUpThereIsNone) {
  SampleColumns nan, marker, few;
  nan.Append(kBegin, std::nan(""));
  marker.Append(kBegin, StaleNan());
  for (int i = 0; i < 7; ++i) few.Append(kBegin + 1 + i, i);
  EXPECT_FALSE(Build({{0, nan}, {3, marker}, {4, few}}).has_value());
  few.Append(kBegin + 9, 9);
  EXPECT_TRUE(Build({{0, nan}, {3, marker}, {4, few}}).has_value());
}

Row Example() {
  Row row;
  for (int i = 1; i <= 16; ++i) {
    row[0].Append(kBegin + i * 30'000, i);
    row[1].Append(kBegin + i * 30'000, 2);
  }
  row[2].Append(kBegin + 1, std::nan(""));
  for (int i = 1; i <= 20; ++i) row[3].Append(kBegin + i * 20'000, i % 2 == 0 ? 0.5 : 2.5);
  return row;
}

TEST(RollupRow, WorkedExample) {
  EXPECT_EQ(*Build(Example()), FormatPageExample("rollup.md", "row"));
}

TEST(RollupRow, DamageIsDataLossOrOtherSamples) {
  const std::string value = *Build(Example());
  const auto decode = [](std::string_view bytes) {
    RollupRowReader reader;
    absl::Status status = reader.Open(bytes, kBegin);
    if (!status.ok()) return status;
    for (uint32_t index = 0; index < kMaxRollupSeries; ++index) {
      for (const SamplesNeeded needed : kThinned) {
        SampleColumns columns;
        if (!reader.Answers(index, needed)) continue;
        if (status = reader.Read(index, needed, kAllTimes, columns); !status.ok()) return status;
        EXPECT_LE(columns.values.size(), 2 * kRollupBuckets);
      }
    }
    return status;
  };
  ExpectEveryTruncationFails(value, decode);
  ExpectDamageIsSurvived(value, decode);
}

// The parts of a row, to put together one that no builder makes.
struct RawRollup {
  char version = 1;
  uint64_t rolled_up = 1, raw = 0, ascending = 1;
  std::vector<uint64_t> buckets = {0b10};
  std::vector<int64_t> counts = {8}, firsts = {100}, lasts = {50};
  std::vector<int64_t> column_of_series = {0};
  std::string behind{};

  std::string Bytes() const {
    std::string bytes(1, version);
    for (const uint64_t series : {rolled_up, raw, ascending}) PutVarint64(bytes, series);
    PutVarint64(bytes, buckets.size());
    for (const uint64_t of_column : buckets) PutVarint64(bytes, of_column);
    for (const std::vector<int64_t>* field : {&counts, &firsts, &lasts}) {
      IntegerColumnsWriter columns;
      for (const int64_t number : *field) columns.Add({&number, 1});
      columns.Finish(1, bytes);
    }
    PutPackedIntegers(bytes, column_of_series);
    for (const double value : {1.0, 2.0}) {  // lows and highs
      ValueColumnsWriter values;
      for (size_t i = 0; i < column_of_series.size(); ++i) values.Add({&value, 1});
      values.Finish(bytes);
    }
    return bytes + behind;
  }
  absl::Status Open(RollupRowReader& reader, std::string& bytes) const {
    bytes = Bytes();
    return reader.Open(bytes, kBegin);
  }
  bool Opens() const {
    RollupRowReader reader;
    std::string bytes;
    return Open(reader, bytes).ok();
  }
  bool IsRead() const {
    RollupRowReader reader;
    std::string bytes;
    SampleColumns columns;
    EXPECT_TRUE(Open(reader, bytes).ok());
    return reader.Read(0, SamplesNeeded::kHighest, kAllTimes, columns).ok();
  }
};

TEST(RollupRow, RefusesSeriesThatCannotBe) {
  EXPECT_TRUE(RawRollup().IsRead());
  EXPECT_FALSE(RawRollup{.version = 2}.Opens());
  EXPECT_FALSE(RawRollup{.behind = "x"}.Opens());
  EXPECT_FALSE((RawRollup{.rolled_up = 0, .ascending = 0, .column_of_series = {}}).Opens());
  EXPECT_TRUE(RawRollup{.raw = 2}.Opens());
  EXPECT_FALSE(RawRollup{.raw = 1}.Opens());
  EXPECT_FALSE(RawRollup{.ascending = 3}.Opens());
  EXPECT_EQ(RollupRowReader().Open("x", kBegin), absl::DataLossError("a rollup row is malformed"));
}

TEST(RollupRow, RefusesTimesThatCannotBe) {
  EXPECT_TRUE(RawRollup{.buckets = {uint64_t{1} << 48}}.IsRead());
  EXPECT_FALSE(RawRollup{.buckets = {uint64_t{1} << 49}}.Opens());
  EXPECT_FALSE(RawRollup{.buckets = {0}}.Opens());
  for (const int64_t column : {1, -1}) {
    EXPECT_FALSE(RawRollup{.column_of_series = {column}}.Opens());
  }
  RawRollup many{.buckets = std::vector<uint64_t>(64, 2),
                 .counts = std::vector<int64_t>(64, 8),
                 .firsts = std::vector<int64_t>(64, 100),
                 .lasts = std::vector<int64_t>(64, 50)};
  EXPECT_TRUE(many.IsRead());
  many.buckets.push_back(2);
  for (std::vector<int64_t>* field : {&many.counts, &many.firsts, &many.lasts}) {
    field->push_back(field->back());
  }
  EXPECT_FALSE(many.Opens());
}

// Times are distances to the end of the bucket, and no two samples have the same.
TEST(RollupRow, RefusesBucketsThatCannotBe) {
  const auto is_read = [](int64_t count, int64_t first, int64_t last) {
    return RawRollup{.counts = {count}, .firsts = {first}, .lasts = {last}}.IsRead();
  };
  EXPECT_TRUE(is_read(1, 0, 0));
  EXPECT_FALSE(is_read(1, 1, 0));
  EXPECT_FALSE(is_read(0, 0, 0));
  EXPECT_TRUE(is_read(2, 299'999, 0));
  EXPECT_FALSE(is_read(2, 300'000, 0));
  EXPECT_FALSE(is_read(2, 5, -1));
  EXPECT_TRUE(is_read(6, 10, 5));
  EXPECT_FALSE(is_read(7, 10, 5));
  EXPECT_TRUE(is_read(300'000, 299'999, 0));
}

TEST(RollupRow, AnswersForWhatItHasAndForWhatIsNotThere) {
  Row row = Example();
  RollupRowReader reader;
  const std::string value = *Build(row);
  ASSERT_TRUE(reader.Open(value, kBegin).ok());
  for (const SamplesNeeded needed : kThinned) {
    const bool needs_ascent = needed == SamplesNeeded::kFirst || needed == SamplesNeeded::kEnds;
    EXPECT_TRUE(reader.Answers(0, needed));               // ascends
    EXPECT_FALSE(reader.Answers(2, needed));              // has a NaN
    EXPECT_EQ(reader.Answers(3, needed), !needs_ascent);  // falls
    EXPECT_TRUE(reader.Answers(9, needed));               // has no samples
  }
  for (const SamplesNeeded needed : {SamplesNeeded::kAll, SamplesNeeded::kNewest}) {
    EXPECT_FALSE(reader.Answers(0, needed));
    EXPECT_TRUE(reader.Answers(9, needed));
  }
  SampleColumns columns;
  EXPECT_TRUE(reader.Read(9, SamplesNeeded::kCount, kAllTimes, columns).ok());
  EXPECT_TRUE(reader.Read(0, SamplesNeeded::kCount, {5, 4}, columns).ok());
  EXPECT_EQ(columns.size(), 0u);
}

TEST(RollupRow, ABuilderCanBeUsedAgain) {
  RollupRowBuilder builder;
  for (int round = 0; round < 2; ++round) {
    for (const auto& [index, columns] : Example()) builder.Add(index, columns, kBegin);
    EXPECT_EQ(builder.Finish(), Build(Example()));
    EXPECT_EQ(builder.Finish(), std::nullopt);
  }
}

}  // namespace
}  // namespace lockstep
