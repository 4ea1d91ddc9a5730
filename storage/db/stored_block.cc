#include "storage/db/stored_block.h"

#include <algorithm>

#include "storage/chunk/series_chunk.h"
#include "storage/kv/key_schema.h"

namespace lockstep {

absl::Status StoredBlock::Load(const kv::Store& kv, const kv::SnapshotPtr& snapshot,
                               std::span<const int32_t> windows, SeriesPlace place,
                               TimeRange range) {
  chunks_.clear();
  rows_.clear();
  for (const int32_t window : windows) {
    kv::Cursor rows = kv.NewCursor(kv::Space::kChunks,
                                   kv::ChunkKeysOf(window, place.family, place.block()), snapshot);
    for (; rows.Valid(); rows.Next()) {
      const std::string& row = rows_.emplace_back(rows.value());
      LOCKSTEP_RETURN_IF_ERROR(ListChunks(row, range, chunks_));
    }
    LOCKSTEP_RETURN_IF_ERROR(rows.status());
  }
  std::stable_sort(chunks_.begin(), chunks_.end(), [](const ChunkRef& a, const ChunkRef& b) {
    return a.index_in_block < b.index_in_block;
  });
  return absl::OkStatus();
}

absl::Status StoredBlock::Read(uint32_t index_in_block, SampleColumns& scratch,
                               ColumnStack& columns) const {
  auto chunk = std::lower_bound(
      chunks_.begin(), chunks_.end(), index_in_block,
      [](const ChunkRef& ref, uint32_t index) { return ref.index_in_block < index; });
  for (; chunk != chunks_.end() && chunk->index_in_block == index_in_block; ++chunk) {
    std::string_view bytes = chunk->bytes;
    scratch.Clear();
    LOCKSTEP_RETURN_IF_ERROR(DecodeSeriesChunk(bytes, scratch));
    columns.Add(scratch);
  }
  return absl::OkStatus();
}

}  // namespace lockstep
