// NewestSamples: finds, after samples were erased, which of some series have none left in chunks, and
// for the others a bound on their newest. Works in steps, between which seals, merges and drops may come.
//
// Not thread-safe; one step at a time in a shard, with its PublishTo(), and not while it seals or drops.
// Must not outlive its shard.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/status.h"
#include "storage/chunk/chunk_row_reader.h"
#include "storage/db/series_block.h"
#include "storage/db/shard_state.h"

namespace lockstep {

class NewestSamples {
 public:
  // Of the series in `blocks`, which must outlive it, but those that have samples in memory.
  NewestSamples(const ShardState& shard, const std::vector<SeriesBlock>& blocks)
      : shard_(shard), blocks_(blocks) {}

  // Looks at some hundred blocks. False: nothing was left to do.
  absl::StatusOr<bool> Step();
  // Tells the dictionary what the step found. On the writer's thread, after each step that said true,
  // holding the shard's lock.
  void PublishTo(Dictionary& dictionary) const;

 private:
  struct Window {
    int32_t number = 0;
    int64_t max_ms = 0;
  };

  std::vector<Window> NewestWindows() const;
  uint64_t NotInMemory(const SeriesBlock& block) const;
  absl::Status Find(const SeriesBlock& block, const std::vector<Window>& windows);
  absl::StatusOr<uint64_t> SeriesIn(int32_t window, const SeriesBlock& block);

  const ShardState& shard_;
  const std::vector<SeriesBlock>& blocks_;
  size_t next_block_ = 0;
  std::vector<std::pair<SeriesId, int64_t>> found_;  // kNoTimeMs: no sample
  ChunkRowReader row_;                               // scratch
};

}  // namespace lockstep
