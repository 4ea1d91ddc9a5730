#include "storage/db/rows/block_rows.h"

#include <utility>

namespace lockstep {
namespace {

using BlockNumber = std::pair<uint32_t, uint32_t>;  // family and block

BlockNumber NumberOf(SeriesPlace place) { return {place.family, place.block()}; }

}  // namespace

absl::Status MalformedChunkKey() { return absl::DataLossError("a key of the chunks is malformed"); }

absl::Status BlockRows::ForEach(WindowToRead window, std::span<const SeriesPlace> places,
                                Visit row) {
  if (places.empty()) return absl::OkStatus();
  // Rows of a window whose cold run is not complete may be in the cold space already.
  LOCKSTEP_RETURN_IF_ERROR(ForEachIn(kv::Tier::kCold, window.number, places, row));
  if (window.is_all_cold) return absl::OkStatus();
  return ForEachIn(kv::Tier::kHot, window.number, places, row);
}

absl::Status BlockRows::ForEachIn(kv::Tier tier, int32_t window,
                                  std::span<const SeriesPlace> places, Visit row) {
  const auto keys_of = [window](SeriesPlace place) {
    return kv::ChunkKeysOf(window, place.family, place.block());
  };
  kv::KeyRange keys = keys_of(places.front());
  if (places.size() > 1) keys.end = keys_of(places.back()).end;
  std::optional<kv::Cursor>& rows = cursors_[static_cast<size_t>(tier)];
  if (rows.has_value()) {
    rows->Seek(std::move(keys));
  } else {
    rows.emplace(kv_.NewCursor(kv::SpaceOf(tier), std::move(keys), snapshot_));
  }
  for (size_t i = 0; rows->Valid();) {
    kv::ChunkKey key;
    if (!kv::DecodeChunkKey(rows->key(), key)) return MalformedChunkKey();
    const BlockNumber block(key.family, key.block);
    while (i < places.size() && NumberOf(places[i]) < block) ++i;
    if (i == places.size()) break;
    if (NumberOf(places[i]) == block) {
      LOCKSTEP_RETURN_IF_ERROR(row(i, rows->value()));
      rows->Next();
    } else {
      rows->Seek(keys_of(places[i]).begin);
    }
  }
  return rows->status();
}

}  // namespace lockstep
