#include "storage/db/merge_pass.h"

#include <algorithm>
#include <utility>

#include "storage/db/block_rows.h"
#include "storage/db/row_steps.h"
#include "storage/db/row_writer.h"

namespace lockstep {
namespace {

// A block's rows in one window are below so many even when passes died over it again and again.
constexpr uint16_t kMaxFirstPart = 60'000;

bool SameBlock(const kv::ChunkKey& a, const kv::ChunkKey& b) {
  return a.family == b.family && a.block == b.block;
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
  const std::string end = kv::ChunkKeysOf(plan_.window).end;
  kv::Cursor hot = shard_.kv->NewCursor(kv::Space::kHot, {kv::EncodeChunkKey(position_), end});
  kv::Cursor cold = shard_.kv->NewCursor(kv::Space::kCold, {kv::EncodeChunkKey(position_), end});
  kv::ChunkKey block, next = position_;
  size_t looked_at_bytes = 0;
  bool has_block = true;
  while (looked_at_bytes < kRowStepBytes) {
    LOCKSTEP_ASSIGN_OR_RETURN(has_block, FindBlock(hot, block));
    if (!has_block) break;
    rows_.clear();
    if (plan_.target == kv::Tier::kCold) {
      cold.Seek(kv::EncodeChunkKey({block.window, block.family, block.block, 0, 0}));
      LOCKSTEP_RETURN_IF_ERROR(ReadRows(cold, kv::Tier::kCold, block));
    }
    LOCKSTEP_RETURN_IF_ERROR(ReadRows(hot, kv::Tier::kHot, block));
    for (const Row& row : rows_) looked_at_bytes += row.value.size();
    LOCKSTEP_RETURN_IF_ERROR(PutInOrder(block, batch));
    next = BlockAfter(block);
  }
  LOCKSTEP_RETURN_IF_ERROR(batch.Commit());
  position_ = next;
  if (has_block) return false;
  LOCKSTEP_RETURN_IF_ERROR(EndWindow());
  return true;
}

// To the first hot row of the plan at or behind the cursor; false if there is none. Rows of other runs
// are stepped over without being read.
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

absl::Status MergePass::ReadRows(kv::Cursor& rows, kv::Tier tier, const kv::ChunkKey& block) {
  for (; rows.Valid(); rows.Next()) {
    Row row;
    if (!kv::DecodeChunkKey(rows.key(), row.key)) return MalformedChunkKey();
    if (!SameBlock(row.key, block) || !IsInput(tier, row.key.generation)) break;
    row.tier = tier;
    row.value = rows.value();
    rows_.push_back(std::move(row));
  }
  return rows.status();
}

absl::Status MergePass::PutInOrder(const kv::ChunkKey& block, BatchWriter& batch) {
  const Row& first = rows_.front();
  const bool is_one_run = std::all_of(rows_.begin(), rows_.end(), [&first](const Row& row) {
    return row.tier == first.tier && row.key.generation == first.key.generation;
  });
  if (!is_one_run) return Rewrite(block, batch);
  return first.tier == plan_.target ? absl::OkStatus() : Move(batch);
}

// To the cold space: only hot rows are ever where they should not be.
absl::Status MergePass::Move(BatchWriter& batch) {
  BlockRollup rollup(rows_.front().key);
  // Rows that cannot be read are moved like others, and fail those who ask for their samples.
  const bool is_rolled_up = RollUp(rollup).ok();
  uint64_t byte_count = 0;
  for (const Row& row : rows_) {
    const std::string key = kv::EncodeChunkKey(row.key);
    LOCKSTEP_RETURN_IF_ERROR(batch.Put(kv::Space::kCold, key, row.value));
    read_bytes_ += row.value.size();
    written_bytes_ += row.value.size();
    byte_count += row.value.size();
  }
  if (is_rolled_up) LOCKSTEP_RETURN_IF_ERROR(rollup.Write(byte_count, batch));
  return DeleteRows(batch);
}

absl::Status MergePass::RollUp(BlockRollup& rollup) {
  block_.Clear();
  for (const Row& row : rows_) LOCKSTEP_RETURN_IF_ERROR(block_.Add(row.value, kAllTimes));
  for (uint32_t index = 0; index < kSeriesPerBlock; ++index) {
    columns_.Clear();
    LOCKSTEP_RETURN_IF_ERROR(block_.Read(index, kAllTimes, columns_));
    if (columns_.size() > 0) rollup.Add(index, columns_);
  }
  return absl::OkStatus();
}

absl::Status MergePass::DeleteRows(BatchWriter& batch) {
  for (const Row& row : rows_) {
    LOCKSTEP_RETURN_IF_ERROR(batch.Delete(kv::SpaceOf(row.tier), kv::EncodeChunkKey(row.key)));
  }
  return absl::OkStatus();
}

kv::ChunkKey MergePass::FirstKey(const kv::ChunkKey& block) const {
  kv::ChunkKey key = {block.window, block.family, block.block, 0, 0};
  for (const Row& row : rows_) key.generation = std::max(key.generation, row.key.generation);
  for (const Row& row : rows_) {
    if (row.tier != plan_.target || row.key.generation != key.generation) continue;
    key.part = static_cast<uint16_t>(row.key.part + 1);
  }
  return key;
}

absl::Status MergePass::Rewrite(const kv::ChunkKey& block, BatchWriter& batch) {
  const kv::ChunkKey first = FirstKey(block);
  if (first.part > kMaxFirstPart) return absl::DataLossError("a block has too many rows");
  block_.Clear();
  for (const Row& row : rows_) {
    LOCKSTEP_RETURN_IF_ERROR(block_.Add(row.value, kAllTimes));
    read_bytes_ += row.value.size();
  }
  const bool to_cold = plan_.target == kv::Tier::kCold;
  if (rows_.front().tier == kv::Tier::kCold) {
    LOCKSTEP_RETURN_IF_ERROR(DeleteRollup(batch, block));
  }
  BlockRollup rollup(block);
  RowWriter writer(batch, kv::SpaceOf(plan_.target), first);
  for (uint32_t index = 0; index < kSeriesPerBlock; ++index) {
    columns_.Clear();
    LOCKSTEP_RETURN_IF_ERROR(block_.Read(index, kAllTimes, columns_));
    if (columns_.size() == 0) continue;
    writer.Add(index, columns_);
    if (to_cold) rollup.Add(index, columns_);
  }
  LOCKSTEP_RETURN_IF_ERROR(writer.Finish());
  const uint64_t byte_count = writer.totals().byte_count;
  if (to_cold) LOCKSTEP_RETURN_IF_ERROR(rollup.Write(byte_count, batch));
  written_bytes_ += byte_count;
  return DeleteRows(batch);
}

absl::Status MergePass::EndWindow() {
  WindowTotals totals;
  std::vector<SeriesId> series;
  std::vector<std::string> old_keys;
  kv::WindowKey next = {plan_.window, plan_.target, plan_.upto, 0};
  kv::Cursor rows = shard_.kv->NewCursor(kv::Space::kMeta, kv::WindowKeysOf(plan_.window));
  for (; rows.Valid(); rows.Next()) {
    kv::WindowKey key;
    if (!kv::DecodeWindowKey(rows.key(), key)) {
      return absl::DataLossError("a window row's key is malformed");
    }
    if (!IsInput(key.tier, key.generation)) continue;
    LOCKSTEP_ASSIGN_OR_RETURN(const WindowRow row, DecodeWindowRow(rows.value()));
    totals.Add(row.totals);
    series.insert(series.end(), row.series.begin(), row.series.end());
    old_keys.emplace_back(rows.key());
    if (key.tier == next.tier && key.generation == next.generation) next.part = key.part + 1;
  }
  LOCKSTEP_RETURN_IF_ERROR(rows.status());
  std::sort(series.begin(), series.end());
  series.erase(std::unique(series.begin(), series.end()), series.end());
  totals.byte_count -= std::min(totals.byte_count, read_bytes_);
  totals.byte_count += written_bytes_;

  BatchWriter batch(*shard_.kv, stop_);
  const std::vector<WindowRow> new_rows = SplitIntoWindowRows(totals, std::move(series));
  for (const WindowRow& row : new_rows) {
    // What comes from here on is one batch.
    if (&row == &new_rows.back()) LOCKSTEP_RETURN_IF_ERROR(batch.Commit());
    LOCKSTEP_RETURN_IF_ERROR(
        batch.Put(kv::Space::kMeta, kv::EncodeWindowKey(next), EncodeWindowRow(row)));
    ++next.part;
  }
  for (const std::string& key : old_keys) {
    LOCKSTEP_RETURN_IF_ERROR(batch.Delete(kv::Space::kMeta, key));
  }
  LOCKSTEP_RETURN_IF_ERROR(batch.Commit());
  result_ = Run{plan_.upto, totals};
  return absl::OkStatus();
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

void MergePass::Publish(Windows& windows) const {
  StoredWindow& window = windows[plan_.window];
  const auto is_merged = [this](const Run& run) { return IsInput(kv::Tier::kHot, run.generation); };
  const auto at = std::find_if(window.hot.begin(), window.hot.end(), is_merged);
  if (plan_.target == kv::Tier::kHot) {
    *at = *result_;
    window.hot.erase(std::remove_if(at + 1, window.hot.end(), is_merged), window.hot.end());
  } else {
    window.hot.erase(std::remove_if(at, window.hot.end(), is_merged), window.hot.end());
    window.cold = result_;
  }
}

}  // namespace lockstep
