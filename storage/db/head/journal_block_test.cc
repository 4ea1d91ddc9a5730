#include "storage/db/head/journal_block.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "base/coding.h"
#include "storage/chunk/codec_testing.h"
#include "storage/chunk/merge_columns.h"
#include "tests/support/format_page.h"

namespace lockstep {
namespace {

struct Entry {
  SeriesId id = 0;
  SampleColumns columns;
};

absl::StatusOr<std::vector<Entry>> Read(std::string_view block) {
  std::vector<Entry> entries;
  LOCKSTEP_RETURN_IF_ERROR(ReadJournalBlock(block, [&](SeriesId id, const SampleColumns& columns) {
    entries.push_back({id, columns});
    return absl::OkStatus();
  }));
  return entries;
}

std::string Write(const std::vector<Entry>& entries) {
  JournalBlockBuilder builder;
  for (const Entry& entry : entries) builder.Add(entry.id, entry.columns);
  const size_t bound = builder.byte_count();
  std::string block = builder.Finish();
  EXPECT_LE(block.size(), bound);
  EXPECT_TRUE(builder.empty());
  return block;
}

Entry Floats(SeriesId id, std::vector<int64_t> times, std::vector<double> values) {
  return {id, {std::move(times), std::move(values), {}}};
}

void ExpectRoundTrip(const std::vector<Entry>& entries) {
  const auto read = Read(Write(entries));
  ASSERT_TRUE(read.ok()) << read.status();
  ASSERT_EQ(read->size(), entries.size());
  for (size_t i = 0; i < entries.size(); ++i) {
    const SampleColumns& in = entries[i].columns;
    const SampleColumns& out = (*read)[i].columns;
    EXPECT_EQ((*read)[i].id, entries[i].id);
    ExpectSameColumns(out, in);
  }
}

HistogramSample HistogramAt(int64_t time_ms, double count) {
  auto histogram = std::make_shared<Histogram>();
  histogram->count = count;
  histogram->sum = StaleNan();
  histogram->positive_spans = {{-2, 2}};
  histogram->positive_counts = {1, count};
  return {time_ms, histogram};
}

TEST(JournalBlock, WorkedExample) {
  EXPECT_EQ(Write({Floats(3, {1000}, {1}), Floats(5, {1000, 2000}, {2.5, 0})}),
            FormatPageExample("journal.md", "floats"));
  Entry started = Floats(5, {1000, 2000}, {2.5, 4});
  started.columns.start_timestamps_ms = {500, 1500};
  EXPECT_EQ(Write({Floats(3, {1000}, {1}), started}), FormatPageExample("journal.md", "starts"));
}

void ExpectExample(const std::string& name, const std::vector<Entry>& entries) {
  const auto read = Read(FormatPageExample("journal.md", name));
  ASSERT_TRUE(read.ok()) << read.status();
  ASSERT_EQ(read->size(), entries.size());
  for (size_t i = 0; i < entries.size(); ++i) {
    EXPECT_EQ((*read)[i].id, entries[i].id);
    ExpectSameColumns((*read)[i].columns, entries[i].columns);
  }
}

TEST(JournalBlock, BlocksWithoutDecimalsAreRead) {
  Entry second = Floats(5, {1000, 2000}, {2.5, 0});
  ExpectExample("plain", {Floats(3, {1000}, {1}), second});
  second.columns.start_timestamps_ms = {500, 1500};
  ExpectExample("plain_starts", {Floats(3, {1000}, {1}), second});
}

TEST(JournalBlock, WorkedExampleOfACompressedBlock) {
  ExpectExample("compressed", {Floats(3, {1000}, {1}), Floats(5, {1000, 2000}, {2.5, 0})});
}

// A sample each of `count` series at one time, as a scrape brings them.
std::vector<Entry> Scrape(SeriesId count, double first_value) {
  std::vector<Entry> entries;
  for (SeriesId id = 0; id < count; ++id)
    entries.push_back(Floats(id, {1'700'000'000'000}, {first_value + id % 8}));
  return entries;
}

TEST(JournalBlock, AScrapeTakesLessThanAByteForEachSample) {
  const std::string block = Write(Scrape(2000, 40));
  EXPECT_EQ(block.front(), 3);
  EXPECT_LT(block.size(), 2000);
  ExpectRoundTrip(Scrape(2000, 40));
}

TEST(JournalBlock, WhatCannotBeCompressedStaysAsItIs) {
  std::mt19937_64 random(7);
  Entry entry = Floats(1, {}, {});
  int64_t time_ms = 0;
  for (int i = 0; i < 60; ++i) {
    time_ms += 1 + static_cast<int64_t>(random() % 63);
    // Seven or eight bytes, so that not even the sizes repeat.
    const uint64_t bits = random() % 2 == 0 ? random() | 1 : (random() | 1) << 8;
    entry.columns.Append(time_ms, std::bit_cast<double>(bits));
  }
  const std::string block = Write({entry});
  EXPECT_GE(block.size(), 256);
  EXPECT_EQ(block.front(), 4);
  ExpectRoundTrip({entry});
}

TEST(JournalBlock, ABuilderStartsAnew) {
  JournalBlockBuilder builder;
  for (const Entry& entry : Scrape(2000, 70)) builder.Add(entry.id, entry.columns);
  builder.Finish();
  for (const Entry& entry : Scrape(1000, 40)) builder.Add(entry.id, entry.columns);
  EXPECT_EQ(builder.Finish(), Write(Scrape(1000, 40)));
}

TEST(JournalBlock, DamageOfACompressedBlockIsDataLossOrOtherSamples) {
  const std::string block = Write(Scrape(300, 40));
  ASSERT_EQ(block.front(), 3);
  const auto decode = [](std::string_view bytes) { return Read(bytes).status(); };
  ExpectEveryTruncationFails(block, decode);
  ExpectDamageIsSurvived(block, decode);
  EXPECT_EQ(decode(block + "x").code(), absl::StatusCode::kDataLoss);
}

// A compressed block that says how large its content is, in a frame of RFC 8878 with one block, not
// compressed, of fewer than 256 bytes.
std::string CompressedBlock(std::string_view byte_count, std::string_view content) {
  const auto size = static_cast<uint8_t>(content.size());
  const std::string frame_head = {'\x28', '\xb5', '\x2f', '\xfd', '\x20', static_cast<char>(size)};
  const uint32_t block_head = uint32_t{size} << 3 | 1;
  return "\3" + std::string(byte_count) + frame_head +
         std::string{static_cast<char>(block_head), static_cast<char>(block_head >> 8), '\0'} +
         std::string(content);
}

TEST(JournalBlock, ACompressedBlockSaysHowLargeItsContentIs) {
  const std::string content = Write({Floats(3, {1000}, {1})});
  ASSERT_LT(content.size(), 127);
  const auto varint = [](size_t size) { return std::string(1, static_cast<char>(size)); };
  EXPECT_TRUE(Read(CompressedBlock(varint(content.size()), content)).ok());
  const auto error = [&](std::string_view byte_count) {
    return Read(CompressedBlock(byte_count, content)).status();
  };
  EXPECT_EQ(error(varint(content.size() - 1)).code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(error(varint(content.size() + 1)).code(), absl::StatusCode::kDataLoss);
  // 2^63: nothing of that size is allocated.
  EXPECT_EQ(error("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01"),
            absl::DataLossError("a compressed journal block is malformed"));
}

TEST(JournalBlock, ACompressedBlockHoldsNoCompressedOne) {
  const std::string content = Write({Floats(3, {1000}, {1})});
  const std::string inner =
      CompressedBlock(std::string(1, static_cast<char>(content.size())), content);
  const std::string outer = CompressedBlock(std::string(1, static_cast<char>(inner.size())), inner);
  EXPECT_EQ(Read(outer).status().code(), absl::StatusCode::kDataLoss);
}

TEST(JournalBlock, BringsEveryBitBack) {
  constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  ExpectRoundTrip({});
  ExpectRoundTrip({Floats(0, {}, {})});
  ExpectRoundTrip({Floats(UINT32_MAX, {kMin, 0, kMax}, {-0.0, StaleNan(), 1e300}),
                   Floats(0, {kMax}, {std::bit_cast<double>(uint64_t{1})}),
                   Floats(7, {kMin}, {std::numeric_limits<double>::infinity()})});
  Entry mixed = Floats(9, {1, 3}, {1.5, 2.5});
  mixed.columns.histograms = {HistogramAt(2, 4), HistogramAt(4, 8)};
  Entry histograms;
  histograms.id = 4;
  histograms.columns.histograms = {HistogramAt(-5, 1)};
  ExpectRoundTrip({mixed, histograms, Floats(1, {1}, {1})});
  mixed.columns.start_timestamps_ms = {kMax, kMin};
  ExpectRoundTrip({Floats(1, {1}, {1}), mixed, histograms, mixed, mixed, Floats(1, {1}, {1})});
}

TEST(JournalBlock, DecimalsComeBackToTheLastBit) {
  constexpr double kLargest = 0x1p53;
  ExpectRoundTrip({Floats(1, {1, 2, 3, 4, 5, 6}, {70.23, 70.2, 70, -70.23, 0, -0.0}),
                   Floats(2, {1, 2, 3}, {0.1 + 0.2, 0.3, 0.000001}),
                   Floats(3, {1, 2, 3}, {0.0000001, 123456789.123456, 1e22}),
                   Floats(4, {1, 2, 3, 4}, {kLargest - 1, 1 - kLargest, kLargest, kLargest + 2}),
                   Floats(5, {1, 2, 3}, {0.000001, 4294967295, 4294967296}),
                   Floats(6, {1, 2, 3}, {0.5, StaleNan(), 0.5})});
  std::mt19937_64 random(3);
  std::vector<Entry> entries;
  for (SeriesId id = 0; id < 500; ++id) {
    Entry entry = Floats(id, {}, {});
    for (int64_t time_ms = 0; time_ms < 8; ++time_ms) {
      const auto number = static_cast<int64_t>(random() >> (random() % 64));
      const auto power = std::pow(10.0, static_cast<double>(random() % 9));
      entry.columns.Append(time_ms, static_cast<double>(number) / power);
    }
    entries.push_back(std::move(entry));
  }
  ExpectRoundTrip(entries);
}

// A counter with increments below 100, and hundredths that change by less than one.
TEST(JournalBlock, DecimalsOfASeriesTakeTwoBytesAtMost) {
  std::mt19937_64 random(3);
  Entry counter = Floats(1, {}, {});
  Entry gauge = Floats(2, {}, {});
  int64_t count = 1'000'000'000;
  for (int64_t i = 0; i < 2000; ++i) {
    counter.columns.Append(i * 1000, static_cast<double>(count += random() % 100));
    gauge.columns.Append(i * 1000, static_cast<double>(7000 + random() % 64) / 100);
  }
  EXPECT_LT(Write({counter, gauge}).size(), 4000 * 5 / 4);
  ExpectRoundTrip({counter, gauge});
}

TEST(JournalBlock, RandomEntriesComeBack) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 200; ++round) {
    std::vector<Entry> entries;
    for (uint64_t left = random() % 20; left > 0; --left) {
      Entry entry;
      entry.id = static_cast<SeriesId>(random() % 1000);
      int64_t time_ms = static_cast<int64_t>(random() % 1'000'000);
      for (uint64_t samples = random() % 5; samples > 0; --samples) {
        const uint64_t bits = random() << (8 * (random() % 8));
        const int64_t start_ms = round % 2 == 0 ? 0 : static_cast<int64_t>(random() % 3) * 77;
        entry.columns.Append(time_ms += 1 + static_cast<int64_t>(random() % 1000),
                             std::bit_cast<double>(bits), start_ms);
      }
      entries.push_back(std::move(entry));
    }
    ExpectRoundTrip(entries);
  }
}

TEST(JournalBlock, AddingOneSampleIsAddingColumnsOfOne) {
  JournalBlockBuilder builder;
  builder.Add(7, Sample{5, 2.5});
  EXPECT_EQ(builder.Finish(), Write({Floats(7, {5}, {2.5})}));
}

TEST(JournalBlock, DamageIsDataLossOrOtherSamples) {
  Entry mixed = Floats(9, {1000, 3000}, {1.5, 2.5});
  mixed.columns.histograms = {HistogramAt(2000, 4)};
  mixed.columns.start_timestamps_ms = {500, 500};
  const std::string block = Write({Floats(3, {1000}, {1}), mixed});
  const auto decode = [](std::string_view bytes) { return Read(bytes).status(); };
  ExpectEveryTruncationFails(block, decode);
  ExpectDamageIsSurvived(block, decode);
  EXPECT_EQ(decode(block + "x").code(), absl::StatusCode::kDataLoss);
}

TEST(JournalBlock, PassesTheVisitorsErrorOn) {
  const std::string block = Write({Floats(3, {1}, {1}), Floats(4, {1}, {1})});
  int calls = 0;
  const absl::Status status = ReadJournalBlock(block, [&](SeriesId, const SampleColumns&) {
    ++calls;
    return absl::InternalError("enough");
  });
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
  EXPECT_EQ(calls, 1);
}

// The columns of a block, to put together one that no builder makes.
struct RawBlock {
  char version = 1;
  uint64_t entry_count = 1;
  int64_t id = 3;
  uint64_t counts = 2;  // one float
  std::string times = std::string(1, '\x0a');
  std::string value_sizes = std::string(1, '\x01');
  std::string values = "x";
  std::string starts{};

  bool IsRead() const {
    std::string ids;
    PutVarintSigned64(ids, id);
    PutVarint64(ids, counts);
    std::string block(1, version);
    for (const uint64_t size : {entry_count, ids.size(), times.size(), values.size(), size_t{0}}) {
      PutVarint64(block, size);
    }
    if (version == 2 || version == 5) PutVarint64(block, starts.size());
    block += ids + times + value_sizes + values + starts;
    return ReadJournalBlock(block, [](SeriesId, const SampleColumns&) { return absl::OkStatus(); })
        .ok();
  }
};

TEST(JournalBlock, RefusesWhatNoBuilderMakes) {
  EXPECT_TRUE(RawBlock().IsRead());
  EXPECT_FALSE(RawBlock{.version = 0}.IsRead());
  EXPECT_FALSE(RawBlock{.version = 3}.IsRead());
  EXPECT_TRUE(RawBlock{.version = 4}.IsRead());
  EXPECT_TRUE(RawBlock{.version = 5}.IsRead());
  EXPECT_FALSE(RawBlock{.version = 6}.IsRead());
  EXPECT_FALSE(RawBlock{.entry_count = 2}.IsRead());
  EXPECT_FALSE(RawBlock{.entry_count = 0}.IsRead());
  EXPECT_TRUE(RawBlock{.id = UINT32_MAX}.IsRead());
  EXPECT_FALSE(RawBlock{.id = int64_t{UINT32_MAX} + 1}.IsRead());
  EXPECT_TRUE(RawBlock{.id = 0}.IsRead());
  EXPECT_FALSE(RawBlock{.id = -1}.IsRead());
  // What is left in a column.
  EXPECT_FALSE(RawBlock{.times = "\x0a\x0a"}.IsRead());
  EXPECT_FALSE(RawBlock{.value_sizes = "\x01\x01"}.IsRead());
  EXPECT_FALSE(RawBlock{.values = "xx"}.IsRead());
  EXPECT_FALSE(RawBlock{.counts = 4}.IsRead());
  EXPECT_FALSE(RawBlock{.counts = 3}.IsRead());  // histograms
}

TEST(JournalBlock, AValueHasAtMostEightBytes) {
  EXPECT_TRUE((RawBlock{.value_sizes = "\x08", .values = "12345678"}).IsRead());
  EXPECT_FALSE((RawBlock{.value_sizes = "\x09", .values = "123456789"}).IsRead());
}

TEST(JournalBlock, ADecimalHasAtMostSixDigits) {
  for (const std::string code : {"\x09", "\x0f"}) {
    EXPECT_TRUE((RawBlock{.version = 4, .value_sizes = code, .values = "x"}).IsRead());
    EXPECT_TRUE((RawBlock{.version = 5, .value_sizes = code, .values = "\xff\x7f"}).IsRead());
    EXPECT_FALSE((RawBlock{.version = 4, .value_sizes = code, .values = "\xff"}).IsRead());
    EXPECT_FALSE((RawBlock{.version = 4, .value_sizes = code, .values = ""}).IsRead());
    EXPECT_FALSE((RawBlock{.version = 1, .value_sizes = code, .values = "x"}).IsRead());
    EXPECT_FALSE((RawBlock{.version = 2, .value_sizes = code, .values = "x"}).IsRead());
  }
}

TEST(JournalBlock, StartsAreOfAnEntryThatIsThere) {
  EXPECT_TRUE((RawBlock{.version = 2, .starts = std::string("\0\x04", 2)}).IsRead());
  EXPECT_TRUE(RawBlock{.version = 2}.IsRead());
  EXPECT_FALSE((RawBlock{.version = 2, .starts = std::string("\x01\x04", 2)}).IsRead());
  EXPECT_FALSE((RawBlock{.version = 2, .starts = std::string("\0", 1)}).IsRead());
  EXPECT_FALSE((RawBlock{.version = 2, .starts = std::string("\0\x04\0", 3)}).IsRead());
}

TEST(JournalBlock, CountsItsBytesAndBeginsAgain) {
  JournalBlockBuilder builder;
  EXPECT_TRUE(builder.empty());
  const size_t empty_bytes = builder.byte_count();
  builder.Add(3, Sample{10, 1});
  // Two bytes for the entry, one each for the time, the value's size and the value.
  EXPECT_EQ(builder.byte_count(), empty_bytes + 2 + 1 + 1 + 1);
  EXPECT_FALSE(builder.empty());
  const std::string block = builder.Finish();
  EXPECT_TRUE(builder.empty());
  EXPECT_EQ(builder.byte_count(), empty_bytes);
  EXPECT_LE(block.size(), empty_bytes + 5);
  builder.Add(3, Sample{10, 1});
  EXPECT_EQ(builder.Finish(), block);
}

}  // namespace
}  // namespace lockstep
