// RolledUpWindows: the rollup rows of one block of series over a range of time, and the chunk rows
// of windows whose rollup row does not answer for every series. Not thread-safe.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "model/sample.h"
#include "storage/db/read/shard_view.h"
#include "storage/db/rows/stored_block.h"
#include "storage/db/series/series_place.h"
#include "storage/query.h"
#include "storage/rollup/rollup_row_reader.h"

namespace lockstep {

class RolledUpWindows {
 public:
  // One window that has a rollup row.
  struct Window {
    WindowToRead window;
    TimeRange range;  // the part of it in the selection's range
    std::string row;
    RollupRowReader rollup;  // reads `row`
    StoredBlock chunks;      // if loaded
    bool has_chunks = false;
  };

  // Finds the rows of the block that `place` is in. A row is used only if it covers all that is
  // stored of its window, and only for buckets that lie in `range` as a whole. `windows` ascend and
  // touch the range.
  absl::Status Load(const ShardView& view, std::span<const WindowToRead> windows, SeriesPlace place,
                    TimeRange range);

  // The windows that were found, and the rest of `windows`; both ascend.
  std::deque<Window>& windows() { return windows_; }
  const std::vector<WindowToRead>& others() const { return others_; }

 private:
  std::deque<Window> windows_;
  std::vector<WindowToRead> others_;
};

}  // namespace lockstep
