// StoredBlock: what chunk rows hold of the 64 series of one block in a range of time, read from disk at
// once and decoded series by series. Not thread-safe; needs neither store nor snapshot once loaded.
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
#include "storage/db/column_stack.h"
#include "storage/db/dictionary.h"
#include "storage/kv/store.h"

namespace lockstep {

class StoredBlock {
 public:
  // Replaces what was loaded by the rows of the block that `place` is in. `windows` ascend.
  // `snapshot` may be null: the present.
  absl::Status Load(const kv::Store& kv, const kv::SnapshotPtr& snapshot,
                    std::span<const int32_t> windows, SeriesPlace place, TimeRange range);

  // The same by hand: row by row, in the order of their writing. Rows beside the range are left out.
  void Clear() { rows_.clear(); }
  absl::Status Add(std::string_view value, TimeRange range);

  // Appends the samples of one series that lie in the range, ascending; of equal times the one that was
  // written last. They must be later than all that `columns` holds.
  absl::Status Read(uint32_t index_in_block, TimeRange range, SampleColumns& columns);

 private:
  struct Row {
    std::string value;
    ChunkRowReader reader;  // of `value`
  };
  // A series in a row.
  struct Piece {
    Row* row = nullptr;
    TimeRange range;
  };

  // Sets `pieces_`: the rows with samples of the series that touch the range, in the order of writing.
  absl::Status FindPieces(uint32_t index_in_block, TimeRange range);
  // Whether no two pieces touch; if so they are in order of time afterwards.
  bool SortIfApart();

  std::deque<Row> rows_;  // in the order of writing
  std::vector<Piece> pieces_;
  SampleColumns scratch_;
  ColumnStack stack_;
};

}  // namespace lockstep
