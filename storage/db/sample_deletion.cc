#include "storage/db/sample_deletion.h"

#include <algorithm>

#include "base/log.h"
#include "storage/db/eraser.h"
#include "storage/db/matched_series.h"
#include "storage/db/newest_samples.h"
#include "storage/db/series_block.h"

namespace lockstep {
namespace {

bool HasInMemory(const ShardState& shard, std::span<const SeriesId> ids) {
  ReaderLock lock(shard.mutex);
  return std::any_of(ids.begin(), ids.end(), [&shard](SeriesId id) {
    return shard.active->IsOpen(id) || (shard.frozen != nullptr && shard.frozen->IsOpen(id));
  });
}

}  // namespace

absl::StatusOr<uint64_t> EraseFromChunks(ShardState& shard, RowSteps& steps,
                                         const std::vector<SeriesBlock>& blocks, TimeRange range) {
  Eraser eraser(shard, blocks, range, [&steps] { return steps.must_give_up(); });
  const auto step = [&]() -> absl::StatusOr<bool> {
    LOCKSTEP_RETURN_IF_ERROR(steps.CheckRoom());
    return eraser.Step();
  };
  while (true) {
    LOCKSTEP_ASSIGN_OR_RETURN(const bool did_more,
                              steps.Step(step, [&] { eraser.Publish(shard.windows); }));
    if (!did_more) return eraser.erased_sample_count();
  }
}

absl::Status FindNewestSamples(ShardState& shard, RowSteps& steps,
                               const std::vector<SeriesBlock>& blocks) {
  NewestSamples newest(shard, blocks);
  while (true) {
    LOCKSTEP_ASSIGN_OR_RETURN(
        const bool did_more,
        steps.Step([&] { return newest.Step(); }, [&] { newest.PublishTo(shard.dictionary); }));
    if (!did_more) return absl::OkStatus();
  }
}

absl::Status DeleteSamples(ShardState& shard, RowSteps& steps,
                           std::span<const std::vector<Matcher>> matcher_sets, TimeRange range) {
  LOCKSTEP_ASSIGN_OR_RETURN(const std::vector<SeriesId> ids, MatchedSeries(shard, matcher_sets));
  if (HasInMemory(shard, ids)) LOCKSTEP_RETURN_IF_ERROR(steps.Seal());
  std::vector<SeriesBlock> blocks;
  {
    ReaderLock lock(shard.mutex);
    blocks = BlocksOf(shard.dictionary, ids);
  }
  LOCKSTEP_ASSIGN_OR_RETURN(const uint64_t sample_count,
                            EraseFromChunks(shard, steps, blocks, range));
  // Even if that was nothing: an attempt before may have erased all and then failed.
  LOCKSTEP_RETURN_IF_ERROR(FindNewestSamples(shard, steps, blocks));
  Log(LogLevel::kInfo, "deleted samples",
      {{"shard", shard.folder}, {"series", ids.size()}, {"samples", sample_count}});
  return steps.ForgetEmptySeries();
}

}  // namespace lockstep
