#include "storage/db/rows/stored_block.h"

#include <algorithm>

#include "storage/chunk/merge_columns.h"

namespace lockstep {

absl::Status StoredBlock::Load(BlockRows& rows, std::span<const WindowToRead> windows,
                               SeriesPlace place, TimeRange range) {
  Clear();
  const auto add = [&](size_t, std::string_view row) { return Add(row, range); };
  for (const WindowToRead& window : windows) {
    LOCKSTEP_RETURN_IF_ERROR(rows.ForEach(window, {&place, 1}, add));
  }
  return absl::OkStatus();
}

absl::Status StoredBlock::Add(std::string_view value, TimeRange range) {
  LOCKSTEP_ASSIGN_OR_RETURN(const TimeRange row_range, ChunkRowRange(value));
  if (row_range.max_ms < range.min_ms || row_range.min_ms > range.max_ms) return absl::OkStatus();
  Row& row = rows_.emplace_back();
  row.value = value;
  return row.reader.Open(row.value);
}

uint64_t StoredBlock::series() const {
  uint64_t bits = 0;
  for (const Row& row : rows_) bits |= row.reader.series();
  return bits;
}

absl::Status StoredBlock::FindPieces(uint32_t index_in_block, TimeRange range) {
  pieces_.clear();
  for (Row& row : rows_) {
    if (!row.reader.Contains(index_in_block)) continue;
    LOCKSTEP_ASSIGN_OR_RETURN(const TimeRange piece, row.reader.RangeOf(index_in_block));
    if (piece.max_ms < range.min_ms || piece.min_ms > range.max_ms) continue;
    pieces_.push_back({&row, piece});
  }
  return absl::OkStatus();
}

bool StoredBlock::SortIfApart() {
  const auto touches = [](const Piece& a, const Piece& b) {
    return b.range.min_ms <= a.range.max_ms;
  };
  if (std::adjacent_find(pieces_.begin(), pieces_.end(), touches) == pieces_.end()) return true;
  std::vector<Piece> sorted = pieces_;
  std::sort(sorted.begin(), sorted.end(),
            [](const Piece& a, const Piece& b) { return a.range.min_ms < b.range.min_ms; });
  if (std::adjacent_find(sorted.begin(), sorted.end(), touches) != sorted.end()) return false;
  pieces_ = std::move(sorted);
  return true;
}

absl::Status StoredBlock::Read(uint32_t index_in_block, TimeRange range, SampleColumns& columns) {
  LOCKSTEP_RETURN_IF_ERROR(FindPieces(index_in_block, range));
  if (SortIfApart()) {
    for (const Piece& piece : pieces_) {
      LOCKSTEP_RETURN_IF_ERROR(piece.row->reader.Read(index_in_block, range, columns));
    }
    return absl::OkStatus();
  }
  stack_.Clear();
  for (const Piece& piece : pieces_) {
    scratch_.Clear();
    LOCKSTEP_RETURN_IF_ERROR(piece.row->reader.Read(index_in_block, range, scratch_));
    stack_.Add(scratch_);
  }
  AppendInRange(stack_.columns(), range, columns);
  return absl::OkStatus();
}

}  // namespace lockstep
