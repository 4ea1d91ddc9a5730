#include "storage/db/rule_drop.h"

#include <limits>
#include <map>
#include <vector>

#include "base/log.h"
#include "storage/db/sample_deletion.h"
#include "storage/db/series_block.h"
#include "storage/db/window.h"

namespace lockstep {
namespace {

// Of the series that rules keep for a shorter time, by that.
std::map<int64_t, std::vector<SeriesBlock>> BlocksByKeep(const ShardState& shard,
                                                         const RetentionRules& retention) {
  std::map<int64_t, std::vector<SeriesId>> ids;
  FamilyRetention families(retention);
  ReaderLock lock(shard.mutex);
  const SeriesIndex& index = shard.dictionary.index();
  index.series().ForEach([&](SeriesId id, SeriesParts) {
    const int64_t keep_ms =
        families.KeepMs(shard.dictionary.PlaceOf(id).family, [&] { return index.Labels(id); });
    if (keep_ms < retention.retention_ms()) ids[keep_ms].push_back(id);
  });
  std::map<int64_t, std::vector<SeriesBlock>> blocks;
  for (const auto& [keep_ms, of_keep] : ids) {
    blocks.emplace(keep_ms, BlocksOf(shard.dictionary, of_keep));
  }
  return blocks;
}

}  // namespace

absl::Status DropByRules(ShardState& shard, RowSteps& steps, const RetentionRules& retention,
                         int64_t now_ms) {
  if (retention.empty()) return absl::OkStatus();
  uint64_t sample_count = 0;
  for (const auto& [keep_ms, blocks] : BlocksByKeep(shard, retention)) {
    const int64_t first_kept_ms = RangeOfWindow(WindowOf(now_ms - keep_ms)).min_ms;
    LOCKSTEP_ASSIGN_OR_RETURN(
        const uint64_t erased_count,
        EraseFromChunks(shard, steps, blocks,
                        {std::numeric_limits<int64_t>::min(), first_kept_ms - 1}));
    if (erased_count > 0) LOCKSTEP_RETURN_IF_ERROR(FindNewestSamples(shard, steps, blocks));
    sample_count += erased_count;
  }
  if (sample_count == 0) return absl::OkStatus();
  shard.counters.expired_samples += sample_count;
  Log(LogLevel::kInfo, "dropped samples that rules of retention keep no longer",
      {{"shard", shard.folder}, {"samples", sample_count}});
  return steps.ForgetEmptySeries();
}

}  // namespace lockstep
