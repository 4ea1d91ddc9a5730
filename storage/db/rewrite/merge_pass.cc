#include "storage/db/rewrite/merge_pass.h"

#include <algorithm>

#include "storage/db/rows/block_rows.h"

namespace lockstep {
namespace {

kv::ChunkKey FirstKeyOf(const kv::ChunkKey& block) {
  return {block.window, block.family, block.block, 0, 0};
}

kv::ChunkKey BlockAfter(const kv::ChunkKey& block) {
  return {block.window, block.family, block.block + 1, 0, 0};
}

}  // namespace

bool MergePass::IsInput(kv::Tier tier, uint64_t generation) const {
  if (tier == kv::Tier::kCold) return plan_.target == kv::Tier::kCold;
  return generation > plan_.after && generation <= plan_.upto;
}

absl::StatusOr<bool> MergePass::Step() {
  BatchWriter batch(*shard_.kv, stop_);
  const kv::KeyRange rows = {kv::EncodeChunkKey(position_), kv::ChunkKeysOf(plan_.window).end};
  kv::Cursor hot = shard_.kv->NewCursor(kv::Space::kHot, rows);
  kv::Cursor cold = shard_.kv->NewCursor(kv::Space::kCold, rows);
  kv::ChunkKey block, next = position_;
  size_t looked_at_bytes = 0;
  bool has_block = true;
  while (looked_at_bytes < kRewriteStepBytes) {
    LOCKSTEP_ASSIGN_OR_RETURN(has_block, FindBlock(hot, block));
    if (!has_block) break;
    block_.Clear();
    if (plan_.target == kv::Tier::kCold) {
      cold.Seek(kv::EncodeChunkKey(FirstKeyOf(block)));
      LOCKSTEP_RETURN_IF_ERROR(block_.Read(cold, kv::Tier::kCold, block, kAllGenerations));
    }
    LOCKSTEP_RETURN_IF_ERROR(block_.Read(hot, kv::Tier::kHot, block, plan_.upto));
    looked_at_bytes += block_.byte_count();
    LOCKSTEP_RETURN_IF_ERROR(PutInOrder(batch));
    next = BlockAfter(block);
  }
  LOCKSTEP_RETURN_IF_ERROR(batch.Commit());
  position_ = next;
  if (has_block) return false;
  LOCKSTEP_RETURN_IF_ERROR(EndWindow());
  return true;
}

// Moves to the first hot row of the plan at or after the cursor; returns false if there is none.
// Rows of other runs are skipped without being read.
absl::StatusOr<bool> MergePass::FindBlock(kv::Cursor& hot, kv::ChunkKey& block) const {
  while (hot.Valid()) {
    if (!kv::DecodeChunkKey(hot.key(), block)) return MalformedChunkKey();
    if (IsInput(kv::Tier::kHot, block.generation)) return true;
    if (block.generation <= plan_.after) {
      hot.Seek(kv::EncodeChunkKey({block.window, block.family, block.block, plan_.after + 1, 0}));
    } else {
      hot.Seek(kv::EncodeChunkKey(BlockAfter(block)));
    }
  }
  LOCKSTEP_RETURN_IF_ERROR(hot.status());
  return false;
}

absl::Status MergePass::PutInOrder(BatchWriter& batch) {
  const std::span<const BlockRewrite::Row> rows = block_.rows();
  const BlockRewrite::Row& first = rows.front();
  const bool is_one_run = std::all_of(
      rows.begin(), rows.end(), [&](const BlockRewrite::Row& row) { return row.IsOfRun(first); });
  if (is_one_run && first.tier == plan_.target) return absl::OkStatus();
  if (is_one_run) {
    // Only hot rows can be in the wrong space.
    LOCKSTEP_RETURN_IF_ERROR(block_.MoveToCold(batch));
    read_bytes_ += block_.byte_count();
    written_bytes_ += block_.byte_count();
    return absl::OkStatus();
  }
  LOCKSTEP_ASSIGN_OR_RETURN(const BlockRewrite::Result replaced, block_.Join(plan_.target, batch));
  read_bytes_ += replaced.read_bytes;
  written_bytes_ += replaced.written_bytes;
  return absl::OkStatus();
}

absl::Status MergePass::EndWindow() {
  LOCKSTEP_ASSIGN_OR_RETURN(ledger_, WindowLedger::Read(shard_, plan_.window));
  const auto is_input = [this](const kv::WindowKey& key) {
    return IsInput(key.tier, key.generation);
  };
  BatchWriter batch(*shard_.kv, stop_);
  return ledger_->Join(is_input, {plan_.window, plan_.target, plan_.upto, 0}, read_bytes_,
                       written_bytes_, batch);
}

bool MergePass::IsValid(const Windows& windows) const {
  const auto window = windows.find(plan_.window);
  if (window == windows.end()) return false;
  const auto has = [&](uint64_t generation) {
    const std::vector<Run>& runs = window->second.hot;
    return std::any_of(runs.begin(), runs.end(),
                       [&](const Run& run) { return run.generation == generation; });
  };
  return has(plan_.upto) && (plan_.after == 0 || has(plan_.after));
}

}  // namespace lockstep
