// The keys of all rows in the store. On disk: docs/formats/keys.md.
//
// Every key starts with a version byte; numbers are fixed-width and big-endian, signed ones with
// the sign bit flipped, so that keys sort as their numbers do. All keys are far below kMaxKeyBytes:
// job and metric, which may be long, are interned as a family number by the dictionary. Pure
// functions, safe from any thread. Decoders return false on input that no encoder writes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "storage/kv/cursor.h"
#include "storage/kv/space.h"

namespace lockstep::kv {

// Space::kMeta: the last journal block whose samples are all in chunks.
std::string JournalMarkKey();

// Space::kMeta: rows that modules above the store keep; they define `kind`.
std::string EncodeKeptKey(char kind, uint32_t number);
[[nodiscard]] bool DecodeKeptKey(std::string_view bytes, char kind, uint32_t& number);
KeyRange AllKeptKeys(char kind);

// The space of chunks. Cold chunks of a window were written before all of its hot ones.
enum class Tier : uint8_t { kCold = 0, kHot = 1 };
inline Space SpaceOf(Tier tier) { return tier == Tier::kCold ? Space::kCold : Space::kHot; }

// Space::kMeta: the totals and series of one run in one window.
struct WindowKey {
  int32_t window = 0;  // number since 1970-01-01 UTC
  Tier tier = Tier::kHot;
  uint64_t generation = 0;  // last journal block of the sealed head
  uint16_t part = 0;

  friend bool operator==(const WindowKey&, const WindowKey&) = default;
};
std::string EncodeWindowKey(const WindowKey& key);
[[nodiscard]] bool DecodeWindowKey(std::string_view bytes, WindowKey& key);
KeyRange AllWindowKeys();
KeyRange WindowKeysOf(int32_t window);  // coldest and oldest first
KeyRange WindowKeysBefore(int32_t window);

// Space::kSeries: the dictionary. A shard numbers its targets, its metrics and its series
// separately; a row of series has the number of the first of them.
enum class DictionaryKind : char { kMetric = 'M', kSeries = 'S', kTarget = 'T' };
std::string EncodeDictionaryKey(DictionaryKind kind, uint32_t number);
[[nodiscard]] bool DecodeDictionaryKey(std::string_view bytes, DictionaryKind kind,
                                       uint32_t& number);
KeyRange AllDictionaryKeys(DictionaryKind kind);

// Space::kJournal. Blocks are numbered from 1 in the order of their commits.
std::string EncodeJournalKey(uint64_t sequence);
[[nodiscard]] bool DecodeJournalKey(std::string_view bytes, uint64_t& sequence);
KeyRange JournalKeysFrom(uint64_t sequence);
KeyRange JournalKeysUpTo(uint64_t sequence);  // inclusive

// Space::kHot and kCold: the samples that one generation has in one window for a block of
// neighbouring series of one family (one metric of one job).
struct ChunkKey {
  int32_t window = 0;
  uint32_t family = 0;
  uint32_t block = 0;
  uint64_t generation = 0;
  uint16_t part = 0;

  friend bool operator==(const ChunkKey&, const ChunkKey&) = default;
};
std::string EncodeChunkKey(const ChunkKey& key);
[[nodiscard]] bool DecodeChunkKey(std::string_view bytes, ChunkKey& key);
// All rows of one block of series in one window, oldest generation first.
KeyRange ChunkKeysOf(int32_t window, uint32_t family, uint32_t block);
KeyRange ChunkKeysOf(int32_t window);
KeyRange ChunkKeysBefore(int32_t window);

// Space::kRollup: one row per block and window. Its key sorts at the start of the block's chunk
// keys, so every range of chunk keys above covers the rollup rows of the same blocks.
struct RollupKey {
  int32_t window = 0;
  uint32_t family = 0;
  uint32_t block = 0;

  friend bool operator==(const RollupKey&, const RollupKey&) = default;
};
std::string EncodeRollupKey(const RollupKey& key);
[[nodiscard]] bool DecodeRollupKey(std::string_view bytes, RollupKey& key);

}  // namespace lockstep::kv
