// Recovery: what a shard knows after opening, from what its RocksDB holds.
#pragma once

#include "base/status.h"
#include "storage/db/shard_state.h"

namespace lockstep {

// Fills the dictionary, the windows and the active head of a shard that has only its `kv`.
// kDataLoss if what is stored does not fit together.
absl::Status Recover(ShardState& shard);

}  // namespace lockstep
