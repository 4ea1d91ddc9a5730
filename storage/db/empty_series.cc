#include "storage/db/empty_series.h"

#include <vector>

#include "storage/db/window.h"

namespace lockstep {
namespace {

std::vector<SeriesId> SeriesWithoutSamples(const ShardState& shard, int32_t first_kept) {
  std::vector<SeriesId> ids;
  const absl::StatusOr<std::vector<SeriesId>> all = shard.dictionary.index().Select({});
  if (!all.ok()) return ids;
  for (const SeriesId id : *all) {
    const bool in_head =
        shard.active->IsOpen(id) || (shard.frozen != nullptr && shard.frozen->IsOpen(id));
    const int64_t sealed_max_ms = shard.dictionary.SealedMaxMs(id);
    if (!in_head && (sealed_max_ms == kNoTimeMs || WindowOf(sealed_max_ms) < first_kept)) {
      ids.push_back(id);
    }
  }
  return ids;
}

void RemoveFromDictionary(ShardState& shard, int32_t first_kept) {
  const std::vector<SeriesId> ids = SeriesWithoutSamples(shard, first_kept);
  if (ids.empty()) return;
  std::vector<SeriesKey> keys;
  keys.reserve(ids.size());
  for (const SeriesId id : ids) keys.push_back(SeriesKeyOf(shard.dictionary.index().Labels(id)));
  shard.directory->Remove(keys);
  WriterLock lock(shard.mutex);
  shard.dictionary.Remove(ids);
}

absl::Status CleanUpRows(ShardState& shard) {
  // Blocks that were there when the shard was opened may name series that others have taken the place of;
  // their rows are needed as long as there are such blocks.
  if (shard.sealed_sequence < shard.replayed_sequence) return absl::OkStatus();
  while (shard.dictionary.NeedsCleanup()) {
    kv::Batch batch = shard.kv->NewBatch();
    shard.dictionary.PutCleanup(batch);
    LOCKSTEP_RETURN_IF_ERROR(shard.kv->Commit(batch, kv::Durability::kSynced));
    shard.dictionary.CommitCleanup();
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status RemoveEmptySeries(ShardState& shard, int32_t first_kept) {
  RemoveFromDictionary(shard, first_kept);
  return CleanUpRows(shard);
}

}  // namespace lockstep
