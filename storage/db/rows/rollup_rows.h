// Rollup rows: aggregates of the cold chunk rows of a block of series over every five minutes of a
// window. They are stored beside the chunks in a space of their own (docs/formats/rollup.md). They
// only make answers faster, so any of them may be missing. But a row that is there agrees at any
// moment with all cold rows of its block.
//
// So code that changes or deletes cold rows of a block deletes the block's rollup row first or in
// the same batch; code that deletes whole windows or families deletes every range of chunk keys in
// Space::kRollup too.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/status.h"
#include "model/sample.h"
#include "storage/db/rows/batch_writer.h"
#include "storage/kv/key_schema.h"
#include "storage/rollup/rollup_row_builder.h"

namespace lockstep {

// A rollup row takes at most one byte for this many bytes of its block's chunk rows, or it is not
// written.
inline constexpr uint64_t kMinChunkBytesPerRollupByte = 4;

// Deletes the rollup row of the block of chunk rows with this key, whatever their generation and
// part.
absl::Status DeleteRollup(BatchWriter& batch, const kv::ChunkKey& block);

// Builds the row of one block. Not thread-safe; used once.
class BlockRollup {
 public:
  // For the block of chunk rows with this key.
  explicit BlockRollup(const kv::ChunkKey& block);

  // Preconditions: indices ascend, there is a sample, and all samples lie in the window.
  void Add(uint32_t index_in_block, const SampleColumns& columns);
  // Puts the row if it pays beside chunk rows of this many bytes. Precondition: the block has no
  // rollup row.
  absl::Status Write(uint64_t chunk_bytes, BatchWriter& batch);
  // The row, whether it pays or not; nothing if it would be empty. Use it instead of Write().
  std::optional<std::string> Finish() { return builder_.Finish(); }

 private:
  const kv::RollupKey key_;
  RollupRowBuilder builder_;
};

}  // namespace lockstep
