#include "storage/db/rewrite/seal.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/coding.h"
#include "storage/chunk/column_walk.h"
#include "storage/chunk/merge_columns.h"
#include "storage/db/rows/batch_writer.h"
#include "storage/db/rows/row_cutter.h"
#include "storage/db/rows/window.h"
#include "storage/kv/key_schema.h"

namespace lockstep {
namespace {

// Less is not worth a flush or a compaction.
constexpr uint64_t kMinDeletedBytes = uint64_t{32} << 20;
// A flush of the journal writes at most one in this many of its bytes.
constexpr uint64_t kMinBufferedPerWritten = 8;

struct PlacedSeries {
  SeriesPlace place;
  SeriesId id = 0;
};

class Sealer {
 public:
  Sealer(const ShardState& shard, const Head& head, uint64_t generation,
         const std::function<bool()>& stop)
      : head_(head), generation_(generation), batch_(*shard.kv, stop) {}

  absl::StatusOr<SealResult> Run(const std::vector<PlacedSeries>& series);

 private:
  void AddSeries(SeriesId id, SeriesPlace place);
  void AddPart(SeriesId id, SeriesPlace place, int32_t window, const SampleColumns& columns);
  absl::Status EndBlock();
  absl::Status PutWindowRows(int32_t window, std::vector<SeriesId> ids);
  absl::Status PutMark();

  const Head& head_;
  const uint64_t generation_;
  BatchWriter batch_;
  SealResult result_;
  std::map<int32_t, std::vector<SeriesId>> ids_;  // by window
  SeriesPlace block_place_;                       // any series of the block that `rows_` belong to
  std::map<int32_t, RowWriter> rows_;             // by window
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
    LOCKSTEP_RETURN_IF_ERROR(PutWindowRows(window, std::move(ids)));
  }
  LOCKSTEP_RETURN_IF_ERROR(PutMark());
  LOCKSTEP_RETURN_IF_ERROR(batch_.Commit());
  return std::move(result_);
}

void Sealer::AddSeries(SeriesId id, SeriesPlace place) {
  head_.Read(id, kAllTimes, columns_);
  const TimeRange range = TimeRangeOf(columns_);
  if (WindowOf(range.min_ms) == WindowOf(range.max_ms)) {
    AddPart(id, place, WindowOf(range.min_ms), columns_);
    return;
  }
  for (ColumnWalk walk(columns_); !walk.done();) {
    const int32_t window = WindowOf(walk.time_ms());
    part_.Clear();
    for (; !walk.done() && WindowOf(walk.time_ms()) == window; walk.Next()) walk.CopyTo(part_);
    AddPart(id, place, window, part_);
  }
}

void Sealer::AddPart(SeriesId id, SeriesPlace place, int32_t window, const SampleColumns& columns) {
  ids_[window].push_back(id);
  const kv::ChunkKey first = {window, place.family, place.block(), generation_, 0};
  rows_.try_emplace(window, batch_, kv::Space::kHot, first)
      .first->second.Add(place.index_in_block(), columns);
}

absl::Status Sealer::EndBlock() {
  for (auto& [window, rows] : rows_) {
    LOCKSTEP_RETURN_IF_ERROR(rows.Finish());
    result_.windows[window].Add(rows.totals());
    result_.chunk_count += rows.chunk_count();
    result_.byte_count += rows.totals().byte_count;
  }
  rows_.clear();
  return absl::OkStatus();
}

absl::Status Sealer::PutWindowRows(int32_t window, std::vector<SeriesId> ids) {
  std::sort(ids.begin(), ids.end());
  kv::WindowKey key = {window, kv::Tier::kHot, generation_, 0};
  for (const WindowRow& row : SplitIntoWindowRows(result_.windows[window], std::move(ids))) {
    LOCKSTEP_RETURN_IF_ERROR(
        batch_.Put(kv::Space::kMeta, kv::EncodeWindowKey(key), EncodeWindowRow(row)));
    ++key.part;
  }
  return absl::OkStatus();
}

absl::Status Sealer::PutMark() {
  std::string mark;
  PutFixed64(mark, generation_);
  return batch_.Put(kv::Space::kMeta, kv::JournalMarkKey(), mark);
}

std::vector<PlacedSeries> SortByPlace(const ShardState& shard, const Head& head) {
  std::vector<PlacedSeries> series;
  series.reserve(head.slot_count());
  ReaderLock lock(shard.mutex);
  for (size_t slot = 0; slot < head.slot_count(); ++slot) {
    const SeriesId id = head.IdOfSlot(slot);
    // The first samples of a slot may have been rolled back, and then the series may be unknown.
    if (!head.Contains(id)) continue;
    series.push_back({shard.dictionary.PlaceOf(id), id});
  }
  std::sort(series.begin(), series.end(), [](const PlacedSeries& a, const PlacedSeries& b) {
    return std::pair(a.place.family, a.place.ordinal) < std::pair(b.place.family, b.place.ordinal);
  });
  return series;
}

absl::StatusOr<uint64_t> BlockBytesAfter(const kv::Store& kv, uint64_t generation) {
  uint64_t bytes = 0;
  kv::Cursor rows = kv.NewCursor(kv::Space::kJournal, kv::JournalKeysFrom(generation + 1));
  for (; rows.Valid(); rows.Next()) bytes += rows.value().size();
  LOCKSTEP_RETURN_IF_ERROR(rows.status());
  return bytes;
}

}  // namespace

absl::StatusOr<SealResult> SealHead(const ShardState& shard, const Head& head, uint64_t generation,
                                    const std::function<bool()>& stop) {
  return Sealer(shard, head, generation, stop).Run(SortByPlace(shard, head));
}

// One by one, not as a range: a compaction that has only range deletions opens an empty table, and
// on an I/O error RocksDB 7.8 then fails an assertion, which Debian's build has enabled.
absl::Status DeleteSealedBlocks(kv::Store& kv, uint64_t generation) {
  BatchWriter batch(kv, [] { return false; });
  kv::Cursor rows = kv.NewCursor(kv::Space::kJournal, kv::JournalKeysUpTo(generation));
  for (; rows.Valid(); rows.Next()) {
    LOCKSTEP_RETURN_IF_ERROR(batch.Delete(kv::Space::kJournal, rows.key()));
  }
  LOCKSTEP_RETURN_IF_ERROR(rows.status());
  return batch.Commit();
}

absl::Status FreeDeletedBlocks(kv::Store& kv, uint64_t generation) {
  LOCKSTEP_ASSIGN_OR_RETURN(const uint64_t kept_bytes, BlockBytesAfter(kv, generation));
  if (kv.BufferedBytes(kv::Space::kJournal) >=
      std::max(kMinDeletedBytes, kMinBufferedPerWritten * kept_bytes)) {
    LOCKSTEP_RETURN_IF_ERROR(kv.Flush());
  }
  const kv::KeyRange deleted = kv::JournalKeysUpTo(generation);
  if (kv.TableBytes(kv::Space::kJournal, deleted) < kMinDeletedBytes) return absl::OkStatus();
  return kv.Compact(kv::Space::kJournal, deleted);
}

}  // namespace lockstep
