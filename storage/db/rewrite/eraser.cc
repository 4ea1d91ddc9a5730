#include "storage/db/rewrite/eraser.h"

#include <algorithm>
#include <utility>

#include "storage/db/series/series_place.h"

namespace lockstep {

std::vector<SeriesBlock> BlocksOf(const Dictionary& dictionary, std::span<const SeriesId> ids) {
  std::vector<std::pair<SeriesPlace, SeriesId>> placed;
  for (const SeriesId id : ids) {
    if (dictionary.index().Contains(id)) placed.emplace_back(dictionary.PlaceOf(id), id);
  }
  std::sort(placed.begin(), placed.end(), [](const auto& a, const auto& b) {
    return std::pair(a.first.family, a.first.ordinal) < std::pair(b.first.family, b.first.ordinal);
  });
  std::vector<SeriesBlock> blocks;
  for (const auto& [place, id] : placed) {
    if (blocks.empty() || blocks.back().family != place.family ||
        blocks.back().block != place.block()) {
      blocks.push_back({place.family, place.block(), 0, {}});
    }
    blocks.back().bits |= BitOf(place.index_in_block());
    blocks.back().members.push_back({place.index_in_block(), id});
  }
  return blocks;
}

namespace {

// The cost of looking for a block's rows, whether there are any or not.
constexpr size_t kSeekBytes = 512;

}  // namespace

absl::Status Eraser::Step(int32_t window, std::span<const SeriesBlock>& blocks) {
  if (stop_()) return absl::CancelledError("the store is closing");
  LOCKSTEP_ASSIGN_OR_RETURN(ledger_, WindowLedger::Read(shard_, window));
  BatchWriter batch(*shard_.kv, stop_);
  LOCKSTEP_RETURN_IF_ERROR(EraseBlocks(window, blocks, batch));
  std::sort(gone_.begin(), gone_.end());
  ledger_->RemoveSeries(gone_);
  LOCKSTEP_RETURN_IF_ERROR(ledger_->PutChanged(batch));
  LOCKSTEP_RETURN_IF_ERROR(batch.Commit());
  if (!blocks.empty()) return absl::OkStatus();
  LOCKSTEP_ASSIGN_OR_RETURN(const bool has_rows, HasRows(window));
  if (has_rows) return absl::OkStatus();
  LOCKSTEP_RETURN_IF_ERROR(ledger_->DeleteAll(batch));
  return batch.Commit();
}

absl::StatusOr<bool> Eraser::HasRows(int32_t window) const {
  for (const kv::Tier tier : {kv::Tier::kCold, kv::Tier::kHot}) {
    const kv::Cursor rows = shard_.kv->NewCursor(kv::SpaceOf(tier), kv::ChunkKeysOf(window));
    LOCKSTEP_RETURN_IF_ERROR(rows.status());
    if (rows.Valid()) return true;
  }
  return false;
}

absl::Status Eraser::EraseBlocks(int32_t window, std::span<const SeriesBlock>& blocks,
                                 BatchWriter& batch) {
  gone_.clear();
  const kv::KeyRange keys = kv::ChunkKeysOf(window);
  kv::Cursor cold = shard_.kv->NewCursor(kv::Space::kCold, keys);
  kv::Cursor hot = shard_.kv->NewCursor(kv::Space::kHot, keys);
  size_t looked_at_bytes = 0;
  for (; !blocks.empty() && looked_at_bytes < kRewriteStepBytes; blocks = blocks.subspan(1)) {
    const SeriesBlock& block = blocks.front();
    const kv::ChunkKey first = {window, block.family, block.block, 0, 0};
    block_.Clear();
    cold.Seek(kv::EncodeChunkKey(first));
    LOCKSTEP_RETURN_IF_ERROR(block_.Read(cold, kv::Tier::kCold, first, kAllGenerations));
    hot.Seek(kv::EncodeChunkKey(first));
    LOCKSTEP_RETURN_IF_ERROR(block_.Read(hot, kv::Tier::kHot, first, kAllGenerations));
    looked_at_bytes += kSeekBytes + block_.byte_count();
    LOCKSTEP_ASSIGN_OR_RETURN(const uint64_t left, EraseInBlock(block.bits, batch));
    for (const SeriesBlock::Member& member : block.members) {
      if ((left & BitOf(member.index_in_block)) == 0) gone_.push_back(member.id);
    }
  }
  return absl::OkStatus();
}

// Returns which of the series in `bits` still have samples in the block's rows.
absl::StatusOr<uint64_t> Eraser::EraseInBlock(uint64_t bits, BatchWriter& batch) {
  uint64_t left = 0;
  for (std::span<const BlockRewrite::Row> rows = block_.rows(); !rows.empty();) {
    const BlockRewrite::Row& first = rows.front();
    size_t count = 1;
    while (count < rows.size() && rows[count].IsOfRun(first)) ++count;
    LOCKSTEP_ASSIGN_OR_RETURN(const BlockRewrite::Result result,
                              block_.Drop(rows.first(count), {bits, range_}, batch));
    ledger_->Subtract(first.tier, first.key.generation, result.dropped_samples, result.read_bytes,
                      result.written_bytes);
    erased_sample_count_ += result.dropped_samples;
    left |= result.series & bits;
    rows = rows.subspan(count);
  }
  return left;
}

}  // namespace lockstep
