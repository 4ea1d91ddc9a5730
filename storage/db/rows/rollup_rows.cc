#include "storage/db/rows/rollup_rows.h"

#include "storage/db/rows/window.h"
#include "storage/db/series/series_place.h"
#include "storage/kv/space.h"

namespace lockstep {
namespace {

static_assert(kRollupWindowMs == kWindowMs);
static_assert(kMaxRollupSeries == kSeriesPerBlock);
// Two values of at least eight bytes per bucket: far below the maximum size of a row.
static_assert(kMaxRollupSeries * kRollupBuckets * 64 < kv::kMaxValueBytes);

kv::RollupKey KeyOf(const kv::ChunkKey& block) { return {block.window, block.family, block.block}; }

}  // namespace

absl::Status DeleteRollup(BatchWriter& batch, const kv::ChunkKey& block) {
  return batch.Delete(kv::Space::kRollup, kv::EncodeRollupKey(KeyOf(block)));
}

BlockRollup::BlockRollup(const kv::ChunkKey& block) : key_(KeyOf(block)) {}

void BlockRollup::Add(uint32_t index_in_block, const SampleColumns& columns) {
  builder_.Add(index_in_block, columns, RangeOfWindow(key_.window).min_ms);
}

absl::Status BlockRollup::Write(uint64_t chunk_bytes, BatchWriter& batch) {
  const std::optional<std::string> row = builder_.Finish();
  if (!row.has_value() || row->size() * kMinChunkBytesPerRollupByte > chunk_bytes) {
    return absl::OkStatus();
  }
  return batch.Put(kv::Space::kRollup, kv::EncodeRollupKey(key_), *row);
}

}  // namespace lockstep
