// SeriesBlock: of the series of one block those that something is to be done to.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "storage/db/dictionary.h"
#include "storage/db/series_place.h"
#include "storage/kv/key_schema.h"

namespace lockstep {

struct SeriesBlock {
  struct Member {
    uint32_t index_in_block = 0;
    SeriesId id = 0;
  };

  uint32_t family = 0;
  uint32_t block = 0;
  uint64_t bits = 0;            // the members, by their index
  std::vector<Member> members;  // indices ascend

  // Not after any of its rows in the window.
  kv::ChunkKey FirstKey(int32_t window) const { return {window, family, block, 0, 0}; }
  bool HasRow(const kv::ChunkKey& key) const { return key.family == family && key.block == block; }
};

inline uint64_t BitOf(uint32_t index_in_block) { return uint64_t{1} << index_in_block; }

// In the order of their rows. Ids that are unknown are passed over. Precondition: the shard's lock is held.
std::vector<SeriesBlock> BlocksOf(const Dictionary& dictionary, std::span<const SeriesId> ids);

}  // namespace lockstep
