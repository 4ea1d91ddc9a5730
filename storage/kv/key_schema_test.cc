#include "storage/kv/key_schema.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "storage/kv/space.h"
#include "tests/support/format_page.h"

namespace lockstep::kv {
namespace {

const std::vector<int32_t> kWindows = {std::numeric_limits<int32_t>::min(), -2, -1, 0, 1, 118'055,
                                       std::numeric_limits<int32_t>::max()};

constexpr DictionaryKind kKinds[] = {DictionaryKind::kMetric, DictionaryKind::kSeries,
                                     DictionaryKind::kTarget};

TEST(KeySchema, WorkedExamples) {
  EXPECT_EQ(JournalMarkKey(), FormatPageExample("keys.md", "mark-key"));
  EXPECT_EQ(EncodeKeptKey('M', 2), FormatPageExample("keys.md", "kept-key"));
  EXPECT_EQ(EncodeWindowKey({118'055, Tier::kHot, 7, 0}),
            FormatPageExample("keys.md", "window-key"));
  EXPECT_EQ(EncodeDictionaryKey(DictionaryKind::kTarget, 7),
            FormatPageExample("keys.md", "target-key"));
  EXPECT_EQ(EncodeDictionaryKey(DictionaryKind::kMetric, 3),
            FormatPageExample("keys.md", "metric-key"));
  EXPECT_EQ(EncodeDictionaryKey(DictionaryKind::kSeries, 258),
            FormatPageExample("keys.md", "series-key"));
  EXPECT_EQ(EncodeJournalKey(7), FormatPageExample("keys.md", "journal-key"));
  EXPECT_EQ(EncodeChunkKey({118'055, 3, 1, 7, 0}), FormatPageExample("keys.md", "chunk-key"));
  EXPECT_EQ(EncodeRollupKey({118'055, 3, 1}), FormatPageExample("keys.md", "rollup-key"));
  RollupKey key;
  EXPECT_TRUE(DecodeRollupKey(EncodeRollupKey({-7, 3, 1}), key));
  EXPECT_EQ(key, (RollupKey{-7, 3, 1}));
  EXPECT_FALSE(DecodeRollupKey(EncodeRollupKey({-7, 3, 1}) + '\0', key));
}

TEST(KeySchema, ReadsWhatItWrote) {
  for (const int32_t window : kWindows) {
    const ChunkKey chunk = {window, 5, 6, uint64_t{1} << 40, 8};
    ChunkKey read_chunk;
    ASSERT_TRUE(DecodeChunkKey(EncodeChunkKey(chunk), read_chunk));
    EXPECT_EQ(read_chunk, chunk);
    for (const Tier tier : {Tier::kCold, Tier::kHot}) {
      const WindowKey row = {window, tier, uint64_t{1} << 40, 8};
      WindowKey read_row;
      ASSERT_TRUE(DecodeWindowKey(EncodeWindowKey(row), read_row));
      EXPECT_EQ(read_row, row);
    }
  }
  for (const DictionaryKind kind : kKinds) {
    uint32_t number = 0;
    ASSERT_TRUE(DecodeDictionaryKey(EncodeDictionaryKey(kind, 77), kind, number));
    EXPECT_EQ(number, 77u);
  }
  uint32_t kept = 0;
  ASSERT_TRUE(DecodeKeptKey(EncodeKeptKey('L', 4095), 'L', kept));
  EXPECT_EQ(kept, 4095u);
  EXPECT_FALSE(DecodeKeptKey(EncodeKeptKey('L', 4095), 'M', kept));
  EXPECT_FALSE(DecodeKeptKey(EncodeKeptKey('L', 4095) + '\0', 'L', kept));
  uint64_t sequence = 0;
  ASSERT_TRUE(DecodeJournalKey(EncodeJournalKey(78), sequence));
  EXPECT_EQ(sequence, 78u);
}

TEST(KeySchema, KeysSortAsTheirNumbersDo) {
  std::vector<std::string> keys;
  for (const int32_t window : kWindows) {
    for (const uint32_t family : {0u, 1u, 256u}) {
      for (const uint32_t block : {0u, 255u, 256u}) {
        for (const uint64_t generation : {1u, 300u}) {
          keys.push_back(EncodeChunkKey({window, family, block, generation, 0}));
          keys.push_back(EncodeChunkKey({window, family, block, generation, 1}));
        }
      }
    }
  }
  EXPECT_TRUE(std::is_sorted(keys.begin(), keys.end()));
  EXPECT_LE(keys.back().size(), kMaxKeyBytes);
}

bool Holds(const KeyRange& range, const std::string& key) {
  return range.begin <= key && (range.end.empty() || key < range.end);
}

TEST(KeySchema, RangesHoldWhatTheyName) {
  const KeyRange block = ChunkKeysOf(-1, 5, 6);
  EXPECT_TRUE(Holds(block, EncodeChunkKey({-1, 5, 6, 0, 0})));
  EXPECT_TRUE(Holds(block, EncodeChunkKey({-1, 5, 6, UINT64_MAX, UINT16_MAX})));
  EXPECT_FALSE(Holds(block, EncodeChunkKey({-1, 5, 7, 0, 0})));
  EXPECT_FALSE(Holds(block, EncodeChunkKey({-1, 4, UINT32_MAX, 0, 0})));
  EXPECT_FALSE(Holds(block, EncodeChunkKey({0, 5, 6, 0, 0})));

  EXPECT_TRUE(Holds(block, EncodeRollupKey({-1, 5, 6})));
  EXPECT_FALSE(Holds(block, EncodeRollupKey({-1, 5, 7})));
  EXPECT_FALSE(Holds(block, EncodeRollupKey({-1, 5, 5})));
  EXPECT_TRUE(Holds(ChunkKeysOf(-1), EncodeRollupKey({-1, 0, 0})));
  EXPECT_FALSE(Holds(ChunkKeysOf(-1), EncodeRollupKey({0, 0, 0})));
  EXPECT_TRUE(Holds(ChunkKeysBefore(0), EncodeRollupKey({-1, UINT32_MAX, 0})));
  EXPECT_FALSE(Holds(ChunkKeysBefore(0), EncodeRollupKey({0, 0, 0})));

  EXPECT_TRUE(Holds(ChunkKeysOf(-1), EncodeChunkKey({-1, 0, 0, 0, 0})));
  EXPECT_TRUE(Holds(ChunkKeysOf(-1), EncodeChunkKey({-1, UINT32_MAX - 1, UINT32_MAX, 0, 0})));
  EXPECT_FALSE(Holds(ChunkKeysOf(-1), EncodeChunkKey({0, 0, 0, 0, 0})));
  EXPECT_TRUE(Holds(ChunkKeysBefore(0), EncodeChunkKey({-1, UINT32_MAX, 0, 0, 0})));
  EXPECT_FALSE(Holds(ChunkKeysBefore(0), EncodeChunkKey({0, 0, 0, 0, 0})));
  EXPECT_TRUE(Holds(WindowKeysBefore(0), EncodeWindowKey({-1, Tier::kHot, UINT64_MAX, 0})));
  EXPECT_FALSE(Holds(WindowKeysBefore(0), EncodeWindowKey({0, Tier::kCold, 0, 0})));
  EXPECT_FALSE(Holds(WindowKeysBefore(0), JournalMarkKey()));
  EXPECT_FALSE(Holds(AllWindowKeys(), JournalMarkKey()));
  EXPECT_TRUE(Holds(WindowKeysOf(-1), EncodeWindowKey({-1, Tier::kCold, 0, 0})));
  EXPECT_TRUE(Holds(WindowKeysOf(-1), EncodeWindowKey({-1, Tier::kHot, UINT64_MAX, UINT16_MAX})));
  EXPECT_FALSE(Holds(WindowKeysOf(-1), EncodeWindowKey({0, Tier::kCold, 0, 0})));
  EXPECT_TRUE(Holds(AllWindowKeys(),
                    EncodeWindowKey({kWindows.back(), Tier::kHot, UINT64_MAX, UINT16_MAX})));

  EXPECT_TRUE(Holds(JournalKeysUpTo(7), EncodeJournalKey(7)));
  EXPECT_FALSE(Holds(JournalKeysUpTo(7), EncodeJournalKey(8)));
  EXPECT_TRUE(Holds(JournalKeysFrom(7), EncodeJournalKey(7)));
  EXPECT_TRUE(Holds(JournalKeysFrom(7), EncodeJournalKey(UINT64_MAX)));
  EXPECT_FALSE(Holds(JournalKeysFrom(7), EncodeJournalKey(6)));
  for (const DictionaryKind kind : kKinds) {
    for (const DictionaryKind other : kKinds) {
      for (const uint32_t number : {0u, UINT32_MAX}) {
        EXPECT_EQ(Holds(AllDictionaryKeys(kind), EncodeDictionaryKey(other, number)),
                  kind == other);
      }
    }
  }
}

TEST(KeySchema, RefusesWhatNoWriterMakes) {
  const std::string chunk = EncodeChunkKey({1, 2, 3, 4, 5});
  const std::string row = EncodeWindowKey({1, Tier::kHot, 2, 3});
  ChunkKey read_chunk;
  WindowKey read_row;
  uint32_t id = 0;
  uint64_t sequence = 0;
  for (size_t size = 0; size < chunk.size(); ++size) {
    EXPECT_FALSE(DecodeChunkKey(chunk.substr(0, size), read_chunk));
  }
  for (size_t size = 0; size < row.size(); ++size) {
    EXPECT_FALSE(DecodeWindowKey(row.substr(0, size), read_row));
  }
  EXPECT_FALSE(DecodeChunkKey(chunk + '\0', read_chunk));
  EXPECT_FALSE(DecodeWindowKey(row + '\0', read_row));
  std::string no_tier = row;
  no_tier[6] = 2;
  EXPECT_FALSE(DecodeWindowKey(no_tier, read_row));
  EXPECT_FALSE(DecodeWindowKey(JournalMarkKey(), read_row));
  EXPECT_FALSE(DecodeDictionaryKey("\1Sabc", DictionaryKind::kSeries, id));
  EXPECT_FALSE(DecodeDictionaryKey("\1Sabcde", DictionaryKind::kSeries, id));
  EXPECT_FALSE(DecodeDictionaryKey("\1Tabcd", DictionaryKind::kSeries, id));
  EXPECT_FALSE(DecodeDictionaryKey("\2Sabcd", DictionaryKind::kSeries, id));
  EXPECT_FALSE(DecodeJournalKey("\1abcdefg", sequence));
  EXPECT_FALSE(DecodeJournalKey("\2abcdefgh", sequence));
}

}  // namespace
}  // namespace lockstep::kv
