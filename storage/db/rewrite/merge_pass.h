// MergePass: merges the rows of some runs of one window, block by block, and then their window
// rows. It works in steps; seals, drops, backups, deletions and other passes may run between them.
//
// block_rewrite.h says why the rows are right at any moment. Once all blocks are done, one batch
// writes the window row with the counts and deletes the old window rows. Before that batch the runs
// are known as they were, and the rows lie within their bounds: a new row has the highest
// generation of those that it replaces.
//
// A pass that was abandoned or interrupted simply starts again: a block that has only one
// generation is left as it is or, on its way to the cold space, moved as it is.
//
// Not thread-safe: one step at a time in a shard, and not while it seals or drops. Must not outlive
// its shard.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "base/status.h"
#include "storage/db/rewrite/block_rewrite.h"
#include "storage/db/rewrite/merge_plan.h"
#include "storage/db/rewrite/window_ledger.h"
#include "storage/db/rows/batch_writer.h"
#include "storage/db/state/shard_state.h"

namespace lockstep {

class MergePass {
 public:
  // `stop` is called now and then; once it returns true, Step() fails with kCancelled.
  MergePass(ShardState& shard, const MergePlan& plan, std::function<bool()> stop)
      : shard_(shard), plan_(plan), stop_(std::move(stop)), position_{plan.window, 0, 0, 0, 0} {}

  // Processes about a megabyte of rows. Returns true when all is done; call Publish() next. After a
  // failure the pass can be abandoned, or the step repeated.
  absl::StatusOr<bool> Step();

  // Replaces the merged runs with the new run in `windows`. Call it on the writer's thread after
  // the last step, holding the shard's lock.
  void Publish(Windows& windows) const { ledger_->Publish(windows); }

  // Whether the window still has the runs of the plan.
  bool IsValid(const Windows& windows) const;
  const MergePlan& plan() const { return plan_; }
  // The size of the rows rewritten so far.
  uint64_t read_bytes() const { return read_bytes_; }
  uint64_t written_bytes() const { return written_bytes_; }

 private:
  bool IsInput(kv::Tier tier, uint64_t generation) const;
  absl::StatusOr<bool> FindBlock(kv::Cursor& hot, kv::ChunkKey& block) const;
  absl::Status PutInOrder(BatchWriter& batch);
  absl::Status EndWindow();

  ShardState& shard_;
  const MergePlan plan_;
  const std::function<bool()> stop_;
  kv::ChunkKey position_;  // where the next step starts
  uint64_t read_bytes_ = 0;
  uint64_t written_bytes_ = 0;
  std::optional<WindowLedger> ledger_;  // after the last step
  BlockRewrite block_;
};

}  // namespace lockstep
