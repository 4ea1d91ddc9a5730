#include "storage/db/newest_samples.h"

#include <algorithm>

#include "storage/db/block_rows.h"

namespace lockstep {
namespace {

constexpr size_t kBlocksPerStep = 256;

}  // namespace

absl::StatusOr<bool> NewestSamples::Step() {
  if (next_block_ == blocks_.size()) return false;
  found_.clear();
  const std::vector<Window> windows = NewestWindows();
  const size_t end = std::min(next_block_ + kBlocksPerStep, blocks_.size());
  for (; next_block_ < end; ++next_block_) {
    LOCKSTEP_RETURN_IF_ERROR(Find(blocks_[next_block_], windows));
  }
  return true;
}

void NewestSamples::PublishTo(Dictionary& dictionary) const {
  for (const auto& [id, time_ms] : found_) {
    if (dictionary.index().Contains(id)) dictionary.LowerSealedMax(id, time_ms);
  }
}

// Newest first.
std::vector<NewestSamples::Window> NewestSamples::NewestWindows() const {
  std::vector<Window> windows;
  ReaderLock lock(shard_.mutex);
  for (const auto& [number, window] : shard_.windows) {
    windows.push_back({number, window.totals().range.max_ms});
  }
  std::reverse(windows.begin(), windows.end());
  return windows;
}

uint64_t NewestSamples::NotInMemory(const SeriesBlock& block) const {
  uint64_t bits = 0;
  ReaderLock lock(shard_.mutex);
  for (const SeriesBlock::Member& member : block.members) {
    const bool is_in_memory = shard_.active->Contains(member.id) ||
                              (shard_.frozen != nullptr && shard_.frozen->Contains(member.id));
    if (!is_in_memory) bits |= BitOf(member.index_in_block);
  }
  return bits;
}

absl::Status NewestSamples::Find(const SeriesBlock& block, const std::vector<Window>& windows) {
  uint64_t bits = NotInMemory(block);
  const auto take = [&](uint64_t taken, int64_t time_ms) {
    for (const SeriesBlock::Member& member : block.members) {
      if ((taken & BitOf(member.index_in_block)) != 0) found_.emplace_back(member.id, time_ms);
    }
  };
  for (const Window& window : windows) {
    if (bits == 0) return absl::OkStatus();
    LOCKSTEP_ASSIGN_OR_RETURN(const uint64_t in_window, SeriesIn(window.number, block));
    take(bits & in_window, window.max_ms);
    bits &= ~in_window;
  }
  take(bits, kNoTimeMs);
  return absl::OkStatus();
}

absl::StatusOr<uint64_t> NewestSamples::SeriesIn(int32_t window, const SeriesBlock& block) {
  uint64_t bits = 0;
  const SeriesPlace place = {block.family, block.block * kSeriesPerBlock};
  const auto add = [&](std::string_view value) {
    LOCKSTEP_RETURN_IF_ERROR(row_.Open(value));
    bits |= row_.series();
    return absl::OkStatus();
  };
  LOCKSTEP_RETURN_IF_ERROR(ForEachBlockRow(*shard_.kv, nullptr, window, place, add));
  return bits;
}

}  // namespace lockstep
