#include "storage/db/stored_block.h"

#include <algorithm>

#include "storage/chunk/series_chunk.h"
#include "storage/db/block_rows.h"

namespace lockstep {

absl::Status StoredBlock::Load(const kv::Store& kv, const kv::SnapshotPtr& snapshot,
                               std::span<const int32_t> windows, SeriesPlace place,
                               TimeRange range) {
  Clear();
  const auto add = [&](std::string_view row) { return Add(row, range); };
  for (const int32_t window : windows) {
    LOCKSTEP_RETURN_IF_ERROR(ForEachBlockRow(kv, snapshot, window, place, add));
  }
  Finish();
  return absl::OkStatus();
}

void StoredBlock::Clear() {
  chunks_.clear();
  rows_.clear();
}

absl::Status StoredBlock::Add(std::string_view row, TimeRange range) {
  return ListChunks(rows_.emplace_back(row), range, chunks_);
}

void StoredBlock::Finish() {
  std::stable_sort(chunks_.begin(), chunks_.end(), [](const ChunkRef& a, const ChunkRef& b) {
    return a.index_in_block < b.index_in_block;
  });
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
