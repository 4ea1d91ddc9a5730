#include "storage/db/rewrite/block_rewrite.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "storage/chunk/merge_columns.h"
#include "storage/db/rows/block_rows.h"
#include "storage/db/rows/row_cutter.h"
#include "storage/db/series/series_place.h"

namespace lockstep {
namespace {

constexpr int64_t kFirstTimeMs = std::numeric_limits<int64_t>::min();
constexpr int64_t kLastTimeMs = std::numeric_limits<int64_t>::max();

// A block has fewer rows than this in one window even if it was rewritten again and again.
constexpr uint16_t kMaxFirstPart = 60'000;

}  // namespace

absl::Status BlockRewrite::Read(kv::Cursor& at, kv::Tier tier, const kv::ChunkKey& block,
                                uint64_t upto) {
  for (; at.Valid(); at.Next()) {
    kv::ChunkKey key;
    if (!kv::DecodeChunkKey(at.key(), key)) return MalformedChunkKey();
    if (key.family != block.family || key.block != block.block || key.generation > upto) break;
    rows_.push_back({tier, key, std::string(at.value())});
  }
  return at.status();
}

uint64_t BlockRewrite::byte_count() const {
  uint64_t sum = 0;
  for (const Row& row : rows_) sum += row.value.size();
  return sum;
}

absl::StatusOr<BlockRewrite::Result> BlockRewrite::Join(kv::Tier target, BatchWriter& batch) {
  LOCKSTEP_RETURN_IF_ERROR(Load(rows_));
  return Replace(rows_, target, {}, batch);
}

absl::StatusOr<BlockRewrite::Result> BlockRewrite::Drop(std::span<const Row> run,
                                                        const Filter& filter, BatchWriter& batch) {
  LOCKSTEP_RETURN_IF_ERROR(Load(run));
  LOCKSTEP_ASSIGN_OR_RETURN(const bool has_any, HasAnyOf(filter));
  if (!has_any) return Result{.series = block_.series()};
  return Replace(run, run.front().tier, filter, batch);
}

// Precondition: Load(rows).
absl::StatusOr<BlockRewrite::Result> BlockRewrite::Replace(std::span<const Row> rows,
                                                           kv::Tier target, const Filter& filter,
                                                           BatchWriter& batch) {
  const kv::ChunkKey first = FirstKey(rows, target);
  if (first.part > kMaxFirstPart) return absl::DataLossError("a block has too many rows");
  if (rows.front().tier == kv::Tier::kCold) LOCKSTEP_RETURN_IF_ERROR(DeleteRollup(batch, first));
  const bool is_rolled_up = target == kv::Tier::kCold && filter.series == 0;
  Result result;
  BlockRollup rollup(first);
  RowWriter writer(batch, kv::SpaceOf(target), first);
  for (uint32_t index = 0; index < kSeriesPerBlock; ++index) {
    LOCKSTEP_RETURN_IF_ERROR(ReadKept(index, filter, result.dropped_samples));
    if (columns_.size() == 0) continue;
    result.series |= BitOf(index);
    writer.Add(index, columns_);
    if (is_rolled_up) rollup.Add(index, columns_);
  }
  LOCKSTEP_RETURN_IF_ERROR(writer.Finish());
  result.written_bytes = writer.totals().byte_count;
  if (is_rolled_up) LOCKSTEP_RETURN_IF_ERROR(rollup.Write(result.written_bytes, batch));
  for (const Row& row : rows) result.read_bytes += row.value.size();
  LOCKSTEP_RETURN_IF_ERROR(Delete(rows, batch));
  return result;
}

absl::Status BlockRewrite::MoveToCold(BatchWriter& batch) {
  BlockRollup rollup(rows_.front().key);
  // Rows that cannot be read are moved like the others; queries for their samples fail.
  const bool is_rolled_up = RollUp(rollup).ok();
  for (const Row& row : rows_) {
    LOCKSTEP_RETURN_IF_ERROR(batch.Put(kv::Space::kCold, kv::EncodeChunkKey(row.key), row.value));
  }
  if (is_rolled_up) LOCKSTEP_RETURN_IF_ERROR(rollup.Write(byte_count(), batch));
  return Delete(rows_, batch);
}

// The parts are after those of all rows that have the generation.
kv::ChunkKey BlockRewrite::FirstKey(std::span<const Row> rows, kv::Tier target) const {
  kv::ChunkKey key = rows.front().key;
  for (const Row& row : rows) key.generation = std::max(key.generation, row.key.generation);
  key.part = 0;
  for (const Row& row : rows_) {
    if (row.tier != target || row.key.generation != key.generation) continue;
    key.part = static_cast<uint16_t>(row.key.part + 1);
  }
  return key;
}

absl::Status BlockRewrite::Load(std::span<const Row> rows) {
  block_.Clear();
  for (const Row& row : rows) LOCKSTEP_RETURN_IF_ERROR(block_.Add(row.value, kAllTimes));
  return absl::OkStatus();
}

absl::StatusOr<bool> BlockRewrite::HasAnyOf(const Filter& filter) {
  for (uint32_t index = 0; index < kSeriesPerBlock; ++index) {
    if ((filter.series & BitOf(index)) == 0) continue;
    columns_.Clear();
    LOCKSTEP_RETURN_IF_ERROR(block_.Read(index, filter.range, columns_));
    if (columns_.size() > 0) return true;
  }
  return false;
}

// Sets `columns_` to the samples of one series that pass the filter.
absl::Status BlockRewrite::ReadKept(uint32_t index_in_block, const Filter& filter,
                                    uint64_t& dropped_samples) {
  columns_.Clear();
  LOCKSTEP_RETURN_IF_ERROR(block_.Read(index_in_block, kAllTimes, columns_));
  if ((filter.series & BitOf(index_in_block)) == 0) return absl::OkStatus();
  kept_.Clear();
  const auto [min_ms, max_ms] = filter.range;
  if (min_ms > kFirstTimeMs) AppendInRange(columns_, {kFirstTimeMs, min_ms - 1}, kept_);
  if (max_ms < kLastTimeMs) AppendInRange(columns_, {max_ms + 1, kLastTimeMs}, kept_);
  dropped_samples += columns_.size() - kept_.size();
  std::swap(columns_, kept_);
  return absl::OkStatus();
}

absl::Status BlockRewrite::RollUp(BlockRollup& rollup) {
  LOCKSTEP_RETURN_IF_ERROR(Load(rows_));
  for (uint32_t index = 0; index < kSeriesPerBlock; ++index) {
    columns_.Clear();
    LOCKSTEP_RETURN_IF_ERROR(block_.Read(index, kAllTimes, columns_));
    if (columns_.size() > 0) rollup.Add(index, columns_);
  }
  return absl::OkStatus();
}

absl::Status BlockRewrite::Delete(std::span<const Row> rows, BatchWriter& batch) {
  for (const Row& row : rows) {
    LOCKSTEP_RETURN_IF_ERROR(batch.Delete(kv::SpaceOf(row.tier), kv::EncodeChunkKey(row.key)));
  }
  return absl::OkStatus();
}

}  // namespace lockstep
