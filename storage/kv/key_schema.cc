#include "storage/kv/key_schema.h"

#include "base/coding.h"

namespace lockstep::kv {
namespace {

constexpr char kVersion = 1;
constexpr char kMarkTag = 'J';
constexpr char kWindowTag = 'W';
constexpr char kKeptTag = 'K';

std::string WithVersion() { return std::string(1, kVersion); }
std::string AfterVersion() { return std::string(1, kVersion + 1); }
std::string WithTag(char tag) { return {kVersion, tag}; }

bool Consume(std::string_view& in, char expected) {
  if (in.empty() || in.front() != expected) return false;
  in.remove_prefix(1);
  return true;
}

void PutWindow(std::string& out, int32_t window) {
  PutFixed32(out, static_cast<uint32_t>(window) ^ 0x80000000u);
}

bool GetWindow(std::string_view& in, int32_t& window) {
  uint32_t bits = 0;
  if (!GetFixed32(in, bits)) return false;
  window = static_cast<int32_t>(bits ^ 0x80000000u);
  return true;
}

bool GetTier(std::string_view& in, Tier& tier) {
  if (in.empty() || static_cast<uint8_t>(in.front()) > static_cast<uint8_t>(Tier::kHot)) {
    return false;
  }
  tier = static_cast<Tier>(in.front());
  in.remove_prefix(1);
  return true;
}

std::string WindowPrefix(int32_t window) {
  std::string key = WithTag(kWindowTag);
  PutWindow(key, window);
  return key;
}

std::string ChunkPrefix(int32_t window) {
  std::string key = WithVersion();
  PutWindow(key, window);
  return key;
}

}  // namespace

std::string JournalMarkKey() { return WithTag(kMarkTag); }

std::string EncodeKeptKey(char kind, uint32_t number) {
  std::string bytes = WithTag(kKeptTag) + kind;
  PutFixed32(bytes, number);
  return bytes;
}

bool DecodeKeptKey(std::string_view bytes, char kind, uint32_t& number) {
  return Consume(bytes, kVersion) && Consume(bytes, kKeptTag) && Consume(bytes, kind) &&
         GetFixed32(bytes, number) && bytes.empty();
}

KeyRange AllKeptKeys(char kind) {
  const auto next = static_cast<char>(kind + 1);
  return {WithTag(kKeptTag) + kind, WithTag(kKeptTag) + next};
}

std::string EncodeWindowKey(const WindowKey& key) {
  std::string bytes = WindowPrefix(key.window);
  bytes += static_cast<char>(key.tier);
  PutFixed64(bytes, key.generation);
  PutFixed16(bytes, key.part);
  return bytes;
}

bool DecodeWindowKey(std::string_view bytes, WindowKey& key) {
  return Consume(bytes, kVersion) && Consume(bytes, kWindowTag) && GetWindow(bytes, key.window) &&
         GetTier(bytes, key.tier) && GetFixed64(bytes, key.generation) &&
         GetFixed16(bytes, key.part) && bytes.empty();
}

KeyRange AllWindowKeys() { return {WithTag(kWindowTag), WithTag(kWindowTag + 1)}; }

KeyRange WindowKeysOf(int32_t window) {
  std::string begin = WindowPrefix(window);
  std::string end = begin + static_cast<char>(static_cast<uint8_t>(Tier::kHot) + 1);
  return {std::move(begin), std::move(end)};
}

KeyRange WindowKeysBefore(int32_t window) { return {WithTag(kWindowTag), WindowPrefix(window)}; }

std::string EncodeDictionaryKey(DictionaryKind kind, uint32_t number) {
  std::string bytes = WithTag(static_cast<char>(kind));
  PutFixed32(bytes, number);
  return bytes;
}

bool DecodeDictionaryKey(std::string_view bytes, DictionaryKind kind, uint32_t& number) {
  return Consume(bytes, kVersion) && Consume(bytes, static_cast<char>(kind)) &&
         GetFixed32(bytes, number) && bytes.empty();
}

KeyRange AllDictionaryKeys(DictionaryKind kind) {
  const char tag = static_cast<char>(kind);
  return {WithTag(tag), WithTag(static_cast<char>(tag + 1))};
}

std::string EncodeJournalKey(uint64_t sequence) {
  std::string bytes = WithVersion();
  PutFixed64(bytes, sequence);
  return bytes;
}

bool DecodeJournalKey(std::string_view bytes, uint64_t& sequence) {
  return Consume(bytes, kVersion) && GetFixed64(bytes, sequence) && bytes.empty();
}

KeyRange JournalKeysFrom(uint64_t sequence) { return {EncodeJournalKey(sequence), AfterVersion()}; }

KeyRange JournalKeysUpTo(uint64_t sequence) {
  return {WithVersion(), EncodeJournalKey(sequence + 1)};
}

std::string EncodeChunkKey(const ChunkKey& key) {
  std::string bytes = ChunkPrefix(key.window);
  PutFixed32(bytes, key.family);
  PutFixed32(bytes, key.block);
  PutFixed64(bytes, key.generation);
  PutFixed16(bytes, key.part);
  return bytes;
}

bool DecodeChunkKey(std::string_view bytes, ChunkKey& key) {
  return Consume(bytes, kVersion) && GetWindow(bytes, key.window) &&
         GetFixed32(bytes, key.family) && GetFixed32(bytes, key.block) &&
         GetFixed64(bytes, key.generation) && GetFixed16(bytes, key.part) && bytes.empty();
}

KeyRange ChunkKeysOf(int32_t window, uint32_t family, uint32_t block) {
  std::string begin = ChunkPrefix(window);
  PutFixed32(begin, family);
  std::string end = begin;
  PutFixed32(begin, block);
  // Blocks hold 64 series with 32-bit numbers, so there is always a next block.
  PutFixed32(end, block + 1);
  return {std::move(begin), std::move(end)};
}

KeyRange ChunkKeysOf(int32_t window) {
  std::string begin = ChunkPrefix(window);
  // Families are 32-bit numbers that count from 0; no shard ever reaches the last one.
  std::string end = begin;
  PutFixed32(end, UINT32_MAX);
  return {std::move(begin), std::move(end)};
}

KeyRange ChunkKeysBefore(int32_t window) { return {WithVersion(), ChunkPrefix(window)}; }

std::string EncodeRollupKey(const RollupKey& key) {
  return ChunkKeysOf(key.window, key.family, key.block).begin;
}

bool DecodeRollupKey(std::string_view bytes, RollupKey& key) {
  return Consume(bytes, kVersion) && GetWindow(bytes, key.window) &&
         GetFixed32(bytes, key.family) && GetFixed32(bytes, key.block) && bytes.empty();
}

}  // namespace lockstep::kv
