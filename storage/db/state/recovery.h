// Recovery: rebuilds a shard's state from its RocksDB when it is opened.
#pragma once

#include "base/status.h"
#include "storage/db/state/shard_state.h"

namespace lockstep {

// Fills the dictionary, the windows and the active head of a shard that has only its `kv`.
// kDataLoss if the stored rows contradict one another.
absl::Status Recover(ShardState& shard);

}  // namespace lockstep
