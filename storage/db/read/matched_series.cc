#include "storage/db/read/matched_series.h"

#include <algorithm>

namespace lockstep {

absl::StatusOr<std::vector<SeriesId>> MatchedSeries(
    const ShardState& shard, std::span<const std::vector<Matcher>> matcher_sets) {
  std::vector<SeriesId> all;
  for (const std::vector<Matcher>& matchers : matcher_sets) {
    ReaderLock lock(shard.mutex);
    LOCKSTEP_ASSIGN_OR_RETURN(const std::vector<SeriesId> ids,
                              shard.dictionary.index().Select(matchers));
    all.insert(all.end(), ids.begin(), ids.end());
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

}  // namespace lockstep
