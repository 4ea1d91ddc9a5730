// Retention: dropping the oldest windows, and the series that lost their last sample.
#pragma once

#include <cstdint>

#include "base/status.h"
#include "storage/db/shard_state.h"
#include "storage/db/shard_writer.h"

namespace lockstep {

// Drops every window that ends before `oldest_ms`, and adds what they held to `dropped`. Readers that come
// later do not see them. Not from the writer's thread, and not while the shard seals.
absl::Status DropBefore(ShardState& shard, ShardWriter& writer, int64_t oldest_ms,
                        WindowTotals& dropped);

}  // namespace lockstep
