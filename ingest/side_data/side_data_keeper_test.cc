#include "ingest/side_data/side_data_keeper.h"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "ingest/side_data/kept_rows.h"
#include "ingest/write/ingest_testing.h"
#include "tests/support/format_page.h"

namespace lockstep {
namespace {

const LabelSet kKeptUp = LabelSet::Of({{"__name__", "up"}});
constexpr size_t kEnough = 1 << 20;

std::string TextOf(const MetadataStore& store) {
  std::string text;
  for (const MetadataStore::Metric& metric : store.List({})) {
    for (const MetricMetadata& one : metric.variants) {
      absl::StrAppendFormat(&text, "%s %s %s %s\n", metric.name, one.type, one.help, one.unit);
    }
  }
  return text;
}

std::string TextOf(const ExemplarStore& store) {
  std::string text;
  store.ForEachInOrderOfArrival([&](const LabelSet& series, const Exemplar& exemplar) {
    absl::StrAppendFormat(&text, "%s %s %g@%d\n", series.ToString(), exemplar.labels.ToString(),
                          exemplar.value, exemplar.timestamp_ms);
  });
  return text;
}

void Restore(const std::vector<std::string>& rows, ExemplarStore& store) {
  for (const std::string& row : rows) {
    ASSERT_TRUE(DecodeKeptExemplars(row, [&](const LabelSet& series, Exemplar exemplar) {
      store.Add(series, std::move(exemplar));
    }));
  }
}

TEST(KeptSideData, WorkedExamples) {
  EXPECT_EQ(EncodeKeptMetadata({{"up", {{"gauge", "Up? ", ""}}}}, kEnough),
            std::vector{FormatPageExample("kept.md", "metadata")});
  ExemplarStore store;
  store.Add(kKeptUp, {LabelSet::Of({{"id", "a"}}), 1.5, 1000});
  store.Add(kKeptUp, {{}, 2, 1001});
  EXPECT_EQ(EncodeKeptExemplars(store, kEnough),
            std::vector{FormatPageExample("kept.md", "exemplars")});
}

TEST(KeptSideData, RowsAreCutAndReadByThemselves) {
  ExemplarStore store;
  for (int i = 0; i < 100; ++i) {
    store.Add(LabelSet::Of({{"__name__", "m"}, {"rank", std::to_string(i % 7)}}),
              {LabelSet::Of({{"id", std::to_string(i)}}), 0.5 * i, 1000 + i});
  }
  const std::vector<std::string> rows = EncodeKeptExemplars(store, 100);
  EXPECT_GT(rows.size(), 10u);
  for (const std::string& row : rows) EXPECT_LE(row.size(), 100u);
  ExemplarStore restored;
  Restore(rows, restored);
  EXPECT_EQ(TextOf(restored), TextOf(store));

  const std::vector<MetadataStore::Metric> metrics = {
      {"a", {{"gauge", "x", ""}, {"counter", "y", "s"}}},
      {"b", {{"gauge", std::string(200, 'z'), ""}}},
      {"c", {{"unknown", "", ""}}}};
  MetadataStore metadata;
  for (const std::string& row : EncodeKeptMetadata(metrics, 20)) {
    std::vector<MetadataEntry> entries;
    ASSERT_TRUE(DecodeKeptMetadata(row, entries));
    metadata.Put(entries);
  }
  // Entries that fit into no row are dropped.
  EXPECT_EQ(TextOf(metadata), "a gauge x \na counter y s\nc unknown  \n");
}

// Decoding a damaged row always terminates.
TEST(KeptSideData, DamagedRowsAreRefused) {
  const auto is_good = [](std::string_view row) {
    return DecodeKeptExemplars(row, [](const LabelSet&, const Exemplar&) {});
  };
  const std::string exemplars = FormatPageExample("kept.md", "exemplars");
  const std::string metadata = FormatPageExample("kept.md", "metadata");
  size_t good_exemplars = 0, good_metadata = 0;
  for (size_t size = 0; size < exemplars.size(); ++size) {
    good_exemplars += is_good(std::string_view(exemplars).substr(0, size));
  }
  for (size_t size = 0; size < metadata.size(); ++size) {
    std::vector<MetadataEntry> entries;
    good_metadata += DecodeKeptMetadata(std::string_view(metadata).substr(0, size), entries);
  }
  // Two truncations are valid: the empty one, and the first of two exemplars.
  EXPECT_EQ(good_exemplars, 2u);
  EXPECT_EQ(good_metadata, 1u);
  for (size_t at = 0; at < exemplars.size() * 8; ++at) {
    std::string flipped = exemplars;
    flipped[at / 8] = static_cast<char>(flipped[at / 8] ^ (1 << (at % 8)));
    is_good(flipped);
  }
}

TEST(SideDataKeeperTest, WhatWasThereIsThereAgain) {
  KeptRowsInMemory rows;
  std::string metadata_before, exemplars_before;
  {
    MetadataStore metadata;
    ExemplarStore exemplars;
    const SideDataKeeper keeper(metadata, exemplars, rows);
    metadata.Put({{"up", {"gauge", "help", ""}}, {"up", {"counter", "help", ""}}});
    exemplars.Add(kKeptUp, {{}, 1, 1000});
    metadata_before = TextOf(metadata);
    exemplars_before = TextOf(exemplars);
  }
  rows.Damage(KeptKind::kExemplars, 7);
  MetadataStore metadata;
  ExemplarStore exemplars;
  { const SideDataKeeper keeper(metadata, exemplars, rows); }
  EXPECT_EQ(TextOf(metadata), metadata_before);
  EXPECT_EQ(TextOf(exemplars), exemplars_before);
}

// Writing fewer rows than before removes the old ones.
TEST(SideDataKeeperTest, RowsThatAreNotNeededGo) {
  KeptRowsInMemory rows;
  ASSERT_TRUE(rows.WriteKept(KeptKind::kMetadata, {{0, "\x01"}, {1, "\x01"}, {2, "\x01"}}).ok());
  MetadataStore metadata;
  ExemplarStore exemplars;
  {
    const SideDataKeeper keeper(metadata, exemplars, rows);
    metadata.Put({{"up", {"gauge", "help", ""}}});
  }
  EXPECT_EQ(rows.ReadKept(KeptKind::kMetadata)->size(), 1u);
}

// Counts writes, and fails when it is told to.
class CountingRows : public KeptRowsInMemory {
 public:
  absl::StatusOr<std::vector<KeptRow>> ReadKept(KeptKind kind) const override {
    if (!may_read) return absl::InternalError("cannot read");
    return KeptRowsInMemory::ReadKept(kind);
  }
  using KeptRowsInMemory::ReadKept;
  absl::Status WriteKept(KeptKind kind, const std::vector<KeptRow>& rows) override {
    ++(kind == KeptKind::kMetadata ? metadata_writes : exemplar_writes);
    return KeptRowsInMemory::WriteKept(kind, rows);
  }

  std::atomic<bool> may_read{true};
  std::atomic<int> metadata_writes{0};
  std::atomic<int> exemplar_writes{0};
};

TEST(SideDataKeeperTest, WhatDidNotChangeIsNotWritten) {
  CountingRows rows;
  {
    MetadataStore metadata;
    ExemplarStore exemplars;
    const SideDataKeeper keeper(metadata, exemplars, rows);
  }
  EXPECT_EQ(rows.metadata_writes, 0);
  EXPECT_EQ(rows.exemplar_writes, 0);
  {
    MetadataStore metadata;
    ExemplarStore exemplars;
    const SideDataKeeper keeper(metadata, exemplars, rows);
    metadata.Put({{"up", {"gauge", "help", ""}}});
  }
  EXPECT_EQ(rows.metadata_writes, 1);
  EXPECT_EQ(rows.exemplar_writes, 0);
  {
    MetadataStore metadata;
    ExemplarStore exemplars;
    const SideDataKeeper keeper(metadata, exemplars, rows);
    EXPECT_EQ(metadata.metric_count(), 1u);
    exemplars.Add(kKeptUp, {{}, 1, 1000});
  }
  EXPECT_EQ(rows.metadata_writes, 1);
  EXPECT_EQ(rows.exemplar_writes, 1);
}

TEST(SideDataKeeperTest, RowsThatCannotBeReadAreNone) {
  CountingRows rows;
  ASSERT_TRUE(rows.WriteKept(KeptKind::kMetadata, {{0, "\x01"}}).ok());
  rows.may_read = false;
  MetadataStore metadata;
  ExemplarStore exemplars;
  {
    const SideDataKeeper keeper(metadata, exemplars, rows);
    metadata.Put({{"up", {"gauge", "help", ""}}});
  }
  rows.may_read = true;
  MetadataStore again;
  { const SideDataKeeper keeper(again, exemplars, rows); }
  EXPECT_EQ(TextOf(again), "up gauge help \n");
}

TEST(SideDataKeeperTest, ADamagedRowLeavesTheOthers) {
  KeptRowsInMemory rows;
  const std::vector<std::string> kept =
      EncodeKeptMetadata({{"a", {{"gauge", "x", ""}}}, {"b", {{"gauge", "y", ""}}}}, 12);
  ASSERT_EQ(kept.size(), 2u);
  ASSERT_TRUE(rows.WriteKept(KeptKind::kMetadata, {{0, "\x02"}, {1, kept[1]}}).ok());
  MetadataStore metadata;
  ExemplarStore exemplars;
  { const SideDataKeeper keeper(metadata, exemplars, rows); }
  EXPECT_EQ(TextOf(metadata), "b gauge y \n");
}

}  // namespace
}  // namespace lockstep
