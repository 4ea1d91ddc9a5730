// Retention: dropping the windows that have expired, and the series that lost their last sample.
#pragma once

#include <cstdint>

#include "base/status.h"
#include "storage/db/shard_state.h"
#include "storage/db/shard_writer.h"

namespace lockstep {

// Drops every window that ends before `oldest_ms`. Not from the writer's thread, and not while the
// shard seals. Reads never return samples older than the retention, so it does not matter when it
// comes to this.
absl::Status DropExpired(ShardState& shard, ShardWriter& writer, int64_t oldest_ms);

}  // namespace lockstep
