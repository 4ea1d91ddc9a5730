#include "storage/db/retention.h"

#include <utility>
#include <vector>

#include "base/log.h"
#include "storage/db/window.h"
#include "storage/kv/key_schema.h"

namespace lockstep {
namespace {

uint64_t SamplesBefore(const Windows& windows, int32_t first_kept) {
  uint64_t count = 0;
  for (auto at = windows.begin(); at != windows.lower_bound(first_kept); ++at) {
    count += at->second.totals().sample_count;
  }
  return count;
}

// On the writer's thread: a series that is in no head and in no window that is left has no samples.
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

void RemoveSeries(ShardState& shard, int32_t first_kept) {
  const std::vector<SeriesId> ids = SeriesWithoutSamples(shard, first_kept);
  if (ids.empty()) return;
  std::vector<SeriesKey> keys;
  keys.reserve(ids.size());
  for (const SeriesId id : ids) keys.push_back(SeriesKeyOf(shard.dictionary.index().Labels(id)));
  shard.directory->Remove(keys);
  WriterLock lock(shard.mutex);
  shard.dictionary.Remove(ids);
}

// Rows that stay behind are series without samples, which the next start finds and retention drops again.
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

absl::Status DeleteWindows(const ShardState& shard, int32_t first_kept) {
  const kv::KeyRange chunks = kv::ChunkKeysBefore(first_kept);
  const kv::KeyRange rows = kv::WindowKeysBefore(first_kept);
  kv::Batch batch = shard.kv->NewBatch();
  batch.DeleteRange(kv::Space::kHot, chunks.begin, chunks.end);
  batch.DeleteRange(kv::Space::kCold, chunks.begin, chunks.end);
  batch.DeleteRange(kv::Space::kMeta, rows.begin, rows.end);
  return shard.kv->Commit(batch, kv::Durability::kSynced);
}

}  // namespace

absl::Status DropExpired(ShardState& shard, ShardWriter& writer, int64_t oldest_ms) {
  const int32_t first_kept = WindowOf(oldest_ms);
  uint64_t sample_count = 0;
  {
    ReaderLock lock(shard.mutex);
    sample_count = SamplesBefore(shard.windows, first_kept);
  }
  absl::Status status;
  if (sample_count > 0) {
    LOCKSTEP_RETURN_IF_ERROR(DeleteWindows(shard, first_kept));
    shard.counters.expired_samples += sample_count;
    writer.RunTask([&] {
      WriterLock lock(shard.mutex);
      shard.windows.erase(shard.windows.begin(), shard.windows.lower_bound(first_kept));
    });
    Log(LogLevel::kInfo, "dropped expired samples",
        {{"shard", shard.folder}, {"samples", sample_count}});
  }
  writer.RunTask([&] {
    RemoveSeries(shard, first_kept);
    status = CleanUpRows(shard);
  });
  if (!status.ok() || sample_count == 0) return status;
  for (const kv::Space space : {kv::Space::kHot, kv::Space::kCold}) {
    LOCKSTEP_RETURN_IF_ERROR(shard.kv->DropFiles(space, kv::ChunkKeysBefore(first_kept)));
  }
  return absl::OkStatus();
}

}  // namespace lockstep
