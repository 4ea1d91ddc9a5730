#include "storage/db/rewrite/expiry.h"

#include <limits>
#include <vector>

#include "storage/db/rows/window.h"
#include "storage/kv/key_schema.h"

namespace lockstep {
namespace {

WindowTotals TotalsBefore(const Windows& windows, int32_t first_kept) {
  WindowTotals sum;
  for (auto at = windows.begin(); at != windows.lower_bound(first_kept); ++at) {
    sum.Add(at->second.totals());
  }
  return sum;
}

absl::Status DeleteWindows(const ShardState& shard, int32_t first_kept) {
  const kv::KeyRange chunks = kv::ChunkKeysBefore(first_kept);
  const kv::KeyRange rows = kv::WindowKeysBefore(first_kept);
  kv::Batch batch = shard.kv->NewBatch();
  batch.DeleteRange(kv::Space::kHot, chunks.begin, chunks.end);
  batch.DeleteRange(kv::Space::kCold, chunks.begin, chunks.end);
  batch.DeleteRange(kv::Space::kRollup, chunks.begin, chunks.end);
  batch.DeleteRange(kv::Space::kMeta, rows.begin, rows.end);
  return shard.kv->Commit(batch, kv::Durability::kSynced);
}

std::vector<SeriesId> SeriesWithoutSamples(const ShardState& shard, int32_t first_kept) {
  const WriterReads reads(shard);
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
  {
    const WriterReads reads(shard);
    for (const SeriesId id : ids) keys.push_back(SeriesKeyOf(shard.dictionary.index().Labels(id)));
  }
  shard.directory->Remove(keys);
  WriterLock lock(shard.mutex);
  shard.dictionary.Remove(ids);
}

absl::Status CleanUpRows(ShardState& shard) {
  const WriterReads reads(shard);
  // Journal blocks that were there when the shard was opened may name series that others have
  // replaced; their rows are needed as long as such blocks exist.
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

absl::Status DropBefore(ShardState& shard, ShardWriter& writer, int64_t oldest_ms,
                        WindowTotals& dropped) {
  const int32_t first_kept = WindowOf(oldest_ms);
  WindowTotals totals;
  {
    ReaderLock lock(shard.mutex);
    totals = TotalsBefore(shard.windows, first_kept);
  }
  absl::Status status;
  if (totals.sample_count > 0) {
    LOCKSTEP_RETURN_IF_ERROR(DeleteWindows(shard, first_kept));
    dropped.Add(totals);
    writer.RunTask([&] {
      WriterLock lock(shard.mutex);
      shard.windows.erase(shard.windows.begin(), shard.windows.lower_bound(first_kept));
      shard.changes->Add(std::numeric_limits<int64_t>::min());
    });
  }
  writer.RunTask([&] { status = RemoveEmptySeries(shard, first_kept); });
  if (!status.ok() || totals.sample_count == 0) return status;
  for (const kv::Space space : {kv::Space::kHot, kv::Space::kCold, kv::Space::kRollup}) {
    LOCKSTEP_RETURN_IF_ERROR(shard.kv->DropFiles(space, kv::ChunkKeysBefore(first_kept)));
  }
  return absl::OkStatus();
}

absl::Status RemoveEmptySeries(ShardState& shard, int32_t first_kept) {
  RemoveFromDictionary(shard, first_kept);
  return CleanUpRows(shard);
}

}  // namespace lockstep
