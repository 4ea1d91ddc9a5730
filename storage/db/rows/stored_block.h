// StoredBlock: the samples in the chunk rows of the 64 series of one block over a range of time,
// read from disk at once and decoded series by series. Not thread-safe; once loaded it needs
// neither the store nor the snapshot.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "model/sample.h"
#include "storage/chunk/chunk_row_reader.h"
#include "storage/db/rows/block_rows.h"
#include "storage/db/rows/column_stack.h"
#include "storage/db/series/series_place.h"

namespace lockstep {

class StoredBlock {
 public:
  // Replaces the loaded rows with those of the block that `place` is in. `windows` ascend.
  absl::Status Load(BlockRows& rows, std::span<const WindowToRead> windows, SeriesPlace place,
                    TimeRange range);

  // Alternatively, add rows one by one, in the order in which they were written. Rows outside the
  // range are left out.
  void Clear() { rows_.clear(); }
  absl::Status Add(std::string_view value, TimeRange range);

  // Bit i: a row has samples of the series with index i.
  uint64_t series() const;

  // Appends the samples of one series in the range, ascending; for each time, the one written last.
  // They must be later than all that `columns` holds.
  absl::Status Read(uint32_t index_in_block, TimeRange range, SampleColumns& columns);

 private:
  struct Row {
    std::string value;
    ChunkRowReader reader;  // reads `value`
  };
  // The samples of one series in one row.
  struct Piece {
    Row* row = nullptr;
    TimeRange range;
  };

  // Sets `pieces_` to the rows with samples of the series that touch the range, in the order in
  // which they were written.
  absl::Status FindPieces(uint32_t index_in_block, TimeRange range);
  // Whether no two pieces overlap; if so, they are sorted by time afterwards.
  bool SortIfApart();

  std::deque<Row> rows_;  // in the order in which they were written
  std::vector<Piece> pieces_;
  SampleColumns scratch_;
  ColumnStack stack_;
};

}  // namespace lockstep
