#include "storage/db/seal.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "base/coding.h"
#include "storage/chunk/merge_columns.h"
#include "storage/chunk/series_chunk.h"
#include "storage/db/chunk_row.h"
#include "storage/db/column_walk.h"
#include "storage/db/window.h"
#include "storage/kv/key_schema.h"

namespace lockstep {
namespace {

constexpr TimeRange kAllTimes = {std::numeric_limits<int64_t>::min(),
                                 std::numeric_limits<int64_t>::max()};
// A chunk and a row are ended before they are larger than this. Both together are far below
// kv::kMaxValueBytes, and a batch with one row more below kv::kMaxBatchBytes.
constexpr size_t kMaxChunkBytes = size_t{128} << 10;
constexpr size_t kMaxRowBytes = size_t{256} << 10;
constexpr size_t kBatchBytes = size_t{2} << 20;
// Of one window row: far below kv::kMaxValueBytes even if no two are neighbours.
constexpr size_t kMaxSeriesPerWindowRow = size_t{1} << 17;

struct PlacedSeries {
  SeriesPlace place;
  SeriesId id = 0;
};

class Sealer {
 public:
  Sealer(const ShardState& shard, const Head& head, uint64_t generation,
         const std::function<bool()>& stop)
      : kv_(*shard.kv),
        head_(head),
        generation_(generation),
        stop_(stop),
        batch_(shard.kv->NewBatch()) {}

  absl::StatusOr<SealResult> Run(const std::vector<PlacedSeries>& series);

 private:
  struct OpenRow {
    ChunkRowBuilder builder;
    uint16_t part = 0;
  };

  void AddSeries(SeriesId id, SeriesPlace place);
  void AddChunk(SeriesId id, SeriesPlace place, int32_t window);
  void EndRow(int32_t window, OpenRow& row);
  void EndBlock();
  void PutWindowRows(int32_t window, std::vector<SeriesId>& ids);
  absl::Status WriteIfLarge();
  absl::Status WriteMark();

  kv::Store& kv_;
  const Head& head_;
  const uint64_t generation_;
  const std::function<bool()>& stop_;
  kv::Batch batch_;
  SealResult result_;
  std::map<int32_t, std::vector<SeriesId>> ids_;  // by window
  SeriesPlace block_place_;                       // any series of the block that `rows_` are of
  std::map<int32_t, OpenRow> rows_;               // by window
  SampleColumns columns_;
  SampleColumns chunk_;
};

absl::StatusOr<SealResult> Sealer::Run(const std::vector<PlacedSeries>& series) {
  for (const PlacedSeries& next : series) {
    if (next.place.family != block_place_.family || next.place.block() != block_place_.block()) {
      EndBlock();
    }
    block_place_ = next.place;
    AddSeries(next.id, next.place);
    LOCKSTEP_RETURN_IF_ERROR(WriteIfLarge());
  }
  EndBlock();
  for (auto& [window, ids] : ids_) {
    PutWindowRows(window, ids);
    LOCKSTEP_RETURN_IF_ERROR(WriteIfLarge());
  }
  LOCKSTEP_RETURN_IF_ERROR(WriteMark());
  return std::move(result_);
}

void Sealer::AddSeries(SeriesId id, SeriesPlace place) {
  head_.Read(id, kAllTimes, columns_);
  size_t chunk_bytes = 0;
  int32_t window = 0;
  chunk_.Clear();
  for (ColumnWalk walk(columns_); !walk.done(); walk.Next()) {
    const int32_t sample_window = WindowOf(walk.time_ms());
    const size_t sample_bytes = walk.EncodedBytes();
    if (sample_window != window || chunk_bytes + sample_bytes > kMaxChunkBytes) {
      AddChunk(id, place, window);
      chunk_bytes = 0;
    }
    window = sample_window;
    chunk_bytes += sample_bytes;
    walk.CopyTo(chunk_);
  }
  AddChunk(id, place, window);
}

void Sealer::AddChunk(SeriesId id, SeriesPlace place, int32_t window) {
  if (chunk_.size() == 0) return;
  OpenRow& row = rows_[window];
  row.builder.Add(place.index_in_block(), chunk_);
  std::vector<SeriesId>& ids = ids_[window];
  if (ids.empty() || ids.back() != id) ids.push_back(id);
  WindowTotals& totals = result_.windows[window];
  totals.Add({TimeRangeOf(chunk_), chunk_.size(), 0});
  ++result_.chunk_count;
  chunk_.Clear();
  if (row.builder.byte_count() >= kMaxRowBytes) EndRow(window, row);
}

void Sealer::EndRow(int32_t window, OpenRow& row) {
  if (row.builder.empty()) return;
  const std::string value = row.builder.Finish();
  batch_.Put(kv::Space::kChunks,
             kv::EncodeChunkKey(
                 {window, block_place_.family, block_place_.block(), generation_, row.part++}),
             value);
  result_.windows[window].byte_count += value.size();
  result_.byte_count += value.size();
}

void Sealer::EndBlock() {
  for (auto& [window, row] : rows_) EndRow(window, row);
  rows_.clear();
}

void Sealer::PutWindowRows(int32_t window, std::vector<SeriesId>& ids) {
  std::sort(ids.begin(), ids.end());
  uint16_t part = 0;
  for (size_t begin = 0; begin < ids.size(); begin += kMaxSeriesPerWindowRow) {
    const size_t end = std::min(ids.size(), begin + kMaxSeriesPerWindowRow);
    WindowRow row;
    row.totals = result_.windows[window];
    // The counts are in the first part alone, so that their sum over all rows is right.
    if (part > 0) row.totals.sample_count = row.totals.byte_count = 0;
    row.series.assign(ids.begin() + static_cast<ptrdiff_t>(begin),
                      ids.begin() + static_cast<ptrdiff_t>(end));
    batch_.Put(kv::Space::kMeta, kv::EncodeWindowKey({window, generation_, part++}),
               EncodeWindowRow(row));
  }
}

absl::Status Sealer::WriteIfLarge() {
  if (batch_.byte_count() < kBatchBytes) return absl::OkStatus();
  if (stop_()) return absl::CancelledError("the store is closing");
  LOCKSTEP_RETURN_IF_ERROR(kv_.Commit(batch_, kv::Durability::kSynced));
  batch_.Clear();
  return absl::OkStatus();
}

absl::Status Sealer::WriteMark() {
  std::string mark;
  PutFixed64(mark, generation_);
  batch_.Put(kv::Space::kMeta, kv::JournalMarkKey(), mark);
  return kv_.Commit(batch_, kv::Durability::kSynced);
}

std::vector<PlacedSeries> SortByPlace(const ShardState& shard, const Head& head) {
  std::vector<PlacedSeries> series;
  series.reserve(head.slot_count());
  ReaderLock lock(shard.mutex);
  for (size_t slot = 0; slot < head.slot_count(); ++slot) {
    const SeriesId id = head.IdOfSlot(slot);
    // The first samples of a slot may have been taken back, and then its series may not be.
    if (!head.Contains(id)) continue;
    series.push_back({shard.dictionary.PlaceOf(id), id});
  }
  std::sort(series.begin(), series.end(), [](const PlacedSeries& a, const PlacedSeries& b) {
    return std::pair(a.place.family, a.place.ordinal) < std::pair(b.place.family, b.place.ordinal);
  });
  return series;
}

}  // namespace

absl::StatusOr<SealResult> SealHead(const ShardState& shard, const Head& head, uint64_t generation,
                                    const std::function<bool()>& stop) {
  return Sealer(shard, head, generation, stop).Run(SortByPlace(shard, head));
}

// One by one, not as a range: a compaction of nothing but range deletions opens an empty table, and
// on an I/O error then RocksDB 7.8 fails an assertion, which Debian's build has on.
absl::Status DeleteSealedBlocks(kv::Store& kv, uint64_t generation) {
  kv::Batch batch = kv.NewBatch();
  kv::Cursor rows = kv.NewCursor(kv::Space::kJournal, kv::JournalKeysUpTo(generation));
  for (; rows.Valid(); rows.Next()) {
    batch.Delete(kv::Space::kJournal, rows.key());
    if (batch.byte_count() < kBatchBytes) continue;
    LOCKSTEP_RETURN_IF_ERROR(kv.Commit(batch, kv::Durability::kSynced));
    batch.Clear();
  }
  LOCKSTEP_RETURN_IF_ERROR(rows.status());
  return kv.Commit(batch, kv::Durability::kSynced);
}

}  // namespace lockstep
