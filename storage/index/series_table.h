// SeriesTable: series id -> its label pairs, as runs in large blocks.
//
// Threads: as SeriesIndex, one writer or many readers. Spans live until the next Add or Remove.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "storage/index/label_pairs.h"
#include "storage/index/postings.h"

namespace lockstep {

class SeriesTable {
 public:
  // Precondition: `id` is not in the table.
  void Add(SeriesId id, std::span<const PairId> pairs);
  // Precondition: `id` is in the table.
  void Remove(SeriesId id);

  bool Contains(SeriesId id) const { return runs_.contains(id); }
  // In the order they were added in. Precondition: `id` is in the table.
  std::span<const PairId> Pairs(SeriesId id) const { return At(runs_.find(id)->second); }
  size_t size() const { return runs_.size(); }

 private:
  struct Run {
    uint32_t start = 0;  // block number << kBlockShift | position in the block
    uint32_t length = 0;
  };
  static constexpr int kBlockShift = 16;
  static constexpr size_t kBlockPairs = size_t{1} << kBlockShift;

  Run Put(std::span<const PairId> pairs);
  std::span<const PairId> At(Run run) const {
    return std::span(blocks_[run.start >> kBlockShift])
        .subspan(run.start & (kBlockPairs - 1), run.length);
  }
  // Copies the runs in use into new blocks.
  void Compact();

  std::vector<std::vector<PairId>> blocks_;
  size_t dead_pairs_ = 0;  // in runs that were removed
  size_t live_pairs_ = 0;
  absl::flat_hash_map<SeriesId, Run> runs_;
};

}  // namespace lockstep
