#include "storage/db/eraser.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "storage/db/block_rows.h"
#include "storage/db/rollup_rows.h"
#include "storage/db/row_steps.h"
#include "storage/db/window.h"

namespace lockstep {
namespace {

constexpr int64_t kFirstTimeMs = std::numeric_limits<int64_t>::min();
constexpr int64_t kLastTimeMs = std::numeric_limits<int64_t>::max();

// What looking for a block's rows counts, be there any or none.
constexpr size_t kSeekBytes = 256;

bool Touch(TimeRange a, TimeRange b) { return a.min_ms <= b.max_ms && b.min_ms <= a.max_ms; }

}  // namespace

Eraser::Eraser(ShardState& shard, const std::vector<SeriesBlock>& blocks, TimeRange range,
               std::function<bool()> stop)
    : shard_(shard),
      blocks_(blocks),
      range_(range),
      stop_(std::move(stop)),
      window_(WindowOf(range.min_ms)) {}

// To the window that the next step is for; false if all are done.
bool Eraser::FindWindow() {
  if (next_block_ == blocks_.size()) {
    next_block_ = 0;
    if (window_ == std::numeric_limits<int32_t>::max()) return false;
    ++window_;
  }
  ReaderLock lock(shard_.mutex);
  const auto found = shard_.windows.lower_bound(window_);
  if (found == shard_.windows.end() || found->first > WindowOf(range_.max_ms)) return false;
  if (found->first != window_) next_block_ = 0;
  window_ = found->first;
  return true;
}

absl::StatusOr<bool> Eraser::Step() {
  if (blocks_.empty() || range_.max_ms < range_.min_ms) return false;
  if (stop_()) return absl::CancelledError("the store is closing");
  if (!FindWindow()) return false;
  uint64_t mark = 0;
  {
    ReaderLock lock(shard_.mutex);
    mark = shard_.sealed_sequence;
  }
  LOCKSTEP_ASSIGN_OR_RETURN(ledger_, WindowLedger::Read(*shard_.kv, window_, mark));
  is_window_empty_ = false;
  BatchWriter batch(*shard_.kv, stop_);
  LOCKSTEP_RETURN_IF_ERROR(EraseBlocks(batch));
  std::sort(gone_.begin(), gone_.end());
  ledger_->RemoveSeries(gone_);
  LOCKSTEP_RETURN_IF_ERROR(ledger_->PutChanged(batch));
  LOCKSTEP_RETURN_IF_ERROR(batch.Commit());
  if (next_block_ < blocks_.size()) return true;
  LOCKSTEP_ASSIGN_OR_RETURN(const bool has_rows, HasRows());
  if (has_rows) return true;
  LOCKSTEP_RETURN_IF_ERROR(ledger_->DeleteAll(batch));
  LOCKSTEP_RETURN_IF_ERROR(batch.Commit());
  is_window_empty_ = true;
  return true;
}

void Eraser::Publish(Windows& windows) const {
  const auto window = windows.find(window_);
  if (window == windows.end()) return;
  if (is_window_empty_) {
    windows.erase(window);
    return;
  }
  const int64_t changed_ms = window->second.changed_ms;
  window->second = ledger_->Runs();
  window->second.changed_ms = changed_ms;
}

absl::StatusOr<bool> Eraser::HasRows() const {
  for (const kv::Tier tier : {kv::Tier::kCold, kv::Tier::kHot}) {
    const kv::Cursor rows = shard_.kv->NewCursor(kv::SpaceOf(tier), kv::ChunkKeysOf(window_));
    LOCKSTEP_RETURN_IF_ERROR(rows.status());
    if (rows.Valid()) return true;
  }
  return false;
}

absl::Status Eraser::EraseBlocks(BatchWriter& batch) {
  gone_.clear();
  looked_at_bytes_ = 0;
  const kv::KeyRange keys = kv::ChunkKeysOf(window_);
  kv::Cursor cold = shard_.kv->NewCursor(kv::Space::kCold, keys);
  kv::Cursor hot = shard_.kv->NewCursor(kv::Space::kHot, keys);
  for (; next_block_ < blocks_.size() && looked_at_bytes_ < kRowStepBytes; ++next_block_) {
    const SeriesBlock& block = blocks_[next_block_];
    LOCKSTEP_ASSIGN_OR_RETURN(const uint64_t in_cold,
                              EraseInRows(kv::Tier::kCold, block, cold, batch));
    LOCKSTEP_ASSIGN_OR_RETURN(const uint64_t in_hot,
                              EraseInRows(kv::Tier::kHot, block, hot, batch));
    for (const SeriesBlock::Member& member : block.members) {
      const bool is_left = ((in_cold | in_hot) & BitOf(member.index_in_block)) != 0;
      if (!is_left) gone_.push_back(member.id);
    }
  }
  return absl::OkStatus();
}

// Returns which series of the block are left in its rows.
absl::StatusOr<uint64_t> Eraser::EraseInRows(kv::Tier tier, const SeriesBlock& block,
                                             kv::Cursor& rows, BatchWriter& batch) {
  uint64_t left = 0;
  looked_at_bytes_ += kSeekBytes;
  for (rows.Seek(kv::EncodeChunkKey(block.FirstKey(window_))); rows.Valid(); rows.Next()) {
    Row row = {tier, {}, rows.value()};
    if (!kv::DecodeChunkKey(rows.key(), row.key)) return MalformedChunkKey();
    if (!block.HasRow(row.key)) break;
    looked_at_bytes_ += row.value.size();
    LOCKSTEP_ASSIGN_OR_RETURN(const uint64_t in_row, EraseInRow(row, block.bits, batch));
    left |= in_row;
  }
  LOCKSTEP_RETURN_IF_ERROR(rows.status());
  return left;
}

// Returns which of the series with these bits are left in it.
absl::StatusOr<uint64_t> Eraser::EraseInRow(const Row& row, uint64_t bits, BatchWriter& batch) {
  LOCKSTEP_RETURN_IF_ERROR(row_.Open(row.value));
  bits &= row_.series();
  if (bits == 0 || !Touch(row_.range(), range_)) return bits;
  LOCKSTEP_ASSIGN_OR_RETURN(const uint64_t erased_count, CountInRange(bits));
  if (erased_count == 0) return bits;
  LOCKSTEP_ASSIGN_OR_RETURN(const uint64_t left, KeepOutsideRange(bits));
  LOCKSTEP_RETURN_IF_ERROR(Replace(row, erased_count, batch));
  return left;
}

// Of the series with these bits in the row.
absl::StatusOr<uint64_t> Eraser::CountInRange(uint64_t bits) {
  uint64_t count = 0;
  for (uint32_t index = 0; index < kSeriesPerBlock; ++index) {
    if ((bits & BitOf(index)) == 0) continue;
    columns_.Clear();
    LOCKSTEP_RETURN_IF_ERROR(row_.Read(index, range_, columns_));
    count += columns_.size();
  }
  return count;
}

// Into `cutter_`: of the series with these bits what lies outside the range, of the others all that the
// row has. Returns which of the former have something left.
absl::StatusOr<uint64_t> Eraser::KeepOutsideRange(uint64_t bits) {
  uint64_t left = 0;
  for (uint32_t index = 0; index < kSeriesPerBlock; ++index) {
    if (!row_.Contains(index)) continue;
    columns_.Clear();
    if ((bits & BitOf(index)) == 0) {
      LOCKSTEP_RETURN_IF_ERROR(row_.Read(index, {kFirstTimeMs, kLastTimeMs}, columns_));
    } else {
      if (range_.min_ms > kFirstTimeMs) {
        LOCKSTEP_RETURN_IF_ERROR(row_.Read(index, {kFirstTimeMs, range_.min_ms - 1}, columns_));
      }
      if (range_.max_ms < kLastTimeMs) {
        LOCKSTEP_RETURN_IF_ERROR(row_.Read(index, {range_.max_ms + 1, kLastTimeMs}, columns_));
      }
      if (columns_.size() > 0) left |= BitOf(index);
    }
    if (columns_.size() > 0) cutter_.Add(index, columns_);
  }
  return left;
}

// By what `cutter_` has.
absl::Status Eraser::Replace(const Row& row, uint64_t erased_count, BatchWriter& batch) {
  if (row.tier == kv::Tier::kCold) LOCKSTEP_RETURN_IF_ERROR(DeleteRollup(batch, row.key));
  std::vector<std::string> values;
  int64_t byte_count = 0;
  LOCKSTEP_RETURN_IF_ERROR(cutter_.Finish([&](std::string_view value) {
    values.emplace_back(value);
    byte_count += static_cast<int64_t>(value.size());
    return absl::OkStatus();
  }));
  const kv::Space space = kv::SpaceOf(row.tier);
  if (values.size() > 1) {
    // A row as large as can be may need more room without some of its samples. The further rows say what
    // the old one says as long as that is there.
    LOCKSTEP_RETURN_IF_ERROR(batch.Commit());
    kv::ChunkKey key = row.key;
    LOCKSTEP_ASSIGN_OR_RETURN(key.part, FreePart(row));
    for (size_t i = 1; i < values.size(); ++i, ++key.part) {
      LOCKSTEP_RETURN_IF_ERROR(batch.Put(space, kv::EncodeChunkKey(key), values[i]));
    }
  }
  const std::string key = kv::EncodeChunkKey(row.key);
  LOCKSTEP_RETURN_IF_ERROR(values.empty() ? batch.Delete(space, key)
                                          : batch.Put(space, key, values.front()));
  ledger_->Subtract(row.tier, row.key.generation, erased_count,
                    static_cast<int64_t>(row.value.size()) - byte_count);
  erased_sample_count_ += erased_count;
  return absl::OkStatus();
}

// Behind all parts of the row's generation in its block.
absl::StatusOr<uint16_t> Eraser::FreePart(const Row& row) const {
  kv::Cursor rows = shard_.kv->NewCursor(
      kv::SpaceOf(row.tier), {kv::EncodeChunkKey(row.key), kv::ChunkKeysOf(window_).end});
  kv::ChunkKey last = row.key;
  for (; rows.Valid(); rows.Next()) {
    kv::ChunkKey key;
    if (!kv::DecodeChunkKey(rows.key(), key)) return MalformedChunkKey();
    if (key.family != last.family || key.block != last.block || key.generation != last.generation) {
      break;
    }
    last = key;
  }
  LOCKSTEP_RETURN_IF_ERROR(rows.status());
  return static_cast<uint16_t>(last.part + 1);
}

}  // namespace lockstep
