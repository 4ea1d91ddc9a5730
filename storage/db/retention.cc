#include "storage/db/retention.h"

#include "storage/db/empty_series.h"
#include "storage/db/window.h"
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

}  // namespace lockstep
