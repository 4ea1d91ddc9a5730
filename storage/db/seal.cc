#include "storage/db/seal.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "base/coding.h"
#include "storage/chunk/merge_columns.h"
#include "storage/db/column_walk.h"
#include "storage/db/row_cutter.h"
#include "storage/db/window.h"
#include "storage/kv/key_schema.h"

namespace lockstep {
namespace {

constexpr TimeRange kAllTimes = {std::numeric_limits<int64_t>::min(),
                                 std::numeric_limits<int64_t>::max()};
// With one row more a batch is below kv::kMaxBatchBytes.
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
  void AddSeries(SeriesId id, SeriesPlace place);
  void AddChunk(SeriesId id, SeriesPlace place, int32_t window, const SampleColumns& columns);
  absl::Status EndBlock();
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
  std::map<int32_t, RowCutter> rows_;             // by window
  SampleColumns columns_;
  SampleColumns part_;
};

absl::StatusOr<SealResult> Sealer::Run(const std::vector<PlacedSeries>& series) {
  for (const PlacedSeries& next : series) {
    if (next.place.family != block_place_.family || next.place.block() != block_place_.block()) {
      LOCKSTEP_RETURN_IF_ERROR(EndBlock());
    }
    block_place_ = next.place;
    AddSeries(next.id, next.place);
  }
  LOCKSTEP_RETURN_IF_ERROR(EndBlock());
  for (auto& [window, ids] : ids_) {
    PutWindowRows(window, ids);
    LOCKSTEP_RETURN_IF_ERROR(WriteIfLarge());
  }
  LOCKSTEP_RETURN_IF_ERROR(WriteMark());
  return std::move(result_);
}

void Sealer::AddSeries(SeriesId id, SeriesPlace place) {
  head_.Read(id, kAllTimes, columns_);
  const TimeRange range = TimeRangeOf(columns_);
  if (WindowOf(range.min_ms) == WindowOf(range.max_ms)) {
    AddChunk(id, place, WindowOf(range.min_ms), columns_);
    return;
  }
  for (ColumnWalk walk(columns_); !walk.done();) {
    const int32_t window = WindowOf(walk.time_ms());
    part_.Clear();
    for (; !walk.done() && WindowOf(walk.time_ms()) == window; walk.Next()) walk.CopyTo(part_);
    AddChunk(id, place, window, part_);
  }
}

void Sealer::AddChunk(SeriesId id, SeriesPlace place, int32_t window,
                      const SampleColumns& columns) {
  rows_[window].Add(place.index_in_block(), columns);
  ids_[window].push_back(id);
  result_.windows[window].Add({TimeRangeOf(columns), columns.size(), 0});
  ++result_.chunk_count;
}

absl::Status Sealer::EndBlock() {
  for (auto& [window, rows] : rows_) {
    kv::ChunkKey key = {window, block_place_.family, block_place_.block(), generation_, 0};
    LOCKSTEP_RETURN_IF_ERROR(rows.Finish([&, this](std::string_view value) {
      batch_.Put(kv::Space::kChunks, kv::EncodeChunkKey(key), value);
      ++key.part;
      result_.windows[key.window].byte_count += value.size();
      result_.byte_count += value.size();
      return WriteIfLarge();
    }));
  }
  rows_.clear();
  return absl::OkStatus();
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
