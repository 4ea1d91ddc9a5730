// WindowLedger: the window rows of one window, read so that they can be changed with the window's
// chunks, and then be published.
//
// They always cover what the chunks have: a series is removed only when the caller says that no row
// has it, and times stay unchanged. Counts go down by the number of erased samples, but not below
// zero.
//
// Not thread-safe; used for one change, while nobody else changes the window's rows.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "absl/functional/function_ref.h"
#include "base/status.h"
#include "storage/db/rows/batch_writer.h"
#include "storage/db/rows/windows.h"
#include "storage/db/state/shard_state.h"

namespace lockstep {

class WindowLedger {
 public:
  // Rows of generations beyond the journal's mark are ignored and left alone.
  static absl::StatusOr<WindowLedger> Read(const ShardState& shard, int32_t window);

  // Those of the series that the window may have. `ids` ascend.
  std::vector<SeriesId> Among(std::span<const SeriesId> ids) const;

  // No chunk row of the window has samples of these series. `ids` ascend.
  void RemoveSeries(std::span<const SeriesId> ids);
  // Chunk rows of that generation lost samples and then took fewer bytes, or more. If its run does
  // not count that many, the rest is subtracted from other runs, because a merge in progress has
  // counted it there.
  void Subtract(kv::Tier tier, uint64_t generation, uint64_t sample_count, uint64_t bytes_before,
                uint64_t bytes_after);
  // Puts the rows that changed.
  absl::Status PutChanged(BatchWriter& batch) const;
  // Deletes all rows: the window has no chunk rows.
  absl::Status DeleteAll(BatchWriter& batch);

  // Replaces the rows of some runs by those of one run, which has the key `joined`: commits what
  // `batch` has, then the counts and the deletions in one batch. The rewritten chunk rows took
  // `bytes_before` and now take `bytes_after`.
  absl::Status Join(absl::FunctionRef<bool(const kv::WindowKey& key)> is_joined,
                    kv::WindowKey joined, uint64_t bytes_before, uint64_t bytes_after,
                    BatchWriter& batch);

  // Replaces the runs of the window in `windows`, if it is there, by those that a start would find.
  void Publish(Windows& windows) const;

 private:
  struct Row {
    kv::WindowKey key;
    WindowRow content;
    bool is_changed = false;
  };

  std::vector<Row*> RowsFrom(kv::Tier tier, uint64_t generation);

  int32_t window_ = 0;
  uint64_t mark_ = 0;
  std::vector<Row> rows_;  // in the order of their keys: coldest and oldest first
};

}  // namespace lockstep
