// Eraser: permanently deletes samples of some series from what a shard has stored; there are no
// tombstones (docs/adr/0012-deleting-samples.md). It works in steps; seals, merges and drops may
// run between them.
//
// The rows of a block are rewritten without the samples, generation by generation, oldest first
// (block_rewrite.h). So if a time was written twice, the older value is erased first.
//
// The window rows change with the chunk rows: in the same batch, or after them if that batch would
// be too large. So window rows always cover the chunk rows that are there. Their time ranges stay
// unchanged and may be wider than what is left. A window without chunk rows loses its window rows.
//
// The caller deals with series that have lost all samples.
//
// Not thread-safe; one step at a time in a shard, and not while it seals, merges or drops. Must not
// outlive its shard.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "base/status.h"
#include "model/sample.h"
#include "storage/db/rewrite/block_rewrite.h"
#include "storage/db/rewrite/window_ledger.h"
#include "storage/db/rows/batch_writer.h"
#include "storage/db/series/dictionary.h"
#include "storage/db/state/shard_state.h"
#include "storage/kv/key_schema.h"

namespace lockstep {

// The series of one block that an operation applies to.
struct SeriesBlock {
  struct Member {
    uint32_t index_in_block = 0;
    SeriesId id = 0;
  };

  uint32_t family = 0;
  uint32_t block = 0;
  uint64_t bits = 0;            // bit i: the member with index i
  std::vector<Member> members;  // indices ascend
};

// In the order of their rows. Unknown ids are skipped. Precondition: the caller holds the shard's
// lock.
std::vector<SeriesBlock> BlocksOf(const Dictionary& dictionary, std::span<const SeriesId> ids);

class Eraser {
 public:
  // Erases what chunks have in the range. Once `stop` returns true, Step() fails with kCancelled.
  Eraser(ShardState& shard, TimeRange range, std::function<bool()> stop)
      : shard_(shard), range_(range), stop_(std::move(stop)) {}

  // Processes the first of these blocks in the window, about a megabyte of rows, and removes them
  // from `blocks`. After a failure part of the work is done, and the same deletion can be requested
  // again.
  absl::Status Step(int32_t window, std::span<const SeriesBlock>& blocks);
  // Publishes what the step left of its window. Call it on the writer's thread after each step,
  // holding the shard's lock.
  void Publish(Windows& windows) const { ledger_->Publish(windows); }

  uint64_t erased_sample_count() const { return erased_sample_count_; }

 private:
  absl::Status EraseBlocks(int32_t window, std::span<const SeriesBlock>& blocks,
                           BatchWriter& batch);
  absl::StatusOr<uint64_t> EraseInBlock(uint64_t bits, BatchWriter& batch);
  absl::StatusOr<bool> HasRows(int32_t window) const;

  ShardState& shard_;
  const TimeRange range_;
  const std::function<bool()> stop_;
  uint64_t erased_sample_count_ = 0;

  // The state of the last step.
  std::optional<WindowLedger> ledger_;
  std::vector<SeriesId> gone_;  // no longer in the window

  BlockRewrite block_;
};

}  // namespace lockstep
