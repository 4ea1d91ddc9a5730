#include "storage/db/write/sealed_ranges.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "storage/chunk/chunk_row_reader.h"
#include "storage/db/rows/block_rows.h"
#include "storage/db/rows/window.h"

namespace lockstep {

// A seal adds samples. Merging and dropping leave ranges that are too wide, which is safe.
void SealedRanges::ForgetIfStale() {
  if (seal_count_ == shard_.seal_count) return;
  blocks_.clear();
  seal_count_ = shard_.seal_count;
}

bool SealedRanges::MayHaveTime(SeriesPlace place, int64_t time_ms) {
  const WriterReads reads(shard_);
  const int32_t window = WindowOf(time_ms);
  if (!shard_.windows.contains(window)) return false;
  ForgetIfStale();
  const auto found = blocks_.find({window, place.family, place.block()});
  return found == blocks_.end() || (*found->second)[place.index_in_block()].Contains(time_ms);
}

absl::Status SealedRanges::Load(SeriesPlace place, int64_t time_ms) {
  const WriterReads reads(shard_);
  const int32_t window = WindowOf(time_ms);
  ForgetIfStale();
  const BlockKey key{window, place.family, place.block()};
  if (!shard_.windows.contains(window) || blocks_.contains(key)) return absl::OkStatus();
  auto ranges = std::make_unique<Ranges>();
  ranges->fill(kNone);
  ChunkRowReader row;
  const auto widen = [&](size_t, std::string_view value) {
    LOCKSTEP_RETURN_IF_ERROR(row.Open(value));
    for (uint32_t index = 0; index < kSeriesPerBlock; ++index) {
      if (!row.Contains(index)) continue;
      LOCKSTEP_ASSIGN_OR_RETURN(const TimeRange in_row, row.RangeOf(index));
      TimeRange& range = (*ranges)[index];
      range.min_ms = std::min(range.min_ms, in_row.min_ms);
      range.max_ms = std::max(range.max_ms, in_row.max_ms);
    }
    return absl::OkStatus();
  };
  BlockRows rows(*shard_.kv, /*snapshot=*/nullptr);
  LOCKSTEP_RETURN_IF_ERROR(rows.ForEach({window}, {&place, 1}, widen));
  if (blocks_.size() >= kMaxBlocks) blocks_.clear();
  blocks_.emplace(key, std::move(ranges));
  return absl::OkStatus();
}

}  // namespace lockstep
