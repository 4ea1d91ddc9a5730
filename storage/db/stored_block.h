// StoredBlock: what chunks hold of the 64 series of one block in a range of time, read from disk at
// once and decoded series by series. Not thread-safe; needs neither store nor snapshot once loaded.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "model/sample.h"
#include "storage/db/chunk_row.h"
#include "storage/db/column_stack.h"
#include "storage/db/dictionary.h"
#include "storage/kv/store.h"

namespace lockstep {

class StoredBlock {
 public:
  // Replaces what was loaded by the chunks of the block that `place` is in. `windows` ascend.
  // `snapshot` may be null: the present.
  absl::Status Load(const kv::Store& kv, const kv::SnapshotPtr& snapshot,
                    std::span<const int32_t> windows, SeriesPlace place, TimeRange range);

  // The same by hand: rows in the order of their writing, then Finish().
  void Clear();
  absl::Status Add(std::string_view row, TimeRange range);
  void Finish();

  // Adds the samples of one series to `columns`, oldest writing first; some may be beside the
  // range. `scratch` is reused memory.
  absl::Status Read(uint32_t index_in_block, SampleColumns& scratch, ColumnStack& columns) const;

 private:
  std::deque<std::string> rows_;  // what `chunks_` points into
  std::vector<ChunkRef> chunks_;  // by index, then window, then generation
};

}  // namespace lockstep
