// Eraser: deletes samples of some series from what a shard has stored, for good: there are no
// tombstones (docs/adr/0012-deleting-samples.md). It works in steps, between which seals, merges and drops
// may come.
//
// A chunk row that has such samples is written anew without them, under the same key, or deleted when
// nothing is left. What a reader with a snapshot finds is right at any moment, and so is what a crash
// leaves, because the rows of a block change in the order in which they were written (BatchWriter): of a
// time that was written twice the older value goes first, and never comes back.
//
// The window rows change with the chunk rows, in the same batch unless it would be too large, and after
// them if so: they never leave out what is there. What they say of times stays as it was: it may be wider
// than what is left. A window without chunk rows loses its window rows.
//
// What becomes of series that have lost all samples: newest_samples.h.
//
// Not thread-safe; one step at a time in a shard, and not while it seals, merges or drops. Must not
// outlive its shard.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "model/sample.h"
#include "storage/chunk/chunk_row_reader.h"
#include "storage/db/batch_writer.h"
#include "storage/db/row_cutter.h"
#include "storage/db/series_block.h"
#include "storage/db/shard_state.h"
#include "storage/db/window_ledger.h"

namespace lockstep {

class Eraser {
 public:
  // Of the series in `blocks`, what chunks have in the range. Once `stop` says true Step() fails with
  // kCancelled. `blocks` must outlive it.
  Eraser(ShardState& shard, const std::vector<SeriesBlock>& blocks, TimeRange range,
         std::function<bool()> stop);

  // Looks at about a megabyte of rows of one window. False: nothing was left to do. After a failure some
  // of it is done, and the same can be asked for again.
  absl::StatusOr<bool> Step();
  // Makes known what the step left of its window. On the writer's thread, after each step that said
  // true, holding the shard's lock.
  void Publish(Windows& windows) const;

  uint64_t erased_sample_count() const { return erased_sample_count_; }

 private:
  struct Row {
    kv::Tier tier = kv::Tier::kHot;
    kv::ChunkKey key;
    std::string_view value;
  };

  bool FindWindow();
  absl::Status EraseBlocks(BatchWriter& batch);
  absl::StatusOr<uint64_t> EraseInRows(kv::Tier tier, const SeriesBlock& block, kv::Cursor& rows,
                                       BatchWriter& batch);
  absl::StatusOr<uint64_t> EraseInRow(const Row& row, uint64_t bits, BatchWriter& batch);
  absl::StatusOr<uint64_t> CountInRange(uint64_t bits);
  absl::StatusOr<uint64_t> KeepOutsideRange(uint64_t bits);
  absl::Status Replace(const Row& row, uint64_t erased_count, BatchWriter& batch);
  absl::StatusOr<uint16_t> FreePart(const Row& row) const;
  absl::StatusOr<bool> HasRows() const;

  ShardState& shard_;
  const std::vector<SeriesBlock>& blocks_;
  const TimeRange range_;
  const std::function<bool()> stop_;
  uint64_t erased_sample_count_ = 0;

  // Where the next step begins; of the last one, its window.
  int32_t window_;
  size_t next_block_ = 0;

  // Of the last step.
  std::optional<WindowLedger> ledger_;
  bool is_window_empty_ = false;
  std::vector<SeriesId> gone_;  // from the window
  size_t looked_at_bytes_ = 0;

  // Scratch.
  ChunkRowReader row_;
  SampleColumns columns_;
  RowCutter cutter_;
};

}  // namespace lockstep
