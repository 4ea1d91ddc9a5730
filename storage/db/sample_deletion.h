// Deleting samples of a shard while it is written, read, sealed and merged: Eraser and NewestSamples, step by
// step. Safe from any thread but the writer's.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/status.h"
#include "model/matcher.h"
#include "model/sample.h"
#include "storage/db/row_steps.h"
#include "storage/db/series_block.h"
#include "storage/db/shard_state.h"

namespace lockstep {

// Deletes the samples in the range of the series that match all of one of the matcher sets: those that
// were acknowledged before, and of those that are written meanwhile some or none. Series that have none
// left are forgotten.
absl::Status DeleteSamples(ShardState& shard, RowSteps& steps,
                           std::span<const std::vector<Matcher>> matcher_sets, TimeRange range);

// The two parts of it that are about chunks. `blocks` name the series.

// Returns how many samples that were. kUnavailable if the disk is too full; then, as after any failure,
// some of it may be done.
absl::StatusOr<uint64_t> EraseFromChunks(ShardState& shard, RowSteps& steps,
                                         const std::vector<SeriesBlock>& blocks, TimeRange range);
// Tells the dictionary which of the series have no samples any more, and what the others' newest is.
absl::Status FindNewestSamples(ShardState& shard, RowSteps& steps,
                               const std::vector<SeriesBlock>& blocks);

}  // namespace lockstep
