#include "storage/db/retention.h"

#include "base/log.h"
#include "storage/db/empty_series.h"
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
  writer.RunTask([&] { status = RemoveEmptySeries(shard, first_kept); });
  if (!status.ok() || sample_count == 0) return status;
  for (const kv::Space space : {kv::Space::kHot, kv::Space::kCold}) {
    LOCKSTEP_RETURN_IF_ERROR(shard.kv->DropFiles(space, kv::ChunkKeysBefore(first_kept)));
  }
  return absl::OkStatus();
}

}  // namespace lockstep
