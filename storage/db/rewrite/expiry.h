// Expiry: DropBefore() drops whole windows that are older than the retention, and
// RemoveEmptySeries() the series that have lost their last sample.
#pragma once

#include <cstdint>

#include "base/status.h"
#include "storage/db/state/shard_state.h"
#include "storage/db/write/shard_writer.h"

namespace lockstep {

// Drops every window that ends before `oldest_ms`, and adds its totals to `dropped`. Later readers
// do not see them. Must not be called on the writer's thread or while the shard seals.
absl::Status DropBefore(ShardState& shard, ShardWriter& writer, int64_t oldest_ms,
                        WindowTotals& dropped);

// Removes every series that has no sample in memory and none in a window from `first_kept` on, with
// its rows. After a failure, series without samples may remain; the next start finds them and the
// next call removes them. Call it on the writer's thread, while the shard does not seal.
absl::Status RemoveEmptySeries(ShardState& shard, int32_t first_kept);

}  // namespace lockstep
