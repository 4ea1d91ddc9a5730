// LooseShard: a shard's state over rows of its own, without threads, for tests of the code that
// works on it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/coding.h"
#include "storage/chunk/chunk_row_builder.h"
#include "storage/chunk/merge_columns.h"
#include "storage/db/rows/stored_block.h"
#include "storage/db/rows/window_row.h"
#include "storage/db/state/shard_state.h"
#include "storage/kv/faults/fault_env.h"
#include "storage/kv/key_schema.h"
#include "tests/support/test_folder.h"

namespace lockstep {

class LooseShard {
 public:
  explicit LooseShard(std::shared_ptr<kv::Env> env = kv::FaultEnv::Make()) {
    state_.folder = folder_.path() + "/shard";
    state_.env = std::move(env);
    state_.directory = std::make_shared<SeriesDirectory>();
    state_.changes = std::make_shared<ChangeLog>();
    auto kv = kv::Store::Open(state_.folder, state_.env,
                              std::make_shared<const kv::Resources>(kv::ResourceLimits{}));
    LOCKSTEP_CHECK(kv.ok());
    state_.kv = *std::move(kv);
  }

  ShardState& state() { return state_; }

  void Put(kv::Space space, std::string_view key, std::string_view value) {
    kv::Batch batch = state_.kv->NewBatch();
    batch.Put(space, key, value);
    LOCKSTEP_CHECK(state_.kv->Commit(batch, kv::Durability::kBuffered).ok());
  }
  void PutMark(uint64_t generation) {
    std::string mark;
    PutFixed64(mark, generation);
    Put(kv::Space::kMeta, kv::JournalMarkKey(), mark);
  }
  void PutWindowRow(const kv::WindowKey& key, const WindowRow& row) {
    Put(kv::Space::kMeta, kv::EncodeWindowKey(key), EncodeWindowRow(row));
  }
  // Puts a row of floats, by index in the block; returns its size.
  size_t PutChunks(kv::Tier tier, const kv::ChunkKey& key,
                   const std::map<uint32_t, std::vector<Sample>>& floats) {
    ChunkRowBuilder builder;
    for (const auto& [index, samples] : floats) {
      SampleColumns columns;
      SortIntoColumns(samples, {}, {}, columns);
      builder.Add(index, columns);
    }
    const std::string row = builder.Finish();
    Put(kv::SpaceOf(tier), kv::EncodeChunkKey(key), row);
    return row.size();
  }

  std::vector<kv::ChunkKey> ChunkKeys(kv::Tier tier) const {
    std::vector<kv::ChunkKey> keys;
    for (auto row = state_.kv->NewCursor(kv::SpaceOf(tier), {}); row.Valid(); row.Next()) {
      LOCKSTEP_CHECK(kv::DecodeChunkKey(row.key(), keys.emplace_back()));
    }
    return keys;
  }
  size_t ChunkBytes(kv::Tier tier, const kv::ChunkKey& key) const {
    return (*state_.kv->Get(kv::SpaceOf(tier), kv::EncodeChunkKey(key)))->size();
  }
  std::map<std::string, WindowRow> WindowRows() const {
    std::map<std::string, WindowRow> rows;
    for (auto row = state_.kv->NewCursor(kv::Space::kMeta, kv::AllWindowKeys()); row.Valid();
         row.Next()) {
      kv::WindowKey key;
      LOCKSTEP_CHECK(kv::DecodeWindowKey(row.key(), key));
      rows[Name(key)] = *DecodeWindowRow(row.value());
    }
    return rows;
  }
  // "cold 3.0": the tier, the generation and the part.
  static std::string Name(const kv::WindowKey& key) {
    return (key.tier == kv::Tier::kCold ? "cold " : "hot ") + std::to_string(key.generation) + "." +
           std::to_string(key.part);
  }

 private:
  TestFolder folder_;
  ShardState state_{std::make_shared<SeriesLimit>(), [] { return int64_t{0}; }};
};

}  // namespace lockstep
