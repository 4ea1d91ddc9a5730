// Sealing: turning a frozen head into chunks.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>

#include "base/status.h"
#include "storage/db/head.h"
#include "storage/db/shard_state.h"

namespace lockstep {

struct SealResult {
  std::map<int32_t, WindowTotals> windows;  // what it put into each
  uint64_t chunk_count = 0;
  uint64_t byte_count = 0;
};

// Writes every sample of the shard's frozen head to chunks, then, in one synced batch, moves the
// journal's mark to its generation. Until that batch readers and recovery take the samples from
// where they were before; what an unfinished seal left behind holds nothing that the journal does
// not hold too, and loses against it. Can be called again after a failure. `stop` is asked between
// batches; once it says true the seal ends with kCancelled.
absl::StatusOr<SealResult> SealHead(const ShardState& shard, const Head& head, uint64_t generation,
                                    const std::function<bool()>& stop);

// Deletes the journal's blocks up to a generation that was sealed. What a failure leaves behind means
// nothing, and the next call deletes it.
absl::Status DeleteSealedBlocks(kv::Store& kv, uint64_t generation);

}  // namespace lockstep
