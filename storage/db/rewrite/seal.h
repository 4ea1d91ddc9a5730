// Sealing: turns a frozen head into chunks.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>

#include "base/status.h"
#include "storage/db/head/head.h"
#include "storage/db/state/shard_state.h"

namespace lockstep {

struct SealResult {
  std::map<int32_t, WindowTotals> windows;  // totals of what the seal put into each window
  uint64_t chunk_count = 0;
  uint64_t byte_count = 0;
};

// Writes every sample of the shard's frozen head to chunks, then, in one synced batch, moves the
// journal's mark to its generation. Until that batch commits, readers and recovery take the samples
// from where they were before: whatever an unfinished seal leaves behind is also in the journal,
// which takes precedence over it. Can be called again after a failure. `stop` is called between
// batches; once it returns true the seal ends with kCancelled.
absl::StatusOr<SealResult> SealHead(const ShardState& shard, const Head& head, uint64_t generation,
                                    const std::function<bool()>& stop);

// Deletes the journal's blocks up to a generation that was sealed. Blocks that a failure leaves
// behind are ignored, and the next call deletes them.
absl::Status DeleteSealedBlocks(kv::Store& kv, uint64_t generation);

// Gives back the memory and the disk space of deleted blocks, once that writes little: a flush does
// not write blocks that were deleted before it, but all blocks of the next head.
absl::Status FreeDeletedBlocks(kv::Store& kv, uint64_t generation);

}  // namespace lockstep
