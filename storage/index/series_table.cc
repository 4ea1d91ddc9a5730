#include "storage/index/series_table.h"

#include <algorithm>

#include "base/check.h"

namespace lockstep {

SeriesTable::Run SeriesTable::Put(std::span<const PairId> pairs) {
  if (blocks_.empty() || blocks_.back().size() + pairs.size() > kBlockPairs) {
    blocks_.emplace_back().reserve(std::max(kBlockPairs, pairs.size()));
  }
  std::vector<PairId>& block = blocks_.back();
  // A run longer than a block has one of its own, so a start always fits into its bits. A full block has
  // room only for an empty run, whose start does not matter.
  const size_t position = std::min(block.size(), kBlockPairs - 1);
  const Run run = {static_cast<uint32_t>((blocks_.size() - 1) << kBlockShift | position),
                   static_cast<uint32_t>(pairs.size())};
  block.insert(block.end(), pairs.begin(), pairs.end());
  return run;
}

void SeriesTable::Add(SeriesId id, std::span<const PairId> pairs) {
  const bool added = runs_.emplace(id, Put(pairs)).second;
  LOCKSTEP_CHECK(added);
  live_pairs_ += pairs.size();
}

void SeriesTable::Remove(SeriesId id) {
  const auto at = runs_.find(id);
  LOCKSTEP_CHECK(at != runs_.end());
  live_pairs_ -= at->second.length;
  dead_pairs_ += at->second.length;
  runs_.erase(at);
  if (dead_pairs_ > kBlockPairs && dead_pairs_ > live_pairs_) Compact();
}

void SeriesTable::Compact() {
  const std::vector<std::vector<PairId>> old = std::move(blocks_);
  blocks_.clear();
  for (auto& [id, run] : runs_) {
    const std::vector<PairId>& block = old[run.start >> kBlockShift];
    run = Put(std::span(block).subspan(run.start & (kBlockPairs - 1), run.length));
  }
  dead_pairs_ = 0;
}

}  // namespace lockstep
