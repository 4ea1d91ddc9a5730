#include "storage/db/rows/block_rows.h"

#include <utility>

namespace lockstep {
namespace {

using BlockNumber = std::pair<uint32_t, uint32_t>;  // family and block

BlockNumber NumberOf(SeriesPlace place) { return {place.family, place.block()}; }
BlockNumber BlockAfter(SeriesPlace place) { return {place.family, place.block() + 1}; }

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

kv::Cursor& BlockRows::SeekTo(kv::Tier tier, int32_t window, std::span<const SeriesPlace> places) {
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
  return *rows;
}

// Blocks between which there are no others are read as one range. A range ends with its last block,
// because a cursor that may go on opens the next row, which can be large, only to find that it is
// of another block.
absl::Status BlockRows::ForEachIn(kv::Tier tier, int32_t window,
                                  std::span<const SeriesPlace> places, Visit row) {
  for (size_t begin = 0, end = 0; begin < places.size(); begin = end) {
    for (end = begin + 1; end < places.size(); ++end) {
      if (NumberOf(places[end]) > BlockAfter(places[end - 1])) break;
    }
    kv::Cursor& rows = SeekTo(tier, window, places.subspan(begin, end - begin));
    for (size_t i = begin; rows.Valid(); rows.Next()) {
      kv::ChunkKey key;
      if (!kv::DecodeChunkKey(rows.key(), key)) return MalformedChunkKey();
      while (NumberOf(places[i]) < BlockNumber(key.family, key.block)) ++i;
      LOCKSTEP_RETURN_IF_ERROR(row(i, rows.value()));
    }
    LOCKSTEP_RETURN_IF_ERROR(rows.status());
  }
  return absl::OkStatus();
}

}  // namespace lockstep
