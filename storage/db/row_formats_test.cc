// All rows except the journal's: window rows, dictionary rows, chunk rows, and the manifest.
#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <utility>

#include "base/coding.h"
#include "storage/chunk/codec_testing.h"
#include "storage/db/layout/store_layout.h"
#include "storage/db/rows/window_row.h"
#include "storage/db/series/dictionary_row.h"
#include "tests/support/format_page.h"

namespace lockstep {
namespace {

constexpr kv::DictionaryKind kTarget = kv::DictionaryKind::kTarget;
constexpr kv::DictionaryKind kMetric = kv::DictionaryKind::kMetric;

WindowRow ExampleWindowRow() {
  WindowRow row;
  row.totals.range = {1'700'000'000'000, 1'700'000'060'000};
  row.totals.sample_count = 1000;
  row.totals.byte_count = 4096;
  row.series = {2, 3, 4, 9};
  return row;
}

TEST(WindowRow, WorkedExample) {
  EXPECT_EQ(EncodeWindowRow(ExampleWindowRow()), FormatPageExample("keys.md", "window-row"));
}

TEST(WindowRow, ReadsWhatItWrote) {
  for (const std::vector<SeriesId>& series :
       {std::vector<SeriesId>{}, {0}, {UINT32_MAX}, {0, UINT32_MAX}, {1, 3, 5, 6, 7}}) {
    WindowRow row = ExampleWindowRow();
    row.totals.range.min_ms = -5;
    row.series = series;
    const auto read = DecodeWindowRow(EncodeWindowRow(row));
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_EQ(read->series, series);
    EXPECT_EQ(read->totals.range.min_ms, -5);
    EXPECT_EQ(read->totals.range.max_ms, 1'700'000'060'000);
    EXPECT_EQ(read->totals.sample_count, 1000u);
    EXPECT_EQ(read->totals.byte_count, 4096u);
  }
}

TEST(WindowRow, DamageIsDataLossOrOtherNumbers) {
  const std::string value = EncodeWindowRow(ExampleWindowRow());
  const auto decode = [](std::string_view bytes) { return DecodeWindowRow(bytes).status(); };
  ExpectEveryTruncationFails(value, decode);
  ExpectDamageIsSurvived(value, decode);
}

TEST(PartRow, WorkedExamples) {
  const LabelSet target = LabelSet::Of({{"job", "a"}});
  const LabelSet metric = LabelSet::Of({{kMetricName, "up"}});
  EXPECT_EQ(EncodePartRow(target), FormatPageExample("keys.md", "target-row"));
  EXPECT_EQ(EncodePartRow(metric), FormatPageExample("keys.md", "metric-row"));
  const std::pair<kv::DictionaryKind, LabelSet> rows[] = {
      {kTarget, target}, {kMetric, metric}, {kTarget, LabelSet()}, {kMetric, LabelSet()}};
  for (const auto& [kind, labels] : rows) {
    const auto read = DecodePartRow(kind, EncodePartRow(labels));
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_EQ(*read, labels);
  }
}

TEST(PartRow, HasLabelsOfItsKind) {
  const LabelSet target = LabelSet::Of({{"job", "a"}});
  const LabelSet metric = LabelSet::Of({{kMetricName, "up"}});
  EXPECT_TRUE(absl::IsDataLoss(DecodePartRow(kMetric, EncodePartRow(target)).status()));
  EXPECT_TRUE(absl::IsDataLoss(DecodePartRow(kTarget, EncodePartRow(metric)).status()));
}

TEST(PartRow, DamageIsDataLossOrOtherLabels) {
  const std::string value = EncodePartRow(LabelSet::Of({{"host", "n1"}, {"job", "a"}}));
  ExpectDamageIsSurvived(
      value, [](std::string_view bytes) { return DecodePartRow(kTarget, bytes).status(); });
  for (const char* bytes : {"", "\x02", "\x01\xff", "\x01\x03job"}) {
    EXPECT_EQ(DecodePartRow(kTarget, bytes).status().code(), absl::StatusCode::kDataLoss);
  }
}

TEST(SeriesRow, WorkedExample) {
  const std::vector<SeriesEntry> series = {{258, {7, 3}, {3, 65}},
                                           {259, {7, 4}, {4, 65}},
                                           {260, {8, 3}, {3, 66}},
                                           {261, {8, 4}, {4, 66}}};
  const std::string value = EncodeSeriesRow(258, series);
  EXPECT_EQ(value, FormatPageExample("keys.md", "series-row"));
  std::vector<SeriesEntry> read;
  ASSERT_TRUE(DecodeSeriesRow(258, value, read).ok());
  EXPECT_EQ(read, series);
  EXPECT_EQ(read[0].place.block(), 1u);
  EXPECT_EQ(read[0].place.index_in_block(), 1u);
}

// With arbitrary numbers and gaps, as after many removals.
std::vector<SeriesEntry> RandomEntries(std::mt19937& random, SeriesId first_id, size_t count) {
  const auto number = [&random] {
    return static_cast<uint32_t>(random()) % (random() % 2 == 0 ? 5 : UINT32_MAX);
  };
  std::vector<SeriesEntry> series;
  uint64_t id = first_id;
  for (size_t i = 0; i < count; ++i) {
    if (random() % 3 == 0) id += random() % 1000;
    const TargetId target = i > 0 && random() % 2 == 0 ? series[i - 1].parts.target : number();
    series.push_back({static_cast<SeriesId>(id++), {target, number()}, {number(), number()}});
  }
  return series;
}

TEST(SeriesRow, ReadsWhatItWroteWithinItsBounds) {
  std::mt19937 random(8);
  std::vector<SeriesEntry> read;
  for (int round = 0; round < 200; ++round) {
    const SeriesId first_id = round % 2 == 0 ? 0 : UINT32_MAX - 60'000;
    const auto series = RandomEntries(random, first_id, 1 + random() % 50);
    const std::string value = EncodeSeriesRow(first_id, series);
    ASSERT_TRUE(DecodeSeriesRow(first_id, value, read).ok());
    ASSERT_EQ(read, series);
    EXPECT_LE(value.size(), 1 + series.size() * kMaxSeriesEntryBytes);
  }
  const auto most = RandomEntries(random, 0, kMaxSeriesPerRow);
  ASSERT_TRUE(DecodeSeriesRow(0, EncodeSeriesRow(0, most), read).ok());
  EXPECT_EQ(read, most);
}

TEST(SeriesRow, TakesFewBytesForWhatTargetsHaveInCommon) {
  std::vector<SeriesEntry> series;
  for (uint32_t target = 0; target < 64; ++target) {
    for (uint32_t metric = 0; metric < 31; ++metric) {
      series.push_back({static_cast<SeriesId>(series.size()), {target, metric}, {metric, target}});
    }
  }
  EXPECT_LE(EncodeSeriesRow(0, series).size(), series.size() * 32 / 10);
}

TEST(SeriesRow, DamageIsDataLossOrOtherSeries) {
  std::mt19937 random(9);
  const std::string value = EncodeSeriesRow(7, RandomEntries(random, 7, 9));
  std::vector<SeriesEntry> read;
  const auto decode = [&read](std::string_view bytes) { return DecodeSeriesRow(7, bytes, read); };
  ExpectDamageIsSurvived(value, decode);
  const std::string_view none("\x01\x00\x00\x00", 4);  // a run without series
  for (const std::string_view bytes : {std::string_view(), std::string_view("\x01"), none}) {
    EXPECT_EQ(decode(bytes).code(), absl::StatusCode::kDataLoss);
  }
  EXPECT_EQ(
      DecodeSeriesRow(UINT32_MAX - 3, FormatPageExample("keys.md", "series-row"), read).code(),
      absl::StatusCode::kDataLoss)
      << "an id beyond the last";
}

constexpr std::string_view kManifest =
    "lockstep store 1\n"
    "read by lockstep 0.1.0\n"
    "shards 2\n"
    "checksum 262f7df2\n";

TEST(StoreManifest, IsTheTextOfItsPage) {
  const StoreManifest manifest{.shard_count = 2};
  EXPECT_EQ(FormatManifest(manifest), kManifest);
  EXPECT_EQ(*ParseManifest(kManifest), manifest);
}

TEST(StoreManifest, RefusesANewerFormatAndSaysWhoReadsIt) {
  const absl::Status status = ParseManifest(
                                  "lockstep store 2\n"
                                  "read by lockstep 7.8.9\n"
                                  "anything at all\n")
                                  .status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(
      Message(status),
      "the store has format 2, which lockstep 7.8.9 and later can read; this version reads "
      "formats up to 1. Use lockstep 7.8.9 or later, or restore a backup from before the upgrade");
}

TEST(StoreManifest, RefusesAFormatThatIsTooOld) {
  const absl::Status status = ParseManifest(
                                  "lockstep store 0\n"
                                  "read by lockstep 0.0.1\n"
                                  "anything at all\n")
                                  .status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(Message(status),
            "the store has format 0, but this version of lockstep reads formats from 1 on. Open "
            "the store "
            "once with a version between 0.0.1 and this one to upgrade it");
}

TEST(StoreManifest, RefusesEverythingElse) {
  const std::string head = "lockstep store 1\nread by lockstep 0.1.0\n";
  for (const std::string& text :
       {std::string(), head, head + "shards 2", head + "shards 2\n", head + "shards 2\nmore\n",
        std::string(kManifest) + "more\n", FormatManifest({.shard_count = 0}),
        FormatManifest({.shard_count = 4097}), std::string("shards 2\n"),
        std::string("lockstep store 1\nshards 2\n"), std::string("lockstep store x\n")}) {
    EXPECT_EQ(ParseManifest(text).status().code(), absl::StatusCode::kDataLoss) << text;
  }
}

TEST(StoreManifest, RefusesEveryFlippedBit) {
  for (size_t bit = 0; bit < 8 * kManifest.size(); ++bit) {
    std::string text(kManifest);
    text[bit / 8] = static_cast<char>(text[bit / 8] ^ 1 << bit % 8);
    EXPECT_FALSE(ParseManifest(text).ok()) << text;
  }
}

// A window row with these runs: gaps and lengths.
absl::Status StatusOfRuns(const std::vector<std::pair<uint64_t, uint64_t>>& runs,
                          const std::string& behind = "") {
  std::string value(1, 1);
  PutVarintSigned64(value, 5);
  for (const uint64_t number : {10, 1, 1}) PutVarint64(value, number);
  PutVarint64(value, runs.size());
  for (const auto& [gap, length] : runs) {
    PutVarint64(value, gap);
    PutVarint64(value, length);
  }
  return DecodeWindowRow(value + behind).status();
}

TEST(WindowRow, RefusesRunsThatCannotBe) {
  const absl::Status malformed = absl::DataLossError("a window row is malformed");
  EXPECT_TRUE(StatusOfRuns({{3, 2}, {0, 1}}).ok());
  EXPECT_EQ(StatusOfRuns({{3, 0}}), malformed);
  EXPECT_EQ(StatusOfRuns({{3, 2}}, "x"), malformed);
  EXPECT_TRUE(StatusOfRuns({{UINT32_MAX, 1}}).ok());
  EXPECT_EQ(StatusOfRuns({{UINT32_MAX, 2}}), malformed);
  EXPECT_EQ(StatusOfRuns({{uint64_t{UINT32_MAX} + 1, 1}}), malformed);
  EXPECT_EQ(StatusOfRuns({{UINT32_MAX, 1}, {0, 1}}), malformed);
  EXPECT_TRUE(StatusOfRuns({{0, 1u << 24}}).ok());
  EXPECT_EQ(StatusOfRuns({{0, (1u << 24) + 1}}), malformed);
  EXPECT_EQ(StatusOfRuns({{0, 1u << 24}, {1, 1}}), malformed);
}

TEST(WindowRow, RefusesTimesThatCannotBe) {
  std::string value(1, 1);
  PutVarintSigned64(value, INT64_MAX);
  for (const uint64_t number : {1, 1, 1, 0}) PutVarint64(value, number);
  EXPECT_EQ(DecodeWindowRow(value).status(),
            absl::DataLossError("a window row's times are malformed"));
  EXPECT_FALSE(DecodeWindowRow(std::string(1, 2) + value.substr(1)).ok());
}

// One run: the gap, the target, the number of series, and for each its metric, family and ordinal.
absl::Status StatusOfSeriesRun(SeriesId row, uint64_t gap, int64_t target, uint64_t count,
                               const std::vector<std::vector<int64_t>>& series) {
  std::string value(1, 1);
  PutVarint64(value, gap);
  PutVarintSigned64(value, target);
  PutVarint64(value, count);
  for (const std::vector<int64_t>& numbers : series) {
    for (const int64_t number : numbers) PutVarintSigned64(value, number);
  }
  std::vector<SeriesEntry> entries;
  return DecodeSeriesRow(row, value, entries);
}

TEST(SeriesRow, RefusesRunsThatCannotBe) {
  const absl::Status malformed = absl::DataLossError("its run at series 5 is malformed");
  EXPECT_TRUE(StatusOfSeriesRun(5, 2, 1, 1, {{1, 1, 1}}).ok());
  EXPECT_EQ(StatusOfSeriesRun(5, 2, 1, 0, {}), malformed);
  EXPECT_EQ(StatusOfSeriesRun(5, 2, -1, 1, {{1, 1, 1}}), malformed);
  EXPECT_EQ(StatusOfSeriesRun(5, 2, 1, 1, {{-1, 1, 1}}).ok(), false);
  // The last number is no number of a row.
  EXPECT_TRUE(StatusOfSeriesRun(5, 2, UINT32_MAX - 1, 1, {{1, 1, UINT32_MAX - 1}}).ok());
  EXPECT_EQ(StatusOfSeriesRun(5, 2, UINT32_MAX, 1, {{1, 1, 1}}), malformed);
  EXPECT_FALSE(StatusOfSeriesRun(5, 2, 1, 1, {{1, 1, UINT32_MAX}}).ok());
  EXPECT_TRUE(StatusOfSeriesRun(UINT32_MAX - 3, 2, 1, 1, {{1, 1, 1}}).ok());
  EXPECT_FALSE(StatusOfSeriesRun(UINT32_MAX - 3, 3, 1, 1, {{1, 1, 1}}).ok());
  EXPECT_FALSE(StatusOfSeriesRun(0, uint64_t{UINT32_MAX} + 1, 1, 1, {{1, 1, 1}}).ok());
  std::vector<SeriesEntry> entries;
  EXPECT_EQ(DecodeSeriesRow(5, "\x01", entries), absl::DataLossError("it has no series"));
  EXPECT_EQ(DecodeSeriesRow(5, "\x02", entries), absl::DataLossError("it has an unknown version"));
}

TEST(SeriesRow, HasSoManySeriesAtMost) {
  const std::vector<std::vector<int64_t>> most(kMaxSeriesPerRow, {0, 0, 0});
  EXPECT_TRUE(StatusOfSeriesRun(5, 0, 1, most.size(), most).ok());
  std::vector<std::vector<int64_t>> more = most;
  more.push_back({0, 0, 0});
  EXPECT_FALSE(StatusOfSeriesRun(5, 0, 1, more.size(), more).ok());
}

}  // namespace
}  // namespace lockstep
