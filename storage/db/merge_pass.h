// MergePass: puts the rows of some runs of one window together, block by block, and then their window
// rows. It works in steps, between which seals, drops, backups and other passes may come.
//
// What a reader with a snapshot finds is right at any moment, and so is what a crash leaves at any
// moment, because of the order of the changes, which commit in this order (BatchWriter):
//
//   1. new rows of a block are written. They say what its old rows together say, and are read behind all
//      of those or, if they go to the cold space, before all of the hot ones, which then say the same once
//      more. So they change no answer, be there all of them or some.
//   2. then the block's old rows are deleted, oldest first: what each of them said is said by the new
//      ones and not contradicted by an old row that is still there.
//      Rollup rows go with cold ones (rollup_rows.h): the old one is deleted before, the new one written
//      behind the new rows. So at any moment one that is there says what the cold rows of its block say.
//   3. once all blocks are done, one batch writes the window row with the counts and deletes the old
//      window rows. Before it the runs are known as they were, and the rows lie in their bounds: a new
//      row has the highest generation of those that it replaces.
//
// A pass that was given up or died is simply begun anew: a block of one generation is left as it is, or,
// on its way to the cold space, moved as it is.
//
// Not thread-safe: one step at a time in a shard, and not while it seals or drops. Must not outlive
// its shard.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "storage/db/batch_writer.h"
#include "storage/db/merge_plan.h"
#include "storage/db/rollup_rows.h"
#include "storage/db/shard_state.h"
#include "storage/db/stored_block.h"

namespace lockstep {

class MergePass {
 public:
  // `stop` is asked now and then; once it says true Step() fails with kCancelled.
  MergePass(ShardState& shard, const MergePlan& plan, std::function<bool()> stop)
      : shard_(shard), plan_(plan), stop_(std::move(stop)), position_{plan.window, 0, 0, 0, 0} {}

  // Looks at about a megabyte of rows. True: all is done, and Publish() is next. After a failure the
  // pass can be given up, or the step be tried again.
  absl::StatusOr<bool> Step();

  // Makes the merged run known in place of those that it was made of. On the writer's thread, after the
  // last step, holding the shard's lock.
  void Publish(Windows& windows) const;

  // Whether the window still has the runs of the plan.
  bool IsValid(const Windows& windows) const;
  const MergePlan& plan() const { return plan_; }
  // Of the rows that were rewritten so far.
  uint64_t read_bytes() const { return read_bytes_; }
  uint64_t written_bytes() const { return written_bytes_; }

 private:
  struct Row {
    kv::Tier tier = kv::Tier::kHot;
    kv::ChunkKey key;
    std::string value;
  };

  bool IsInput(kv::Tier tier, uint64_t generation) const;
  absl::StatusOr<bool> FindBlock(kv::Cursor& hot, kv::ChunkKey& block) const;
  absl::Status ReadRows(kv::Cursor& rows, kv::Tier tier, const kv::ChunkKey& block);
  absl::Status PutInOrder(const kv::ChunkKey& block, BatchWriter& batch);
  absl::Status Move(BatchWriter& batch);
  absl::Status Rewrite(const kv::ChunkKey& block, BatchWriter& batch);
  absl::Status DeleteRows(BatchWriter& batch);
  absl::Status RollUp(BlockRollup& rollup);
  kv::ChunkKey FirstKey(const kv::ChunkKey& block) const;
  absl::Status EndWindow();

  ShardState& shard_;
  const MergePlan plan_;
  const std::function<bool()> stop_;
  kv::ChunkKey position_;  // where the next step begins
  uint64_t read_bytes_ = 0;
  uint64_t written_bytes_ = 0;
  std::optional<Run> result_;

  // Scratch.
  std::vector<Row> rows_;
  StoredBlock block_;
  SampleColumns columns_;
};

}  // namespace lockstep
