#include <gtest/gtest.h>

#include <bit>
#include <map>
#include <random>

#include "storage/chunk/codec_testing.h"
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

}  // namespace
}  // namespace lockstep
