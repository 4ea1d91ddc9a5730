// Rollup rows: what the cold chunk rows of a block of series come to in every five minutes of a window,
// beside them in a space of their own (docs/formats/rollup.md). They only make answers faster: any may be
// missing. One that is there says what the cold rows of its block say, all of them and at any moment.
//
// So whoever changes or deletes cold rows of a block deletes its rollup row first, or in the same batch;
// or, with whole windows or families, every range of chunk keys in Space::kRollup too.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/status.h"
#include "model/sample.h"
#include "storage/db/batch_writer.h"
#include "storage/kv/key_schema.h"
#include "storage/rollup/rollup_row_builder.h"

namespace lockstep {

// A rollup row takes no more than one in so many of the bytes of its block's chunk rows, or is not there.
inline constexpr uint64_t kMinChunkBytesPerRollupByte = 4;

// Of the block that chunk rows with this key are of, whatever their generation and part.
absl::Status DeleteRollup(BatchWriter& batch, const kv::ChunkKey& block);

// Makes the row of one block. Not thread-safe; used once.
class BlockRollup {
 public:
  // Of the block that chunk rows with this key are of.
  explicit BlockRollup(const kv::ChunkKey& block);

  // Preconditions: indices ascend, there is a sample, and all lie in the window.
  void Add(uint32_t index_in_block, const SampleColumns& columns);
  // Puts the row, if it pays beside chunk rows of so many bytes. There must be none.
  absl::Status Write(uint64_t chunk_bytes, BatchWriter& batch);
  // The row whether it pays or not; nothing if there is nothing to say. Instead of Write().
  std::optional<std::string> Finish() { return builder_.Finish(); }

 private:
  const kv::RollupKey key_;
  RollupRowBuilder builder_;
};

}  // namespace lockstep
