// Which series of a shard match one of several sets of matchers, as match[] parameters ask.
#pragma once

#include <span>
#include <vector>

#include "base/status.h"
#include "model/matcher.h"
#include "storage/db/shard_state.h"

namespace lockstep {

// Those that match all of one of the sets; ascending and unique. Takes the shard's lock, shared, for one set
// at a time: series may come and go before the caller does.
absl::StatusOr<std::vector<SeriesId>> MatchedSeries(
    const ShardState& shard, std::span<const std::vector<Matcher>> matcher_sets);

}  // namespace lockstep
