#include "import/tsdb_blocks/block_reader.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <string_view>

#include "absl/strings/str_split.h"
#include "base/coding.h"
#include "base/crc32c.h"
#include "import/tsdb_blocks/blocks_testing.h"
#include "ingest/exposition/text_entry.h"

namespace lockstep::tsdb_blocks {
namespace {

// The input of `promtool tsdb create-blocks-from openmetrics`.
std::map<std::string, SampleColumns> WrittenSamples() {
  using exposition::TextFormat::kOpenMetrics;
  std::map<std::string, SampleColumns> series;
  const std::string text = ReadBlockFile("samples.om");
  std::string_view rest = text;
  exposition::SeriesLabels labels;
  while (!rest.empty()) {
    const auto entry = exposition::TakeEntry(rest, kOpenMetrics);
    if (!entry.ok()) {
      ADD_FAILURE() << entry.status();
      break;
    }
    if (entry->kind != exposition::EntryKind::kSample) continue;
    EXPECT_TRUE(exposition::ParseSeries(entry->series, kOpenMetrics, labels).ok());
    series[LabelSet::OfSorted(labels.labels).ToString()].Append(*entry->timestamp_ms, entry->value);
  }
  return series;
}

struct Block {
  std::string index = ReadBlockFile("block/index");
  std::string chunks = ReadBlockFile("block/chunks/000001");
  std::string tombstones = ReadBlockFile("block/tombstones");
  BlockFiles files() const { return {index, {chunks}, tombstones}; }
};

struct ReadBlock {
  absl::Status status;
  std::map<std::string, std::string> series;  // as from DescribeFloats()
  BlockCounts counts;
};

ReadBlock ReadAllSeries(const BlockFiles& files) {
  ReadBlock read;
  auto reader = BlockReader::Open(files);
  read.status = reader.status();
  if (!reader.ok()) return read;
  while (const auto series = reader->Next()) {
    read.series[series->labels.ToString()] = DescribeFloats(series->samples);
  }
  read.counts = reader->counts();
  return read;
}

bool IsNanText(std::string_view text) { return text.find(":7ff8") != text.npos; }

TEST(BlockReaderTest, ReadsWhatPromtoolWrote) {
  const Block block;
  const ReadBlock read = ReadAllSeries(block.files());
  ASSERT_TRUE(read.status.ok()) << read.status;
  EXPECT_EQ(read.counts.series, 5u);
  EXPECT_EQ(read.counts.samples, 3u * 250 + 2 * 100);
  EXPECT_EQ(read.counts.chunks, 8u);
  EXPECT_EQ(read.counts.bad_series + read.counts.bad_chunks + read.counts.deleted_samples +
                read.counts.out_of_order_samples,
            0u);
  const auto written = WrittenSamples();
  ASSERT_EQ(read.series.size(), written.size());
  size_t with_nan = 0;
  for (const auto& [labels, samples] : written) {
    ASSERT_TRUE(read.series.contains(labels)) << labels;
    const std::string& text = read.series.at(labels);
    with_nan += IsNanText(text);
    // Prometheus' NaN has one more bit set than ours.
    std::string expected = DescribeFloats(samples);
    const size_t nan = expected.find(":7ff8000000000000");
    if (nan != expected.npos) expected.replace(nan, 17, ":7ff8000000000001");
    EXPECT_EQ(text, expected) << labels;
  }
  EXPECT_EQ(with_nan, 1u);
}

std::string TombstonesOf(std::string_view entries) {
  std::string file;
  PutFixed32(file, 0x0130ba30);
  file += '\x01';
  file += entries;
  PutFixed32(file, Crc32c(entries));
  return file;
}

TEST(BlockReaderTest, LeavesOutWhatWasDeleted) {
  Block block;
  auto index = BlockIndex::Open(block.index);
  ASSERT_TRUE(index.ok());
  const auto first = index->Next();
  ASSERT_TRUE(first.ok() && first->has_value());
  const int64_t begin_ms = (*first)->chunks[0].min_time_ms;
  std::string entries;
  PutVarint64(entries, (*first)->ref);
  PutVarintSigned64(entries, begin_ms);
  PutVarintSigned64(entries, begin_ms + 120'000);
  block.tombstones = TombstonesOf(entries);
  auto reader = BlockReader::Open(block.files());
  ASSERT_TRUE(reader.ok());
  const auto series = reader->Next();
  ASSERT_TRUE(series.has_value());
  // Steps are a minute apart: those at 0, 1 and 2 minutes.
  EXPECT_EQ(series->labels.ToString(), (*first)->labels.ToString());
  EXPECT_EQ(series->samples.values.size(), 97u);
  EXPECT_EQ(series->samples.timestamps_ms[0], begin_ms + 180'000);
  EXPECT_EQ(reader->counts().deleted_samples, 3u);
}

TEST(BlockReaderTest, ADamagedTombstonesFileIsAnError) {
  std::string entries;
  PutVarint64(entries, 3);
  PutVarintSigned64(entries, -5);
  PutVarintSigned64(entries, 7);
  const std::string file = TombstonesOf(entries);
  const auto read = ReadTombstones(file);
  ASSERT_TRUE(read.ok());
  ASSERT_EQ(read->at(3).size(), 1u);
  EXPECT_EQ(read->at(3)[0].min_ms, -5);
  EXPECT_EQ(read->at(3)[0].max_ms, 7);
  for (size_t size = 0; size < file.size(); ++size) {
    EXPECT_FALSE(ReadTombstones(std::string_view(file).substr(0, size)).ok());
  }
  for (size_t bit = 0; bit < file.size() * 8; ++bit) {
    std::string flipped = file;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
    EXPECT_FALSE(ReadTombstones(flipped).ok());
  }
}

// Damage never creates samples, it only loses some.
void CheckIsPartOf(const ReadBlock& read, const ReadBlock& whole) {
  for (const auto& [labels, text] : read.series) {
    ASSERT_TRUE(whole.series.contains(labels)) << labels;
    const std::string& all = whole.series.at(labels);
    for (const absl::string_view sample : absl::StrSplit(text, ' ', absl::SkipEmpty())) {
      ASSERT_NE(all.find(std::string(sample)), all.npos) << labels;
    }
  }
}

TEST(BlockReaderTest, FlippedBitsOfChunksAreNoticed) {
  const Block block;
  const ReadBlock whole = ReadAllSeries(block.files());
  for (size_t bit = 0; bit < block.chunks.size() * 8; bit += 61) {
    Block damaged = block;
    damaged.chunks[bit / 8] = static_cast<char>(damaged.chunks[bit / 8] ^ (1 << bit % 8));
    const ReadBlock read = ReadAllSeries(damaged.files());
    // The three bytes of padding are ignored.
    if (bit / 8 >= 5 && bit / 8 < 8) continue;
    EXPECT_TRUE(!read.status.ok() || read.counts.bad_chunks == 1) << bit;
    CheckIsPartOf(read, whole);
  }
}

TEST(BlockReaderTest, FlippedBitsOfTheIndexNeverMakeOtherSamples) {
  const Block block;
  const ReadBlock whole = ReadAllSeries(block.files());
  size_t noticed = 0;
  for (size_t bit = 0; bit < block.index.size() * 8; bit += 5) {
    Block damaged = block;
    damaged.index[bit / 8] = static_cast<char>(damaged.index[bit / 8] ^ (1 << bit % 8));
    const ReadBlock read = ReadAllSeries(damaged.files());
    noticed += !read.status.ok() || read.counts.bad_series > 0;
    if (read.status.ok()) CheckIsPartOf(read, whole);
  }
  // The sections after the series, postings and tables, are not read.
  EXPECT_GT(noticed, block.index.size() * 8 / 5 / 4);
}

TEST(BlockReaderTest, ATornIndexIsAnErrorAndTornChunksAreFewer) {
  const Block block;
  const ReadBlock whole = ReadAllSeries(block.files());
  for (size_t size = 0; size < block.index.size(); ++size) {
    Block torn = block;
    torn.index.resize(size);
    EXPECT_FALSE(ReadAllSeries(torn.files()).status.ok());
  }
  for (size_t size = 0; size < block.chunks.size(); size += 17) {
    Block torn = block;
    torn.chunks.resize(size);
    const ReadBlock read = ReadAllSeries(torn.files());
    EXPECT_TRUE(!read.status.ok() || read.counts.bad_chunks > 0);
    CheckIsPartOf(read, whole);
  }
}

// An index of version 1: symbols are referenced by offset, series have no gaps.
std::string VersionOneIndex() {
  std::string file;
  PutFixed32(file, 0xbaaad700);
  file += '\x01';
  const uint64_t symbols = file.size();
  std::string table;
  PutFixed32(table, 4);
  std::map<std::string, uint64_t> places;
  for (const char* symbol : {"__name__", "job", "one", "two"}) {
    places[symbol] = symbols + 4 + table.size();
    PutLengthPrefixed(table, symbol);
  }
  PutFixed32(file, static_cast<uint32_t>(table.size()));
  file += table;
  PutFixed32(file, Crc32c(table));
  const uint64_t series = file.size();
  for (const char* job : {"one", "two"}) {
    std::string entry;
    PutVarint64(entry, 2);
    for (const char* symbol : {"__name__", "two", "job", job}) PutVarint64(entry, places[symbol]);
    PutVarint64(entry, 2);
    PutVarintSigned64(entry, -10);
    PutVarint64(entry, 5);
    PutVarint64(entry, (uint64_t{2} << 32) + 100);
    PutVarint64(entry, 1);
    PutVarint64(entry, 3);
    PutVarintSigned64(entry, -20);
    PutLengthPrefixed(file, entry);
    PutFixed32(file, Crc32c(entry));
  }
  const uint64_t end = file.size();
  std::string contents;
  for (const uint64_t place : {symbols, series, end, end, end, end}) PutFixed64(contents, place);
  file += contents;
  PutFixed32(file, Crc32c(contents));
  return file;
}

TEST(BlockIndexTest, ReadsVersionOne) {
  const std::string file = VersionOneIndex();
  auto index = BlockIndex::Open(file);
  ASSERT_TRUE(index.ok()) << index.status();
  for (const std::string_view job : {"one", "two"}) {
    const auto series = index->Next();
    ASSERT_TRUE(series.ok()) << series.status();
    ASSERT_TRUE(series->has_value());
    EXPECT_EQ((*series)->labels, LabelSet::Of({{"__name__", "two"}, {"job", job}}));
    ASSERT_EQ((*series)->chunks.size(), 2u);
    const ChunkPlace& last = (*series)->chunks[1];
    EXPECT_EQ(last.min_time_ms, -4);
    EXPECT_EQ(last.max_time_ms, -1);
    EXPECT_EQ(last.segment, 2u);
    EXPECT_EQ(last.offset, 80u);
  }
  const auto none = index->Next();
  ASSERT_TRUE(none.ok());
  EXPECT_FALSE(none->has_value());
}

}  // namespace
}  // namespace lockstep::tsdb_blocks
