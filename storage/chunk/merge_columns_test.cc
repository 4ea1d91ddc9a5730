#include "storage/chunk/merge_columns.h"

#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <random>
#include <variant>

namespace lockstep {
namespace {

// The reference: a map in which the last write of each time stays.
using Value = std::variant<uint64_t, double>;  // the bits of a float, or the sum of a histogram
using Model = std::map<int64_t, Value>;

HistogramSample SampleOf(int64_t timestamp_ms, double sum) {
  auto h = std::make_shared<Histogram>();
  h->sum = sum;
  return {timestamp_ms, std::move(h)};
}

SampleColumns FromModel(const Model& model) {
  SampleColumns columns;
  for (const auto& [t, value] : model) {
    if (const auto* bits = std::get_if<uint64_t>(&value)) {
      columns.Append(t, std::bit_cast<double>(*bits));
    } else {
      columns.histograms.push_back(SampleOf(t, std::get<double>(value)));
    }
  }
  return columns;
}

Model ToModel(const SampleColumns& columns) {
  Model model;
  for (size_t i = 0; i < columns.values.size(); ++i) {
    EXPECT_TRUE(i == 0 || columns.timestamps_ms[i - 1] < columns.timestamps_ms[i]);
    model[columns.timestamps_ms[i]] = std::bit_cast<uint64_t>(columns.values[i]);
  }
  for (const HistogramSample& sample : columns.histograms) {
    EXPECT_TRUE(model.emplace(sample.timestamp_ms, sample.histogram->sum).second);
  }
  EXPECT_EQ(model.size(), columns.size());
  return model;
}

MergeCounts Put(Model& model, int64_t t, Value value) {
  MergeCounts counts;
  const auto [at, added] = model.emplace(t, value);
  if (!added) ++(at->second == value ? counts.duplicate_count : counts.overwritten_count);
  at->second = value;
  return counts;
}

Value RandomValue(std::mt19937_64& random) {
  if (random() % 4 == 0) return static_cast<double>(random() % 2);
  // Includes two NaNs with different payloads.
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  const double values[] = {0.0, -0.0, 1.0, kNan, StaleNan()};
  return std::bit_cast<uint64_t>(values[random() % std::size(values)]);
}

TEST(MergeColumns, AgreesWithAMap) {
  std::mt19937_64 random(10);
  for (int round = 0; round < 2000; ++round) {
    Model older, newer;
    for (size_t i = random() % 12; i > 0; --i) older[random() % 16] = RandomValue(random);
    for (size_t i = random() % 12; i > 0; --i)
      newer[random() % 16 + round % 20] = RandomValue(random);
    Model expected = older;
    MergeCounts expected_counts;
    for (const auto& [t, value] : newer) expected_counts += Put(expected, t, value);

    SampleColumns merged = FromModel({{99, 1.0}});  // replaced
    const MergeCounts counts = MergeColumns(FromModel(older), FromModel(newer), merged);
    ASSERT_EQ(ToModel(merged), expected);
    ASSERT_EQ(counts, expected_counts);
  }
}

TEST(SortIntoColumns, AgreesWithAMap) {
  std::mt19937_64 random(11);
  for (int round = 0; round < 2000; ++round) {
    std::vector<Sample> samples;
    std::vector<HistogramSample> histograms;
    for (size_t i = random() % 12; i > 0; --i) {
      const auto t = static_cast<int64_t>(random() % 16);
      const Value value = RandomValue(random);
      if (const auto* bits = std::get_if<uint64_t>(&value)) {
        samples.push_back({t, std::bit_cast<double>(*bits)});
      } else {
        histograms.push_back(SampleOf(t, std::get<double>(value)));
      }
    }
    Model expected;
    MergeCounts expected_counts;
    for (const Sample& s : samples) {
      expected_counts += Put(expected, s.timestamp_ms, std::bit_cast<uint64_t>(s.value));
    }
    Model expected_histograms;
    for (const HistogramSample& s : histograms) {
      expected_counts += Put(expected_histograms, s.timestamp_ms, s.histogram->sum);
    }
    for (const auto& [t, value] : expected_histograms) expected_counts += Put(expected, t, value);

    SampleColumns columns;
    const MergeCounts counts = SortIntoColumns(samples, {}, histograms, columns);
    ASSERT_EQ(ToModel(columns), expected);
    ASSERT_EQ(counts, expected_counts);
  }
}

TEST(MergeColumns, AnotherStartIsAnotherSample) {
  const auto columns = [](std::vector<Sample> samples, std::vector<int64_t> starts_ms) {
    SampleColumns sorted;
    SortIntoColumns(samples, starts_ms, {}, sorted);
    return sorted;
  };
  const SampleColumns older = columns({{3, 1}, {1, 1}, {2, 1}}, {7, 0, 0});
  SampleColumns merged;
  const MergeCounts counts =
      MergeColumns(older, columns({{1, 1}, {2, 1}, {3, 1}}, {0, 5, 7}), merged);
  EXPECT_EQ(counts, (MergeCounts{2, 1}));
  EXPECT_EQ(merged.start_timestamps_ms, (std::vector<int64_t>{0, 5, 7}));
  EXPECT_EQ(MergeColumns(columns({{1, 1}, {1, 1}}, {3, 4}), {}, merged), MergeCounts());
  EXPECT_EQ(merged.start_timestamps_ms, std::vector<int64_t>{4});
}

TEST(AppendInRange, TakesTheStartsOfWhatItTakes) {
  SampleColumns from, to;
  for (int64_t t = 1; t < 6; ++t) from.Append(t, 1, t < 4 ? 10 * t : 0);
  to.Append(0, 1);
  AppendInRange(from, {2, 4}, to);
  AppendInRange(from, {5, 5}, to);
  const std::vector<int64_t> expected = {0, 20, 30, 0, 0};
  for (size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(to.StartOf(i), expected[i]) << i;
}

TEST(AppendInRange, TakesBothEndsOfTheRange) {
  const Model model = {{1, uint64_t{1}}, {2, 2.0}, {3, uint64_t{3}}, {4, 4.0}, {5, uint64_t{5}}};
  const SampleColumns columns = FromModel(model);
  for (int64_t min_ms = 0; min_ms < 7; ++min_ms) {
    for (int64_t max_ms = 0; max_ms < 7; ++max_ms) {
      Model expected = {{-1, uint64_t{9}}};
      for (const auto& [t, value] : model) {
        if (min_ms <= t && t <= max_ms) expected.emplace(t, value);
      }
      SampleColumns picked = FromModel({{-1, uint64_t{9}}});
      AppendInRange(columns, {min_ms, max_ms}, picked);
      EXPECT_EQ(ToModel(picked), expected) << min_ms << ".." << max_ms;
    }
  }
}

TEST(TimeRangeOf, CoversBothKinds) {
  const auto expect = [](const Model& model, int64_t min_ms, int64_t max_ms) {
    const TimeRange range = TimeRangeOf(FromModel(model));
    EXPECT_EQ(range.min_ms, min_ms);
    EXPECT_EQ(range.max_ms, max_ms);
  };
  expect({{5, uint64_t{1}}}, 5, 5);
  expect({{5, 1.0}}, 5, 5);
  expect({{-3, 1.0}, {7, uint64_t{1}}}, -3, 7);
  expect({{-3, uint64_t{1}}, {7, 1.0}}, -3, 7);
}

TEST(SameBits, SeesEveryFieldOfAHistogram) {
  Histogram base;
  base.positive_spans = {{1, 1}};
  base.positive_counts = {1};
  base.negative_spans = {{1, 1}};
  base.negative_counts = {1};
  base.custom_values = {1};
  EXPECT_TRUE(SameBits(base, base));
  void (*const changes[])(Histogram&) = {
      [](Histogram& h) { h.reset_hint = CounterResetHint::kGauge; },
      [](Histogram& h) { h.schema = 1; },
      [](Histogram& h) { h.zero_threshold = -0.0; },
      [](Histogram& h) { h.zero_count = -0.0; },
      [](Histogram& h) { h.count = -0.0; },
      [](Histogram& h) { h.sum = -0.0; },
      [](Histogram& h) { h.positive_spans[0].offset = 2; },
      [](Histogram& h) { h.positive_counts[0] = 2; },
      [](Histogram& h) { h.negative_spans[0].length = 2; },
      [](Histogram& h) {
        h.negative_counts = {1, 1};
      },
      [](Histogram& h) { h.custom_values.clear(); },
  };
  for (size_t i = 0; i < std::size(changes); ++i) {
    Histogram changed = base;
    changes[i](changed);
    EXPECT_FALSE(SameBits(base, changed)) << i;
  }
}

TEST(MoveFrom, TakesWhatComesFromATimeOn) {
  for (int64_t begin_ms = 0; begin_ms < 7; ++begin_ms) {
    const Model model = {{1, uint64_t{1}}, {2, 2.0}, {3, uint64_t{3}}, {4, 4.0}, {5, uint64_t{5}}};
    Model left, moved;
    for (const auto& [t, value] : model) (t < begin_ms ? left : moved).emplace(t, value);
    SampleColumns from = FromModel(model), to = FromModel({{99, 1.0}});  // replaced
    MoveFrom(from, begin_ms, to);
    EXPECT_EQ(ToModel(from), left) << begin_ms;
    EXPECT_EQ(ToModel(to), moved) << begin_ms;
  }
}

TEST(MoveFrom, TakesTheStartsAlong) {
  SampleColumns from, to;
  for (int64_t t = 1; t < 5; ++t) from.Append(t, 1, t < 4 ? 10 * t : 0);
  MoveFrom(from, 3, to);
  EXPECT_EQ(from.start_timestamps_ms, (std::vector<int64_t>{10, 20}));
  EXPECT_EQ(to.StartOf(0), 30);
  EXPECT_EQ(to.StartOf(1), 0);
  MoveFrom(from, 9, to);
  EXPECT_EQ(from.start_timestamps_ms, (std::vector<int64_t>{10, 20}));
  EXPECT_EQ(to.size(), 0u);
}

}  // namespace
}  // namespace lockstep
