// The rows beside the journal's: window rows, dictionary rows, chunk rows, and the manifest.
#include <gtest/gtest.h>

#include "storage/chunk/codec_test_support.h"
#include "storage/db/dictionary.h"
#include "storage/db/store_manifest.h"
#include "storage/db/window_row.h"
#include "tests/support/format_page.h"

namespace lockstep {
namespace {

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

TEST(DictionaryRow, WorkedExample) {
  const DictionaryRow row = {258, {3, 65}, LabelSet::Of({{kMetricName, "up"}, {"job", "a"}})};
  const std::string value = EncodeDictionaryRow(row);
  EXPECT_EQ(value, FormatPageExample("keys.md", "series-row"));
  const auto read = DecodeDictionaryRow(258, value);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->place, row.place);
  EXPECT_EQ(read->labels, row.labels);
  EXPECT_EQ(read->place.block(), 1u);
  EXPECT_EQ(read->place.index_in_block(), 1u);
}

TEST(DictionaryRow, DamageIsDataLossOrOtherLabels) {
  const std::string value =
      EncodeDictionaryRow({1, {300, 400}, LabelSet::Of({{kMetricName, "up"}, {"job", "a"}})});
  ExpectDamageIsSurvived(
      value, [](std::string_view bytes) { return DecodeDictionaryRow(1, bytes).status(); });
  EXPECT_EQ(DecodeDictionaryRow(1, "\xff").status().code(), absl::StatusCode::kDataLoss);
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
      "the store has format 2, which lockstep 7.8.9 and later read; this one reads formats up "
      "to 1. Use lockstep 7.8.9 or later, or restore a backup that is older than the upgrade");
}

TEST(StoreManifest, RefusesAFormatThatIsTooOld) {
  const absl::Status status = ParseManifest(
                                  "lockstep store 0\n"
                                  "read by lockstep 0.0.1\n"
                                  "anything at all\n")
                                  .status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(
      Message(status),
      "the store has format 0, and this lockstep reads formats from 1 on. Open it once with a "
      "lockstep between 0.0.1 and this one, which upgrades it");
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

}  // namespace
}  // namespace lockstep
