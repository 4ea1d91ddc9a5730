#include "storage/db/block_rows.h"

#include "storage/kv/key_schema.h"

namespace lockstep {

absl::Status MalformedChunkKey() { return absl::DataLossError("a key of the chunks is malformed"); }

absl::Status ForEachBlockRow(const kv::Store& kv, const kv::SnapshotPtr& snapshot, int32_t window,
                             SeriesPlace place,
                             absl::FunctionRef<absl::Status(std::string_view value)> row) {
  const kv::SnapshotPtr moment = snapshot == nullptr ? kv.NewSnapshot() : snapshot;
  const kv::KeyRange keys = kv::ChunkKeysOf(window, place.family, place.block());
  for (const kv::Tier tier : {kv::Tier::kCold, kv::Tier::kHot}) {
    kv::Cursor rows = kv.NewCursor(kv::SpaceOf(tier), keys, moment);
    for (; rows.Valid(); rows.Next()) LOCKSTEP_RETURN_IF_ERROR(row(rows.value()));
    LOCKSTEP_RETURN_IF_ERROR(rows.status());
  }
  return absl::OkStatus();
}

}  // namespace lockstep
