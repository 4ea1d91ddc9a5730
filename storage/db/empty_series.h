// Empty series: those that have lost their last sample leave the dictionary.
#pragma once

#include <cstdint>

#include "base/status.h"
#include "storage/db/shard_state.h"

namespace lockstep {

// Removes every series that has no sample in memory and none in a window from `first_kept` on, with its
// rows. What a failure leaves behind is series without samples, which the next start finds and the next
// call removes. On the writer's thread, while the shard does not seal.
absl::Status RemoveEmptySeries(ShardState& shard, int32_t first_kept);

}  // namespace lockstep
