// BlockRewrite: replaces chunk rows of one block in one window by rows that say the same together,
// or the same without some samples. Merges (merge_pass.h) and deletions (eraser.h) change stored
// samples by this alone.
//
// A reader with a snapshot sees a correct state at any moment, and so does a start after a crash at
// any moment, because the changes commit in this order (BatchWriter):
//
//   1. If cold rows are among the old ones, the block's rollup row is deleted.
//   2. The new rows are written, with the highest generation of the old ones. Together they say
//      what the old ones say together, without the samples that are to go. They are read after all
//      of the old ones or, if they go to the cold space, before all of the hot ones, which then
//      repeat the same. So they change no answer, whether all of them are there or only some.
//   3. The rollup row of a joined cold run is written. So at any moment a rollup row
//      that is there agrees with the cold rows of its block (rollup_rows.h).
//   4. The old rows are deleted, oldest first: what each of them said is said by the new ones or is
//      to go, and no old row that is still there contradicts it. If a time was written twice, the
//      older value goes first, and never comes back.
//
// What was interrupted can be done again: rows of one generation do not contradict each other.
//
// Cold rows change only if rows() has all cold rows of the block.
//
// Not thread-safe; used while nobody else changes the window's rows. Reuse it to reuse its memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "model/sample.h"
#include "storage/db/rows/batch_writer.h"
#include "storage/db/rows/rollup_rows.h"
#include "storage/db/rows/stored_block.h"
#include "storage/kv/key_schema.h"
#include "storage/kv/store.h"

namespace lockstep {

// Work on many blocks is done in steps, each of which reads about this many bytes of rows.
inline constexpr size_t kRewriteStepBytes = size_t{1} << 20;

inline constexpr uint64_t kAllGenerations = std::numeric_limits<uint64_t>::max();

inline uint64_t BitOf(uint32_t index_in_block) { return uint64_t{1} << index_in_block; }

class BlockRewrite {
 public:
  struct Row {
    kv::Tier tier = kv::Tier::kHot;
    kv::ChunkKey key;
    std::string value;

    // Whether the rows are of one tier and generation.
    bool IsOfRun(const Row& other) const {
      return tier == other.tier && key.generation == other.key.generation;
    }
  };

  // Samples that are to go: those of some series (bit i: the one with index i) in a range.
  struct Filter {
    uint64_t series = 0;
    TimeRange range;
  };

  struct Result {
    uint64_t read_bytes = 0;
    uint64_t written_bytes = 0;
    uint64_t dropped_samples = 0;
    uint64_t series = 0;  // bit i: that series has samples left in the rows
  };

  // Forgets the rows of the last block.
  void Clear() { rows_.clear(); }
  // Adds the rows from the cursor's position on that belong to the block of this key and have
  // generations up to `upto`. Add cold rows first.
  absl::Status Read(kv::Cursor& at, kv::Tier tier, const kv::ChunkKey& block, uint64_t upto);
  // In the order in which they were written.
  std::span<const Row> rows() const { return rows_; }
  uint64_t byte_count() const;

  // Replaces all rows by rows of one run; those of a cold run get a rollup row.
  absl::StatusOr<Result> Join(kv::Tier target, BatchWriter& batch);
  // Replaces `run`, all rows of one run, by rows without some samples, or leaves them if they have
  // none of these.
  absl::StatusOr<Result> Drop(std::span<const Row> run, const Filter& filter, BatchWriter& batch);
  // Moves all rows to the cold space as they are. Precondition: they are hot, and the block has no
  // cold ones.
  absl::Status MoveToCold(BatchWriter& batch);

 private:
  absl::StatusOr<Result> Replace(std::span<const Row> rows, kv::Tier target, const Filter& filter,
                                 BatchWriter& batch);
  kv::ChunkKey FirstKey(std::span<const Row> rows, kv::Tier target) const;
  absl::Status Load(std::span<const Row> rows);
  absl::StatusOr<bool> HasAnyOf(const Filter& filter);
  absl::Status ReadKept(uint32_t index_in_block, const Filter& filter, uint64_t& dropped_samples);
  absl::Status RollUp(BlockRollup& rollup);
  static absl::Status Delete(std::span<const Row> rows, BatchWriter& batch);

  std::vector<Row> rows_;

  // Scratch.
  StoredBlock block_;
  SampleColumns columns_;
  SampleColumns kept_;
};

}  // namespace lockstep
