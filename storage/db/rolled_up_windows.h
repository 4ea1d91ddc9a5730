// RolledUpWindows: the rollup rows of one block of series over a range of time, and the chunk rows beside
// those of them that do not answer for every series. Not thread-safe.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "model/sample.h"
#include "storage/db/series_place.h"
#include "storage/db/shard_view.h"
#include "storage/db/stored_block.h"
#include "storage/rollup/rollup_row_reader.h"
#include "storage/storage.h"

namespace lockstep {

class RolledUpWindows {
 public:
  // One window that has a rollup row.
  struct Window {
    int32_t number = 0;
    TimeRange range;  // what of it lies in the selection's
    std::string row;
    RollupRowReader rollup;  // of `row`
    StoredBlock chunks;      // if loaded
    bool has_chunks = false;
  };

  // Finds the rows of the block that `place` is in. Only those count that say all that is stored of
  // their windows, and of buckets that lie in `range` as a whole. `windows` ascend and touch the range.
  absl::Status Load(const ShardView& view, std::span<const int32_t> windows, SeriesPlace place,
                    TimeRange range);

  // Those that were found, and the others of `windows`; both ascend.
  std::deque<Window>& windows() { return windows_; }
  const std::vector<int32_t>& others() const { return others_; }

 private:
  std::deque<Window> windows_;
  std::vector<int32_t> others_;
};

}  // namespace lockstep
