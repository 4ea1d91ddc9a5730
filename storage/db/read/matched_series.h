// The series of a shard that match at least one of several sets of matchers, as match[] parameters
// need.
#pragma once

#include <span>
#include <vector>

#include "base/status.h"
#include "model/matcher.h"
#include "storage/db/state/shard_state.h"

namespace lockstep {

// Returns the series that match all matchers of one of the sets, ascending and unique. Takes the
// shard's lock, shared, for one set at a time: series may come and go before the caller uses the
// result.
absl::StatusOr<std::vector<SeriesId>> MatchedSeries(
    const ShardState& shard, std::span<const std::vector<Matcher>> matcher_sets);

}  // namespace lockstep
